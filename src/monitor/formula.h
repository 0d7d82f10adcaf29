/* A clause as a formula for libz3: after Tekken Valapil et al. (2017), section 6, with the skew on
 * physical time and every state, the last ones too, within reach.
 *
 * Per process two integers: how many reports are taken, and the time on its clock, which is not
 * before the last report taken and not after the next. */
#ifndef CLEW_MONITOR_FORMULA_H
#define CLEW_MONITOR_FORMULA_H

#include "monitor/decide.h"
#include "monitor/permits.h"

struct formula_question {
    const struct linear *sums; /* all of them hold ... */
    size_t sum_count;
    const struct permits *permits; /* ... in permitted states */
    struct solve_budget budget;
};

struct decision formula_decide(struct chronicle *h, const struct formula_question *q,
                               uint32_t *taken);

#endif
