/* The state machine that raft_library.c replicates: keys and values, changed by commands of client
 * sessions. A client that gets no answer sends its command again, perhaps to another member, so a
 * command may be in the log twice; a session remembers its last command and the answer, so that
 * each is carried out once (section 6.3 of Ongaro's dissertation). */
#ifndef RAFT_STORE_H
#define RAFT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

enum store_verb { STORE_OPEN, STORE_PUT, STORE_ADD, STORE_SWAP, STORE_REMOVE, STORE_CLOSE };

/* Numbers of a session's commands ascend. */
struct store_command {
    enum store_verb verb;
    uint64_t session;
    uint64_t number;
    uint64_t key;
    uint64_t value;
    uint64_t expected; /* of SWAP: the value is replaced if it is this */
};

enum store_status {
    STORE_DONE,
    STORE_AGAIN, /* it was carried out before */
    STORE_OLD,   /* so was a later one of the session */
    STORE_NO_SESSION,
    STORE_OTHER, /* SWAP: the value is another */
    STORE_ABSENT,
    STORE_BROKEN
};

struct store_answer {
    enum store_status status;
    uint64_t value; /* of the key, before the command */
};

struct store *store_new(void);
void store_free(struct store *s);

/* The caller frees the bytes. */
char *store_encode(const struct store_command *c, size_t *size);
struct store_answer store_apply(struct store *s, uint64_t index, const void *bytes, size_t size);

char *store_snapshot(const struct store *s, size_t *size); /* the caller frees it */
void store_restore(struct store *s, const void *bytes, size_t size);

uint64_t store_applied(const struct store *s); /* the index of the last command */
uint64_t store_hash(const struct store *s);    /* of all that commands have changed */
uint64_t store_done(const struct store *s);    /* commands that were carried out */
bool store_get(const struct store *s, uint64_t key, uint64_t *value);

#endif
