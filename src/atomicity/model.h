/* The model of one variable, or of two: the accesses of the tasks of a trace, and their orders.
 *
 *     thread 0   LOCK m   R x   UNLOCK m   POINT
 *     thread 1   LOCK m   W x   W y        UNLOCK m
 *
 * An execution of the model takes steps from the fronts of its threads. A step needs those steps
 * of other threads that `preds` name, and LOCK a lock that nobody holds in a way that excludes it.
 * Every execution of the model is one of the trace's tasks, as far as its orders and locks tell.
 *
 * Left out are locks in whose sections nothing of the model happens: such a section can always be
 * passed at once. A version check is a lock (version.h), but one that a thread holds only if it
 * reaches the write that asks for the version. */
#ifndef CLEW_ATOMICITY_MODEL_H
#define CLEW_ATOMICITY_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "atomicity/variable_accesses.h"
#include "base/arena.h"
#include "base/out.h"

enum step_kind { STEP_POINT, STEP_LOCK, STEP_ACCESS, STEP_UNLOCK };

struct step {
    event_id event;
    uint32_t lock; /* LOCK, UNLOCK: dense number in the model */
    /* LOCK, UNLOCK of a version: the step at which the event of the write that asks for it begins;
     * a thread that does not reach it has not held the version. 0: of a lock. */
    uint32_t asks_at;
    uint32_t pred_first; /* its preds are model.preds[pred_first .. pred_first + pred_count) */
    uint32_t pred_count;
    uint8_t kind;    /* enum step_kind */
    uint8_t which;   /* ACCESS: 0 of x, 1 of y */
    bool is_write;   /* ACCESS */
    bool is_related; /* ACCESS: of a resource above or below x, not of x itself */
    bool is_shared;  /* LOCK, UNLOCK */
};

/* The number of steps of a thread that must be done before; UINT32_MAX: steps beyond a window. */
struct step_pred {
    uint32_t thread;
    uint32_t count;
};

/* A step of a model. */
struct place {
    uint32_t thread;
    uint32_t step;
};

struct model_thread {
    uint32_t task;
    struct step *steps;
    uint32_t count;
};

/* A lock that is held when the model begins. */
struct model_held {
    uint32_t thread; /* thread_count: none of them, and it is not released */
    uint32_t lock;
    bool is_shared;
};

struct model_lock {
    uint32_t name; /* of the trace; of a version check: of the resource */
    bool is_version;
};

struct model {
    const struct frame *frame;
    uint32_t variables[2]; /* x, and y or VARIABLE_NONE */
    const event_id *begin; /* windows: see struct window; else NULL */
    struct model_thread *threads;
    uint32_t thread_count;
    struct step_pred *preds;
    struct model_lock *locks; /* NULL in windows: the numbers are those of the trace */
    uint32_t lock_count;
    struct model_held *held; /* at the beginning */
    uint32_t held_count;
    struct place *places; /* per access of the sketch; NULL in windows */
    struct arena arena;
};

/* Projects the trace to the variables of a sketch. O(accesses, sections of the locks around them
 * and points; marks / 64). */
void model_build(struct model *m, const struct sketch *s);

/* Per task: its events from `begin` on, before `end`, both places in the list. Its earlier events
 * have happened as they are listed. */
struct window {
    event_id *begin, *end;
};

/* The same of a window, which must be possible to get to (window_query.c ensures that, and
 * execution_check checks it). Each of its executions, behind the events before, is one of the
 * trace; but not all are among them. x and y are memory. All locks are kept. The window must
 * outlive m. O(tasks log n + locks + events in the window). */
void model_window(struct model *m, const struct sketch *s, const struct window *w);

void model_release(struct model *m);

/* Where an access of the sketch is; the model must have it. O(1), in windows O(threads + log n). */
struct place model_place(const struct model *m, const struct sketch *s, uint32_t number);

/* How many steps of a thread are of events before `event`. O(log). */
uint32_t model_steps_before(const struct model_thread *t, event_id event);

/* Appends bytes that two models share if and only if they are the same but for which task is which
 * thread: places, names of variables and locks, orders. */
void model_print(const struct model *m, struct out *out);

#endif
