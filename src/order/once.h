/* One-time initialization (pthread_once, call_once), and the routines that another task could run
 * instead.
 *
 *     A:  count++   once-begin o   made = 1   once o
 *     B:                                              once o   count++
 *
 * The first caller runs the routine, and the effects of the routine precede every return from a
 * call. The events of A before its call precede B's in this execution only. A routine is *movable*
 * when a call of another task could run it with the same effect. Then it is a critical section of
 * its task that each later ONCE of the object excludes, instead of an order of the calls.
 *
 * A movable routine is the only one of its object, uses no locks, blocks nowhere, reads nothing
 * that depends on the call's place in the execution, and writes nothing that was read before it was
 * complete (docs/theory/races-semantics.md, "One-time initialization"). */
#ifndef CLEW_ORDER_ONCE_H
#define CLEW_ORDER_ONCE_H

#include <stdint.h>

#include "base/arena.h"
#include "order/context.h"
#include "trace/trace.h"

/* The mode of a ONCE in a relaxed trace (race/sync_relaxation.h): the routine is movable although
 * it uses locks or what depends on the call's place. No file has it. */
enum { ONCE_BY_ANY_CALLER = 1 };

struct once {
    uint32_t task;
    event_id begin, end; /* its ONCE_BEGIN and the ONCE that ends it, in one context */
    uint64_t scoped;     /* the object with its scope (order/object_key.h) */
};

/* The movable routines, in listed order of `end`. */
struct onces {
    const struct once *list;
    uint32_t count;
    const uint32_t *of;     /* per ONCE and ONCE_BEGIN: the routine of its object, UINT32_MAX: none;
                               NULL when no routine is movable */
    const uint32_t *inside; /* per event: the routine it is in, ONCE_BEGIN and ONCE included */
};

/* Finds the movable routines of t, into the arena. O(events), and for writes that a routine reads,
 * tasks that call it. */
void onces_build(struct onces *o, const struct trace *t, const struct contexts *c, struct arena *a);

/* The movable routine of this ONCE or ONCE_BEGIN, NULL when there is none. */
static inline const struct once *once_at(const struct onces *o, event_id id)
{
    return o->of == NULL || o->of[id] == UINT32_MAX ? NULL : &o->list[o->of[id]];
}

/* The movable routine that the event is in, NULL when it is in none. */
static inline const struct once *once_around(const struct onces *o, event_id id)
{
    return o->inside == NULL || o->inside[id] == UINT32_MAX ? NULL : &o->list[o->inside[id]];
}

#endif
