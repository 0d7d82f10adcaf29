/* The events that are relevant for one question: can these two accesses come next to each other;
 * can this receive come after that send; can each of these lock requests come next while the next
 * one's lock is held?
 *
 *     needed     events that must come before: dependencies, transitively
 *     optional   events that may have to come: two sections of a lock, or two handlers of a
 *                task, cannot both be open, and waits need a notify
 *
 * Everything else can be left out: a prefix that answers the question still does without it. */
#ifndef CLEW_RACE_FEASIBLE_RELEVANT_EVENTS_H
#define CLEW_RACE_FEASIBLE_RELEVANT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "race/feasible/dependencies.h"
#include "race/sound/sync_preserving.h"

/* Several tasks, each with a request that comes next and the section in which it holds the lock
 * that the task before it asks for. */
struct deadlock_state {
    const event_id *requests;
    const struct section *const *holds; /* as many */
    size_t count;
};

enum relevant_part {
    RELEVANT_OUT,
    RELEVANT_NEEDED,
    RELEVANT_OPTIONAL,
};

enum relevant_state {
    RELEVANT_POSSIBLE,
    RELEVANT_IMPOSSIBLE, /* an event in question needs itself before it */
    RELEVANT_TOO_LARGE,
};

/* A question about the end of an execution only; {0} asks about all of it. With `floor`, nothing
 * that is listed before it is asked about: the question is weaker, and its *no* holds for the
 * whole. With `done`, these events have come before, as listed: its *yes* holds for the whole. */
struct relevant_window {
    event_id floor;
    const uint32_t
        *done; /* per task: how many of its events; the trace has no handlers. NULL: none */
};

struct relevant_events {
    const struct dependencies *d;
    size_t event_max;
    struct relevant_window window;
    uint8_t *part; /* per event: enum relevant_part */
    VEC(event_id) events;
    VEC(uint32_t) sections; /* that have begun, of contended locks: numbers in hb->sections */
    VEC(uint32_t) handlers; /* that have begun: contexts */
    VEC(uint32_t) waits;    /* that have ended and need a notify: numbers in hb->waits */
    dependency_list
        next; /* the events in question: they come next, so they are not in the prefix */
    dependency_list never;  /* further events that are not in the prefix */
    dependency_list barred; /* optional events that the caller knows are not */
    size_t seen;            /* events that have been looked at for sections and so on */
    dependency_list scratch;
};

/* For questions about the trace of d, with at most event_max events each. */
void relevant_init(struct relevant_events *s, const struct dependencies *d, size_t event_max);
void relevant_release(struct relevant_events *s);

/* Computes the relevant events of a pair: its needs. */
MUST_USE enum relevant_state relevant_set(struct relevant_events *s, const struct sound_pair *pair);

/* Computes the relevant events of a deadlock: the needs of its requests except the locks
 * themselves, and that each task has taken the lock that it holds and not released it. */
MUST_USE enum relevant_state relevant_set_deadlock(struct relevant_events *s,
                                                   const struct deadlock_state *d);

/* Adds the events needed if sections and handlers keep the order of the list and waits their
 * notifies. When possible, the events in the order of the execution are a prefix that answers the
 * question. / */
MUST_USE enum relevant_state relevant_keep_order(struct relevant_events *s);

/* Adds whatever may have to come, in any order, as optional. */
MUST_USE enum relevant_state relevant_widen(struct relevant_events *s);

/* Whether the window leaves the event aside. */
static inline bool relevant_leaves(const struct relevant_events *s, event_id id)
{
    const struct contexts *c = &s->d->hb->contexts;
    return id < s->window.floor ||
           (s->window.done != NULL && c->position[id] < s->window.done[c->of[id]]);
}

static inline bool relevant_has(const struct relevant_events *s, event_id id)
{
    return s->part[id] != RELEVANT_OUT;
}

#endif
