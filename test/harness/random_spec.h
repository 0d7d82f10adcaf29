/* Random specifications and random runs to judge them on. */
#ifndef CLEW_TEST_RANDOM_SPEC_H
#define CLEW_TEST_RANDOM_SPEC_H

#include "spec/spec.h"
#include "wire/prng.h"

enum { RANDOM_PROCESS_COUNT = 3, RANDOM_VARIABLE_COUNT = 2 };

/* The processes and variables that random specifications speak of; some need quotes. */
extern const char *const random_processes[RANDOM_PROCESS_COUNT];
extern const char *const random_variables[RANDOM_VARIABLE_COUNT];

struct random_spec {
    unsigned depth;       /* of its formulas, at most */
    bool is_temporal;     /* with temporal operators */
    bool has_clocks;      /* with now, steps and messages */
    bool has_long_bounds; /* durations of more than a few ns */
};

/* Adds a group and one property to s, which must be fresh from spec_init: any tree the language
 * has, built without its parser. */
void random_spec(struct spec *s, const struct random_spec *options, struct prng *prng);

#endif
