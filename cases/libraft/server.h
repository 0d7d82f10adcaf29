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

/* The state machine: it counts its commands. The witness adds what it needs to go on from here. */
struct machine {
    uint64_t command_count;
    uint64_t index; /* of the last entry applied */
    uint64_t chain; /* hash of the log up to it */
};

/* Roles by server: 0 is no member, otherwise the role plus one. */
struct packed_configuration {
    uint8_t roles[8];
};

/* A snapshot on the disk or in a message; index 0 is none. */
struct packed_snapshot {
    uint64_t index;
    uint64_t term;
    uint64_t configuration_index;
    struct packed_configuration configuration;
    struct machine machine;
};

struct store_write;

enum { WISHES_MAX = 8 };

/* What an operator asks of the leader. */
enum operation { ADD, ASSIGN, REMOVE, TRANSFER, OPERATION_COUNT };
struct wish {
    uint8_t operation;
    uint8_t server; /* from 1 */
    uint8_t role;   /* to assign */
};

struct server {
    struct raft raft;
    struct raft_io io;
    struct raft_fsm fsm;
    char address[4];
    raft_io_tick_cb tick;
    raft_io_recv_cb recv;
    raft_time tick_at; /* when the next tick is due; 0: none is */
    bool is_asking;    /* a client is about to come */
    raft_index stored; /* the last entry that is on the disk or on its way there */
    bool is_errored;   /* a write has failed: the disk takes no more until a restart */
    struct machine machine;
    uint32_t sent_count; /* in this step */
    struct raft_io_send *sent[SENDS_MAX];
    raft_term matched_term; /* of the leader whose ... */
    raft_index matched;     /* log this one agrees with up to here */
    raft_index asked;       /* up to where the request agrees that is being handled; 0: none is */
    struct store_write *writes_first; /* the first is under way, the others wait for it */
    struct store_write *writes_last;
    struct wish wishes[WISHES_MAX];
    uint32_t wish_count;
    struct raft_change *change;     /* under way, NULL: none */
    struct raft_transfer *transfer; /* likewise */
    raft_index chain_first;         /* from this index on, chain is known */
    uint64_t chain[LOG_MAX + 1];    /* of the log up to each index (witness.c) */
};

/* heap.c: all memory of libraft is the node's. */
extern struct raft_heap node_heap;

/* pack.c: configurations and snapshots without pointers. */
void pack_configuration(struct packed_configuration *packed, const struct raft_configuration *c);
void unpack_configuration(struct raft_configuration *c, const struct packed_configuration *packed);
bool configuration_is_alone(const struct packed_configuration *c, raft_id id); /* the only voter */
void decode_configuration(struct packed_configuration *packed, const void *bytes);
void *pack_machine(const struct machine *m); /* a copy by raft_malloc */

/* store.c: what is on the disk. */
enum { STORE_SIZE = 24 + sizeof(struct packed_snapshot) + LOG_MAX * (16 + DATA_MAX) };
int store_load(struct raft_io *io, raft_term *term, raft_id *voted_for,
               struct raft_snapshot **snapshot, raft_index *start_index,
               struct raft_entry *entries[], size_t *n_entries);
int store_bootstrap(struct raft_io *io, const struct raft_configuration *conf);
int store_set_term(struct raft_io *io, raft_term term);
int store_set_vote(struct raft_io *io, raft_id server_id);
int store_append(struct raft_io *io, struct raft_io_append *req, const struct raft_entry entries[],
                 unsigned n, raft_io_append_cb cb);
int store_truncate(struct raft_io *io, raft_index index);
int store_snapshot_put(struct raft_io *io, unsigned trailing, struct raft_io_snapshot_put *req,
                       const struct raft_snapshot *snapshot, raft_io_snapshot_put_cb cb);
int store_snapshot_get(struct raft_io *io, struct raft_io_snapshot_get *req,
                       raft_io_snapshot_get_cb cb);
void store_read_snapshot(struct packed_snapshot *packed);
int store_async_work(struct raft_io *io, struct raft_io_async_work *req, raft_io_async_work_cb cb);
/* After each step: what cannot be written fails. */
void store_settle(struct server *s);
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

/* operator.c: changes of the configuration and transfers of leadership. */
void operator_ask(struct server *s, const struct clew_message *m); /* a request from outside */
void operator_act(struct server *s); /* after each step: asks libraft, if the server leads */

/* witness.c: checks every step, and remembers what was ever seen. */
void witness_look(struct server *s);                    /* after each step of a server */
void witness_apply(struct server *s, uint64_t command); /* the state machine gets a command */
void witness_snapshot(struct server *s);                /* fills in the machine's index and chain */
void witness_snapshot_put(struct server *s, const struct packed_snapshot *snapshot);
void witness_restore(struct server *s); /* the machine was replaced */
/* The client that sent this command is told that it was applied with this result. */
void witness_answer(struct server *s, uint64_t command, uint64_t result);
void witness_stray(struct server *s); /* answers a leader although it follows none */
extern uint32_t witness_looks_at_configurations;
extern const struct clew_property witness_properties[];

/* The entry at index, from 1 to the last. */
const struct raft_entry *server_entry(const struct server *s, raft_index index);
raft_index server_last(const struct server *s);

#endif
