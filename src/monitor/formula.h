/* A clause as a formula for libz3: after Tekken Valapil et al. (2017), section 6, with the skew on
 * physical time and every state, the last ones too, within reach.
 *
 * Per process two integers: how many reports are taken, and the time on its clock, which is not
 * before the last report taken and not after the next.
 *
 * Packed, as published, one: a report at time t that is the c-th of its process at that time, c
 * from 0 to the largest there is, has the number t * 2 (c_max + 1) + c, and the process has taken
 * those up to its own number. Two processes are within the skew when their numbers differ by no
 * more than skew * 2 (c_max + 1) + c_max + 1: the factor of two keeps what is allowed and what is
 * not apart, whatever the counters. */
#ifndef CLEW_MONITOR_FORMULA_H
#define CLEW_MONITOR_FORMULA_H

#include "monitor/decide.h"
#include "monitor/permits.h"

struct formula_question {
    const struct linear *sums; /* of numbers that fit (gains_fit); all of them hold ... */
    size_t sum_count;
    const struct permits *permits; /* ... in permitted states */
    struct solve_budget budget;
    bool is_packed; /* if all reports have times, and the numbers are not too large */
};

/* Decides the whole as one formula. */
struct decision formula_decide(struct chronicle *h, const struct formula_question *q,
                               uint32_t *taken);

/* The same, part by part (portions.h) with some `report_count` reports each; parts in which no
 * state can be good enough are not asked for. The budget is for all of them. */
struct decision formula_decide_parts(struct chronicle *h, const struct formula_question *q,
                                     uint32_t report_count, uint32_t *taken);

/* Writes it as a script of SMT-LIB. */
MUST_USE int formula_write(struct chronicle *h, const struct formula_question *q, const char *path,
                           struct err *e);

#endif
