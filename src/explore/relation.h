/* Which steps of one execution come before which, whatever the order of the rest: those of one
 * task, those that conflict, and an operation after the step that created it. O(steps^2) bits. */
#ifndef CLEW_EXPLORE_RELATION_H
#define CLEW_EXPLORE_RELATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/world.h"

/* {0} is of no execution. */
struct relation {
    VEC(uint64_t) words; /* a row of bits for each step: the steps before it */
    size_t row_words;
    size_t step_count;
};

/* Computes the order of x; to be asked about the same x until the next build. */
void relation_build(struct relation *r, const struct execution *x);
void relation_release(struct relation *r);

bool relation_is_before(const struct relation *r, size_t first, size_t second);

/* Whether the two conflict and nothing else orders them. first < second. */
bool relation_is_race(const struct relation *r, const struct execution *x, size_t first,
                      size_t second);

/* Steps, as numbers. */
struct initials {
    VEC(uint32_t) steps;
};

/* Of a race: what could begin the execution in which second comes without first: the steps from
 * first to second that do not come after first, and after none of themselves. */
void relation_initials(const struct relation *r, size_t first, size_t second,
                       struct initials *initials);

#endif
