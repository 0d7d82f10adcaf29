/* A server of the cluster: Debian's libraft, and between it and the simulator a struct raft_io. */
#ifndef CASES_LIBRAFT_SERVER_H
#define CASES_LIBRAFT_SERVER_H

#include <clew/sim.h>
#include <raft.h>

enum {
    SERVERS_MAX = 5,
    LOG_MAX = 64,     /* entries, of which ... */
    COMMAND_MAX = 24, /* come from clients */
    DATA_MAX = 64,    /* bytes of an entry */
    SENDS_MAX = 64,   /* within one step */
};

/* A write to the disk that is under way; of a truncation nobody is told. */
struct store_write {
    struct store_write *next;
    struct raft_io_append *request; /* NULL for truncations */
};

struct server {
    struct raft raft;
    struct raft_io io;
    struct raft_fsm fsm;
    char address[4];
    raft_io_tick_cb tick;
    raft_io_recv_cb recv;
    raft_time tick_at;   /* when the next tick is due; 0: none is */
    bool is_asking;      /* a client is about to come */
    raft_index stored;   /* the last entry that is on the disk or on its way there */
    uint32_t applied;    /* commands that the state machine has got */
    uint32_t sent_count; /* in this step */
    struct raft_io_send *sent[SENDS_MAX];
    raft_term matched_term; /* of the leader whose ... */
    raft_index matched;     /* log this one agrees with up to here */
    raft_index asked;       /* up to where the request agrees that is being handled; 0: none is */
    struct store_write *writes_first;
    struct store_write *writes_last;
};

/* heap.c: all memory of libraft is the node's. */
extern struct raft_heap node_heap;

/* store.c: what is on the disk. */
enum { STORE_SIZE = 24 + LOG_MAX * (16 + DATA_MAX) };
int store_load(struct raft_io *io, raft_term *term, raft_id *voted_for,
               struct raft_snapshot **snapshot, raft_index *start_index,
               struct raft_entry *entries[], size_t *n_entries);
int store_bootstrap(struct raft_io *io, const struct raft_configuration *conf);
int store_set_term(struct raft_io *io, raft_term term);
int store_set_vote(struct raft_io *io, raft_id server_id);
int store_append(struct raft_io *io, struct raft_io_append *req, const struct raft_entry entries[],
                 unsigned n, raft_io_append_cb cb);
int store_truncate(struct raft_io *io, raft_index index);
/* The oldest write is over. */
void store_written(struct server *s, bool is_failed);

/* net.c: messages as bytes, and back. */
int net_send(struct raft_io *io, struct raft_io_send *req, const struct raft_message *message,
             raft_io_send_cb cb);
/* Tells libraft that what it has sent in this step is on its way. */
void net_complete(struct server *s);
void net_restart(void);
extern uint32_t net_repairs; /* 1: answers to requests for appending claim what they may */
void net_receive(struct server *s, const struct clew_message *m);
uint64_t net_fingerprint(const struct clew_message *m);

/* witness.c: looks on, and remembers what was ever seen. */
void witness_look(struct server *s);                    /* after each step of a server */
void witness_apply(struct server *s, uint64_t command); /* the state machine gets a command */
extern const struct clew_property witness_properties[];

/* The entry at index, from 1 to the last. */
const struct raft_entry *server_entry(const struct server *s, raft_index index);
raft_index server_last(const struct server *s);

#endif
