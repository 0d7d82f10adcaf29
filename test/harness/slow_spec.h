/* The meaning of the property language, straight from its definition: the slow twin of checker.h.
 *
 * A run is written out as one long row of states, its loop many times over and the last turn of it
 * for ever; a formula is evaluated at a step by looking at the steps before and behind it one by
 * one. Every variable must have a value. */
#ifndef CLEW_TEST_SLOW_SPEC_H
#define CLEW_TEST_SLOW_SPEC_H

#include "random_spec.h"

/* A state of the random processes. */
struct slow_state {
    int64_t values[RANDOM_PROCESS_COUNT][RANDOM_VARIABLE_COUNT];
    int64_t messages[RANDOM_PROCESS_COUNT][RANDOM_PROCESS_COUNT];
    uint64_t time;
    uint64_t step; /* how `steps` sees it, from 1 */
    uint64_t now;  /* how `now` sees it */
};

struct slow_run {
    const struct slow_state *states;
    size_t count;
    size_t loop; /* the first state of the last turn; at least one comes before */
};

/* Whether the formula is true at each step, into is_true[0 .. count). */
void slow_decide(const struct spec *s, uint32_t root, const struct slow_run *run, bool *is_true);

#endif
