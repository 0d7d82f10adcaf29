/* The state of the observed order: a vector clock for each task, lock and undelivered message, and
 * the access history of the variables. Only for the observed_*.c files.
 *
 * Every clock is a row of o->clocks. A release stores its task's clock at the object and then
 * increments the task's own column; an acquire joins the object's clock into its task's. */
#ifndef CLEW_RACE_OBSERVED_OBSERVED_STATE_H
#define CLEW_RACE_OBSERVED_OBSERVED_STATE_H

#include "race/allocation_class.h"
#include "race/observed/fasttrack.h"
#include "race/observed/observed.h"
#include "race/observed/observed_messages.h"
#include "race/observed/observed_sync.h"
#include "race/observed/observed_tasks.h"
#include "race/observed/pending_clocks.h"
#include "race/scoped_ids.h"
#include "race/vector_clock.h"
#include "wire/must.h"

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

    struct observed_sync sync;
    struct observed_net net;

    VEC(struct observed_queue) queues; /* of the nodes that wait */
    uint64_t held_count;
};

/* The event being taken: its task has begun. */
struct observed_step {
    const struct event *event;
    struct observed_task *task;
    uint64_t index;
};

static inline struct observed_task *observed_task_at(struct observed *o, uint32_t id)
{
    if (id >= o->tasks.count) {
        observed_tasks_grow(o, id);
    }
    return &o->tasks.at[id];
}

/* The task begins a new time: its further events are not ordered by the release. */
static inline void observed_release(struct observed *o, const struct observed_task *t)
{
    must_in_tests(t->column < o->clocks.width);
    uint32_t *own = &clocks_row(&o->clocks, t->row)[t->column];
    /* Far enough from the end for the rest of a batch. */
    if (++*own > UINT32_MAX - 4 * BATCH_MAX) {
        o->is_overflown = true;
    }
}

/* The task joins the clock of the row, if there is one. */
static inline void observed_acquire(struct observed *o, const struct observed_step *s, uint32_t row)
{
    if (row != OBSERVED_NONE) {
        clocks_join(&o->clocks, s->task->row, row);
    }
}

#endif
