/* The state of the observed order: a vector clock for each task, lock and undelivered message, and
 * the access history of the variables. Only for the observed_*.c files.
 *
 * Every clock is a row of o->clocks. A release stores its task's clock at the object and then
 * increments the task's own column; an acquire joins the object's clock into its task's. */
#ifndef CLEW_RACE_OBSERVED_OBSERVED_STATE_H
#define CLEW_RACE_OBSERVED_OBSERVED_STATE_H

#include "base/map.h"
#include "race/allocation_class.h"
#include "race/clock_table.h"
#include "race/observed/fasttrack.h"
#include "race/observed/message_history.h"
#include "race/observed/observed.h"
#include "race/observed/pending_clocks.h"
#include "race/scoped_ids.h"
#include "race/triple_map.h"

#define OBSERVED_NONE UINT32_MAX

struct observed_wait {
    uint32_t condition; /* OBSERVED_NONE: not waiting */
    uint32_t lock, depth;
    uint64_t begin; /* index of its WAIT_BEGIN */
};

struct observed_task {
    uint32_t row;    /* OBSERVED_NONE until it begins */
    uint32_t column; /* OBSERVED_NONE before it begins and after it was joined */
    uint32_t node;
    uint32_t creates, ends; /* lists of pending, OBSERVED_NONE until the first */
    bool has_ended;
    uint64_t previous; /* index of its last event, UINT64_MAX before */
    struct observed_wait wait;
};

/* A column whose task was joined, and the last time in it. A task that knows that time may go on in
 * the column: both are then one chain. */
struct observed_spare {
    uint32_t column;
    uint32_t last;
};

struct observed_holder {
    uint32_t task, depth;
    bool is_shared;
    bool is_overtaken; /* another took the lock although this one never gave it back */
};

struct observed_lock {
    uint32_t alone_row, shared_row; /* clocks of the ended exclusive and shared sections */
    uint32_t last_task; /* the task that ended the last section; OBSERVED_NONE after shared ones */
    VEC(struct observed_holder) holders;
};

struct observed_condition {
    uint32_t notifies; /* pending */
    uint32_t notify_count;
    uint32_t open_count; /* waits begun and not ended */
};

struct observed_semaphore {
    uint32_t posts; /* pending */
    uint64_t post_count, wait_count;
    uint64_t initial; /* its initial value, as far as the list shows */
};

struct observed_entrant {
    uint32_t task, round;
};

struct observed_barrier {
    uint32_t open_row;   /* of those that entered the round under way */
    uint32_t closed_row; /* of the round before; also for those that still have to leave it */
    uint32_t round;
    VEC(struct observed_entrant) inside;
};

/* Objects that are no more than a clock to join and to publish. */
struct observed_rows {
    struct scoped number_of;
    VEC(uint32_t) rows; /* OBSERVED_NONE until published */
};

struct observed_stream {
    uint32_t sends; /* pending */
    uint64_t sent, received;
};

/* An event behind a receive that waits for its send. */
struct observed_held {
    struct event event;
    uint64_t index;
};

/* The events of a node that wait for its first one, so that the order of the node's locks stays as
 * observed. */
struct observed_queue {
    uint32_t node;
    size_t at; /* the first event not taken yet */
    VEC(struct observed_held) events;
};

struct observed_variable {
    uint32_t node, object;
};

struct observed {
    const struct tables *tables;
    struct notes *notes;
    struct observed_options options;
    uint64_t index_next;
    bool is_overflown;
    bool has_forgotten; /* accesses that everyone had seen */

    struct clocks clocks;
    struct pending_clocks pending;
    VEC(struct observed_task) tasks;
    VEC(struct observed_spare) spares;

    struct history history;
    struct scoped variable_of;
    VEC(struct observed_variable) variables;
    struct alike alike;
    VEC(uint32_t) everything; /* the clock of one who has seen all */

    struct scoped lock_of, condition_of, semaphore_of, barrier_of;
    VEC(struct observed_lock) locks;
    VEC(struct observed_condition) conditions;
    VEC(struct observed_semaphore) semaphores;
    VEC(struct observed_barrier) barriers;
    struct observed_rows atomics, onces, annotations;

