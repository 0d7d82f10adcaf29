/* When a failing run was lost: of the runs that take its first steps and draw the rest at random,
 * the share that fails in the same way, for more and more first steps.
 *
 *     struct likelihood l = {0};
 *     if (likelihood_measure(w, &plan, &failing, &options, &l, e) < 0) { ... }
 *     const struct likelihood_point *jump = likelihood_jump(&l);
 *     likelihood_release(&l);
 *
 *     share  100 % |              ......
 *                  |              :
 *              8 % |..............:
 *                  +---------------------- first steps
 *                                 the jump: this step lost the run
 *
 * The first steps are sampled; where the share rises most, the sample is refined to single steps.
 */
#ifndef CLEW_HUNT_LIKELIHOOD_H
#define CLEW_HUNT_LIKELIHOOD_H

#include "base/limit.h"
#include "world/world.h"

enum { LIKELIHOOD_RUNS_DEFAULT = 40 };

struct likelihood_options {
    uint32_t runs_each;        /* runs for each point; 0: LIKELIHOOD_RUNS_DEFAULT */
    const struct limit *limit; /* of all the runs, and of their time */
};

/* `failed` of `runs` runs with these first steps fail. */
struct likelihood_point {
    uint32_t step_count;
    uint32_t failed, runs;
};

/* {0} is empty. */
struct likelihood {
    VEC(struct likelihood_point) points; /* in ascending order of step_count, with equal runs */
    uint64_t run_count;
    bool is_cut; /* the limit ended the measurement */
};

/* Runs of up to twice the steps of the failing run count, under its plan, which must be a
 * violation's. The same failure is one of the same key. The seed of the plan decides the draws.
 * Fails when the world breaks. O(runs_each * (34 + log2(steps)) runs). */
MUST_USE int likelihood_measure(struct world *w, const struct plan *plan,
                                const struct execution *failing, const struct likelihood_options *o,
                                struct likelihood *l, struct err *e);
void likelihood_release(struct likelihood *l);

/* The point where the share rises most over the point before it, NULL where it never rises. */
const struct likelihood_point *likelihood_jump(const struct likelihood *l);

#endif
