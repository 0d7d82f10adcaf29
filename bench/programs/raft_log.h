/* The log of raft_library.c, and bytes that are written and read in order: numbers in groups of
 * seven bits, the low ones first. Memory comes from malloc(). */
#ifndef RAFT_LOG_H
#define RAFT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *allocate(size_t size); /* zeroed; aborts when there is none */
void *grow(void *block, size_t size);

struct writer {
    char *bytes;
    size_t used;
    size_t room;
};

void write_bytes(struct writer *w, const void *bytes, size_t size);
void write_number(struct writer *w, uint64_t number);
void write_block(struct writer *w, const void *bytes, size_t size); /* the size first */

struct reader {
    const unsigned char *at;
    const unsigned char *end;
    bool is_broken; /* it ended too early */
};

struct reader reader_of(const void *bytes, size_t size);
uint64_t read_number(struct reader *r);
const void *read_bytes(struct reader *r, size_t size);
const void *read_block(struct reader *r, size_t *size);

uint64_t mix(uint64_t hash, uint64_t more);
uint64_t mix_bytes(uint64_t hash, const char *bytes, size_t size);

enum entry_kind { ENTRY_COMMAND, ENTRY_NOTHING, ENTRY_MEMBERS };

struct entry {
    uint64_t term;
    enum entry_kind kind;
    size_t size;
    char *bytes;
};

/* The entries behind the snapshot: index snapshot_index + 1 + i is at[i]. */
struct log {
    uint64_t snapshot_index;
    uint64_t snapshot_term;
    struct entry *at;
    size_t count;
    size_t room;
};

uint64_t log_last(const struct log *l);
bool log_has(const struct log *l, uint64_t index);
struct entry *log_at(const struct log *l, uint64_t index);
uint64_t log_term(const struct log *l, uint64_t index); /* 0: not known */
void log_append(struct log *l, const struct entry *e);  /* the bytes are copied */
void log_truncate(struct log *l, uint64_t last);
void log_compact(struct log *l, uint64_t index, uint64_t term);
void log_clear(struct log *l);
void log_write(const struct log *l, uint64_t first, uint64_t last, struct writer *w);
/* The next entry of those that log_write wrote; false: it is broken. Its bytes are the reader's. */
bool log_read(struct reader *r, struct entry *e);
uint64_t entry_hash(const struct entry *e);

#endif
