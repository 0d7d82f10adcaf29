/* Which words of memory, blocks and locks several tasks use at the same time, as far as the runs of
 * a search have shown it.
 *
 *     (void)shared_learn(&s, &execution);
 *     if (shared_has(&s, &operation)) { ... another task may come before it, and that matters ... }
 *
 * Two accesses count when they touch one word, one of them writes, and creation and join of tasks
 * do not order them; locks are left out, because another run may take them in another order. */
#ifndef CLEW_EXPLORE_SHARED_OBJECTS_H
#define CLEW_EXPLORE_SHARED_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "world/world.h"

/* The use of one word, block or lock by a task in a run. */
struct shared_use {
    uint32_t task;
    uint32_t last;       /* its last step there, plus one ... */
    uint32_t last_write; /* ... and the last that wrote; 0: none */
    uint32_t next;       /* index of the next task's use, plus one */
};

/* {0} is empty. */
struct shared {
    struct map cells;     /* words, blocks and locks that are shared -> 1 */
    struct map listed;    /* points that are in the list */
    VEC(uint64_t) points; /* for plans (pick_is_point) */
    uint32_t word_count;  /* words among the points */
    uint32_t place_count; /* and places */
    bool is_full;         /* there are more points than a plan may have */
    uint64_t run_count;   /* runs that were offered to be learned */

    /* Of the run that is learned. */
    struct map cell_of; /* cell -> its first use, plus one */
    VEC(struct shared_use) uses;
    VEC(uint32_t) before; /* [task][other]: how many steps of the run the task knows of the other */
    struct map created;   /* step -> the task that it created */
    struct map ended;     /* object that a join needs -> the task that ended */
    uint32_t task_count;
};

void shared_release(struct shared *s);

/* Takes note of a run. Runs show less and less that is new, so later only some are looked at; false
 * when this one was not. */
bool shared_learn(struct shared *s, const struct execution *x);

/* Whether the operation touches one. */
bool shared_has(const struct shared *s, const struct pick_operation *o);

/* Lets the plan choose before accesses to memory only where tasks are known to meet. The number
 * tells this list from others in the same world; not 0. */
void shared_narrow(const struct shared *s, uint64_t number, struct pick_plan *p);

/* Draws the depth of the bugs that a plan of pct aims at: from 2 up to one more than the number of
 * places that access shared objects, for a bug needs an order at no more places than these. A depth
 * that the plan names already is kept. */
void shared_deepen(const struct shared *s, struct pick_plan *p);

#endif
