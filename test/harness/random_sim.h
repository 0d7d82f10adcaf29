/* The simulated world that random traces come from. */
#ifndef CLEW_TEST_RANDOM_SIM_H
#define CLEW_TEST_RANDOM_SIM_H

#include "base/vec.h"
#include "random_trace.h"
#include "wire/kind.h"

#define SIM_NONE UINT32_MAX

enum { SIM_HOLDS_MAX = 6, SIM_STREAMS_MAX = 3 };

/* One acquisition that has not been released. */
struct hold {
    uint32_t lock; /* index on the node */
    uint8_t mode;
    bool is_in_handler;
};

/* A task's next steps at a predicate that a lock protects. */
enum sim_plan {
    PLAN_NONE,
    PLAN_LOOK,   /* read it, and wait unless it holds */
    PLAN_WAIT,   /* ... which it did not */
    PLAN_USE,    /* ... or did */
    PLAN_SET,    /* make it hold */
    PLAN_NOTIFY, /* tell those who wait; with the lock or behind it */
    PLAN_LEAVE,
    PLAN_LEAVE_AND_NOTIFY,
};

struct actor {
    uint32_t task; /* in the trace's tables */
    uint32_t node; /* index */
    uint32_t parent;
    bool is_started, is_ended, is_joined;
    bool is_silent; /* its start and end are not recorded */
    bool is_in_handler;
    bool may_begin_handler; /* its last event was a receive, on the main chain */
    bool last_was_in_handler;
    bool has_events;
    struct hold holds[SIM_HOLDS_MAX];
    uint32_t hold_count;
    uint32_t waits_for; /* lock given up while waiting, or SIM_NONE */
    bool is_woken, wait_is_lone;
    bool has_time_limit; /* of its wait */
    enum sim_plan plan;
    bool is_at_barrier, may_leave_barrier;
    bool holds_binary, holds_binary_in_handler;
};

struct datagram {
    uint32_t channel, message;
    uint64_t size;
    uint32_t receiver; /* actor */
    bool is_pooled;    /* any task of the receiver's node may take it */
    bool is_gone;
};

/* A TCP connection in one direction, from a node to a node. */
struct stream {
    uint32_t channel;
    uint32_t from, to; /* nodes */
    uint64_t sent, received;
    bool is_asked, is_accepted, is_closed, is_end_seen;
    bool has_tokens; /* every piece sent is alike, and taken alone */
};

/* A one-time initialization. */
struct sim_once {
    bool is_begun, is_complete;
    uint32_t task; /* that runs the routine */
    bool is_in_handler;
};

struct sim {
    struct trace *t;
    struct prng *prng;
    const struct random_shape *shape;
    struct actor actors[RANDOM_TASKS_MAX];
    uint32_t actor_count;
    uint32_t turn_of; /* the task that ran last */
    VEC(struct datagram) datagrams;
    struct stream streams[SIM_STREAMS_MAX];
    uint32_t stream_count;
    uint32_t message_count;
    int64_t semaphore[RANDOM_NODES_MAX];    /* any task posts and waits */
    bool is_binary_taken[RANDOM_NODES_MAX]; /* the semaphore that tasks use as a lock */
    struct sim_once once[RANDOM_NODES_MAX];
    bool predicate[RANDOM_NODES_MAX];
};

/* A number below bound; small_below gives smaller ones more often, so that tasks meet. */
uint32_t sim_below(struct sim *s, uint32_t bound);
uint32_t sim_small_below(struct sim *s, uint32_t bound);
bool sim_one_in(struct sim *s, uint32_t n);

/* The name made of a stem and a number. */
uint32_t sim_name(struct sim *s, const char *stem, uint32_t number);

/* Whether the object of this number lies in memory that all nodes share, and its name. */
bool sim_is_shared(const struct sim *s, uint32_t number);
uint32_t sim_object(struct sim *s, const char *stem, uint32_t number);

/* The task does this. */
void sim_emit(struct sim *s, struct actor *a, struct event e);

/* Each does as its name says if the task can, and returns whether it did. */
bool sim_try_send(struct sim *s, struct actor *a);
bool sim_try_receive(struct sim *s, struct actor *a);
bool sim_try_stream(struct sim *s, struct actor *a);
bool sim_try_handler_begin(struct sim *s, struct actor *a);
bool sim_try_handler_end(struct sim *s, struct actor *a);

#endif
