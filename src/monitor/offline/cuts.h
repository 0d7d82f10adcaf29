/* The cuts of an execution: for each process, how many of its reports a single moment could have
 * seen.
 *
 *     p1  --w----s------w-->        cut {2, 1}: p1 has sent, p2 has received
 *     p2  -----------r----->
 *
 * A report is an event of a process that matters: a variable changes, a message is sent or
 * received. With every report a cut has
 *
 *     - the earlier reports of its process,
 *     - the sends of what it receives,
 *     - the reports whose clocks were behind its own by more than the skew.
 *
 * All three say "with this report comes that one", so cuts are closed under union and intersection:
 * there is a least one with what is asked for, and a best one can be found by a minimum cut.
 *
 * A process with n reports has n + 1 states, before, between and after them. Functions of states
 * are arrays over all of them, process by process: cuts_state says where. */
#ifndef CLEW_MONITOR_OFFLINE_CUTS_H
#define CLEW_MONITOR_OFFLINE_CUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/limit.h"

struct cuts {
    uint32_t process_count;
    const uint32_t *first;      /* per process, and one more: its reports are first[p] .. */
    const int64_t *time;        /* per report; never falls within a process */
    const uint32_t *process;    /* per report */
    const uint32_t *need_first; /* per report, and one more: its part of needs */
    const uint32_t *needs;      /* reports without which it cannot have happened */
    int64_t skew; /* clocks differ by at most so much; not negative; INT64_MAX: they say nothing */
};

static inline uint32_t cuts_report_count(const struct cuts *c)
{
    return c->first[c->process_count];
}

static inline uint32_t cuts_state_count(const struct cuts *c)
{
    return cuts_report_count(c) + c->process_count;
}

/* The state of a process after so many of its reports. */
static inline uint32_t cuts_state(const struct cuts *c, uint32_t process, uint32_t taken)
{
    return c->first[process] + process + taken;
}

/* Whether what happened at the early time was over at the late one, whatever the clocks. Where
 * clocks say nothing it never was, not even what has no time (INT64_MIN). */
static inline bool cuts_is_over(const struct cuts *c, int64_t early, int64_t late)
{
    return c->skew != INT64_MAX && late > early &&
           (uint64_t)late - (uint64_t)early > (uint64_t)c->skew;
}

/* Raises `taken`, the reports taken per process, to the least cut not below it in which every
 * process is in a state that is allowed. False when there is none; `taken` is then of no use.
 * O(reports taken * log processes). */
bool cuts_least(const struct cuts *c, const uint8_t *allowed, uint32_t *taken,
                struct arena *scratch);

/* Not a gain: the state must not be in the cut. */
#define CUTS_FORBIDDEN INT64_MIN

/* What is asked of cuts_most. */
struct cuts_wanted {
    const int64_t *gain;       /* per state; all together, times the processes, they fit 60 bits */
    int64_t least;             /* cuts with a smaller sum are not wanted */
    bool wants_most;           /* the largest sum; else any that is large enough */
    uint32_t window_min;       /* reports that are looked at together, at least; 0: 64 */
    struct limit_watch *watch; /* NULL: no limit */
};

/* Finds a cut by its sum of gains; `sum` and `taken` are set when there is one. False says nothing
 * once the watch is over. */
bool cuts_most(const struct cuts *c, const struct cuts_wanted *wanted, int64_t *sum,
               uint32_t *taken, struct arena *scratch);

/* Whether `taken` is a cut. O(reports taken + processes). */
bool cuts_is_consistent(const struct cuts *c, const uint32_t *taken);

#endif
