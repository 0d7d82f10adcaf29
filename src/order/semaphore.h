/* Semaphores: the use of each, and the constraint that it puts on every order of the events.
 *
 * In every execution a SEM_WAIT returns when fewer waits than the initial count and the posts so
 * far precede it. Any post may have released it. Where the use leaves no such choice a simpler rule
 * applies:
 *
 *     FREE      the initial count is enough for all waits: no constraint
 *     LOCK      initial count 1, and each task waits, then posts, and so on: critical sections
 *     LINE      one context posts and one waits: the k-th wait needs the (k - initial)-th post
 *     COUNTED   all others: condition_wait.h has their waits and the posts that may end them
 *
 * Posts and waits of one semaphore are in listed order. */
#ifndef CLEW_ORDER_SEMAPHORE_H
#define CLEW_ORDER_SEMAPHORE_H

#include <stdint.h>

#include "base/arena.h"
#include "order/bucket.h"
#include "order/context.h"
#include "trace/trace.h"

enum semaphore_use {
    SEMAPHORE_FREE,
    SEMAPHORE_LOCK,
    SEMAPHORE_LINE,
    SEMAPHORE_COUNTED,
};

struct semaphore {
    enum semaphore_use use;
    uint32_t node;
    uint32_t name;
    /* The value of its SEM_INIT, or the least that makes the list possible if that is more. */
    uint32_t initial;
    struct bucket posts, waits;
};

struct semaphores {
    const struct semaphore *list;
    uint32_t count;
    const uint32_t *of; /* per event: the number of its semaphore; NULL when there is none at all */
};

/* Reads the semaphores of t, into the arena. O(events). */
void semaphores_build(struct semaphores *s, const struct trace *t, const struct contexts *c,
                      struct arena *a);

/* The semaphore of a SEM_POST or SEM_WAIT when it has this use, else NULL. */
const struct semaphore *semaphore_used(const struct semaphores *s, const struct trace *t,
                                       event_id id, enum semaphore_use use);

#endif
