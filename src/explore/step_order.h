/* Which steps of one execution come before which, whatever the order of the rest: those of one
 * task, those that conflict, an operation after the step that created it, and one that waited after
 * those that enabled it. O(steps^2) bits. */
#ifndef CLEW_EXPLORE_STEP_ORDER_H
#define CLEW_EXPLORE_STEP_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/world.h"

/* Two steps, first < second, that conflict, and nothing but steps that enable second orders
 * them otherwise: second might have come first. */
struct step_race {
    uint32_t first, second;
};

/* {0} is of no execution. */
struct relation {
    VEC(uint64_t) words; /* a row of bits for each step: the steps before it */
    size_t row_words;
    size_t step_count;
    VEC(struct step_race) races; /* in ascending order of second, descending of first */
};

/* Computes the order of x, and its races whose second step is race_first or a later one; to be
 * asked about the same x until the next build. */
void relation_build(struct relation *r, const struct execution *x, size_t race_first);

/* Whether both steps of the race are plain accesses to memory: a data race. */
bool relation_is_data_race(const struct execution *x, const struct step_race *race);

void relation_release(struct relation *r);

bool relation_is_before(const struct relation *r, size_t first, size_t second);

#endif
