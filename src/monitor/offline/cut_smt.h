/* Cuts as integers of a solver's problem: after Tekken Valapil et al. (2017), section 6, with the
 * skew on physical time and every state, the last ones too, within reach.
 *
 *     struct cut_smt w = {.problem = &problem, .cuts = &h->cuts};
 *     cut_smt_build(&w, &(struct cut_smt_range){low, high}, is_packed, scratch);
 *     problem_add(&problem, cut_smt_at_least(&w, process, 3));      it has taken 3 reports or more
 *     taken[process] = cut_smt_taken(&w, model, process);
 *
 * Two integers stand for a process: the number of reports that the cut takes, and the time on its
 * clock, which lies between the last report taken and the next.
 *
 * The packed encoding, as published, needs one integer. A report at time t that is the c-th of its
 * process at that time, c from 0 to c_max, has the number t * 2 (c_max + 1) + c. The process has
 * taken the reports up to its own number. Two processes are within the skew when their numbers
 * differ by at most skew * 2 (c_max + 1) + c_max + 1. The factor of two separates allowed from
 * forbidden differences for all counters. */
#ifndef CLEW_MONITOR_OFFLINE_CUT_SMT_H
#define CLEW_MONITOR_OFFLINE_CUT_SMT_H

#include "monitor/offline/cuts.h"
#include "solve/problem.h"

struct cut_smt {
    struct problem *problem;
    const struct cuts *cuts;
    const uint32_t *low,
        *high;       /* per process: the least and the greatest number of reports in a cut */
    int64_t no_time; /* the time that stands for a report without one */
    bool is_packed;
    const int64_t *key;       /* packed: per report its number, ... */
    int64_t key_min, key_max; /* ... below and above which no process is, */
    int64_t apart;            /* and by which two may differ */
};

struct cut_smt_range {
    const uint32_t *low, *high; /* per process; outlive the encoding */
};

/* Adds the cuts of w->cuts within the range to w->problem, which is empty. Packs them when asked
 * and when all reports have times that are not too large. O(reports + messages + processes^2). */
void cut_smt_build(struct cut_smt *w, const struct cut_smt_range *range, bool is_packed,
                   struct arena *a);

/* The process has taken fewer, or at least, the stated number of reports. */
struct solve_atom cut_smt_fewer(const struct cut_smt *w, uint32_t process, uint32_t than);
struct solve_atom cut_smt_at_least(const struct cut_smt *w, uint32_t process, uint32_t wanted);

/* How many reports the process has taken in a model of the problem. */
uint32_t cut_smt_taken(const struct cut_smt *w, const int64_t *model, uint32_t process);

#endif