    VEC(uint32_t) message_lists; /* by message name: pending, OBSERVED_NONE until the first */
    struct triples unnamed_of;   /* (channel, size high, size low) to pending */
    struct map stream_of;        /* channel to stream */
    struct map close_of;         /* channel to row */
    struct names endpoints;      /* of connections */
    struct map connection_of;    /* two endpoints to pending */
    VEC(struct observed_stream) streams;
    struct arrivals arrivals;

    VEC(struct observed_queue) queues; /* of the nodes that wait */
    uint64_t held_count;
};

/* The event being taken: its task has begun. */
struct observed_step {
    const struct event *event;
    struct observed_task *task;
    uint64_t index;
};

/* ---- tasks ---- */

/* Makes room for tasks up to this one. */
void observed_tasks_grow(struct observed *o, uint32_t id);

static inline struct observed_task *observed_task_at(struct observed *o, uint32_t id)
{
    if (id >= o->tasks.count) {
        observed_tasks_grow(o, id);
    }
    return &o->tasks.at[id];
}

/* Gives the task a clock and a column. */
void observed_task_begin(struct observed *o, struct observed_task *t);

void observed_create(struct observed *o, const struct observed_step *s);
void observed_start(struct observed *o, const struct observed_step *s);
void observed_end(struct observed *o, const struct observed_step *s);
void observed_join(struct observed *o, const struct observed_step *s);

/* The task begins a new time: its further events are not ordered by the release. */
static inline void observed_release(struct observed *o, const struct observed_task *t)
{
    uint32_t *own = &clocks_row(&o->clocks, t->row)[t->column];
    /* Far enough from the end for the rest of a batch. */
    if (++*own > UINT32_MAX - 4 * BATCH_MAX) {
        o->is_overflown = true;
    }
}

/* Puts the task's clock into *list, which is made when it is the first, and releases. */
struct pending_clock *observed_put(struct observed *o, uint32_t *list,
                                   const struct observed_step *s);

/* Joins the task's clock into *row (made when OBSERVED_NONE), or replaces it, and releases. */
void observed_publish(struct observed *o, uint32_t *row, const struct observed_step *s);
void observed_publish_alone(struct observed *o, uint32_t *row, const struct observed_step *s);

/* The task joins the clock of the row, if there is one. */
static inline void observed_acquire(struct observed *o, const struct observed_step *s, uint32_t row)
{
    if (row != OBSERVED_NONE) {
        clocks_join(&o->clocks, s->task->row, row);
    }
}

/* Notes something about an event: "event 12: ...". */
void observed_remark(struct observed *o, uint64_t index, const char *text);

/* ---- synchronization ---- */

void observed_lock_taken(struct observed *o, const struct observed_step *s);
void observed_lock_released(struct observed *o, const struct observed_step *s);
void observed_wait_begin(struct observed *o, const struct observed_step *s);
void observed_wait_end(struct observed *o, const struct observed_step *s);
void observed_notify(struct observed *o, const struct observed_step *s);
void observed_semaphore_init(struct observed *o, const struct observed_step *s);
void observed_semaphore_post(struct observed *o, const struct observed_step *s);
void observed_semaphore_wait(struct observed *o, const struct observed_step *s);
void observed_barrier_enter(struct observed *o, const struct observed_step *s);
void observed_barrier_exit(struct observed *o, const struct observed_step *s);
/* An access that also orders tasks, between its acquire and its release. */
void observed_touch(struct observed *o, const struct observed_step *s);
void observed_atomic(struct observed *o, const struct observed_step *s);
void observed_once(struct observed *o, const struct observed_step *s);
void observed_annotation(struct observed *o, const struct observed_step *s);
void observed_sync_release(struct observed *o);

/* ---- network ---- */

/* True when this RECV or ACCEPT needs a SEND, CLOSE or CONNECT that has not come yet. */
bool observed_must_wait(struct observed *o, const struct event *e);

void observed_send(struct observed *o, const struct observed_step *s);
void observed_recv(struct observed *o, const struct observed_step *s);
void observed_connect(struct observed *o, const struct observed_step *s);
void observed_accept(struct observed *o, const struct observed_step *s);
void observed_close(struct observed *o, const struct observed_step *s);
void observed_net_release(struct observed *o);

#endif
