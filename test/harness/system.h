/* Simulated systems inside a test, and the results of their runs. */
#ifndef CLEW_TEST_SYSTEM_H
#define CLEW_TEST_SYSTEM_H

#include "sim/sim.h"
#include "wire/prng.h"
#include "world/recipe.h"
#include "world/world.h"

/* Opens the system, which must be well described; NULL net: as it says. */
struct world *system_open(const struct clew_system *system, const char *net);

/* Runs the plan; the system's violations are results. */
void system_run(struct world *w, const struct plan *p, struct execution *x);

/* Runs the system at random until it breaks; false when it does not in a few hundred runs. p is the
 * plan of the last run. */
bool system_break(struct world *w, struct plan *p, struct prng *prng, struct execution *x);

/* The run as its schedule would say it, all steps, a line each; freed with mem_free. */
char *system_steps(struct world *w, const struct execution *x);

/* The schedule of the execution; freed with mem_free. */
char *system_schedule(struct world *w, const struct plan *p, const struct execution *x);

/* The plan of the execution as its schedule says it. */
void system_recipe(struct world *w, const struct plan *p, const struct execution *x,
                   struct recipe *r);

/* A system's `shrink`: the payload of a request without its index-th byte. */
bool system_leave_one_out(const struct clew_message *m, uint32_t index, void *bytes, size_t *size);

#endif
