/* The cuts of an execution: for each process, the number of its reports that a single moment could
 * have seen.
 *
 *     p1  --w----s------w-->        cut {2, 1}: p1 has sent, p2 has received
 *     p2  -----------r----->
 *
 * A report is a relevant event of a process: a variable changes, a message is sent or received.
 * With every report a cut has
 *
 *     - the earlier reports of its process,
 *     - the sends of the messages it receives,
 *     - the reports whose clocks were behind its own by more than the skew.
 *
 * All three have the form "this report implies that one", so cuts are closed under union and
 * intersection. Hence a least cut with a conjunctive predicate exists, and a minimum cut finds the
 * best one.
 *
 * A process with n reports has n + 1 states, before, between and after them. Functions of states
 * are arrays over all of them, process by process: cuts_state returns the index. */
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
    const uint32_t *needs;      /* reports that must have happened before it */
    int64_t skew; /* the largest difference of two clocks; not negative; INT64_MAX: clocks say
                     nothing */
};

static inline uint32_t cuts_report_count(const struct cuts *c)
{
    return c->first[c->process_count];
}

static inline uint32_t cuts_state_count(const struct cuts *c)
{
    return cuts_report_count(c) + c->process_count;
}

/* The state of a process after `taken` of its reports. */
static inline uint32_t cuts_state(const struct cuts *c, uint32_t process, uint32_t taken)
{
    return c->first[process] + process + taken;
}

/* Whether an event at the early time certainly precedes one at the late time, for all clocks within
 * the skew. False where clocks say nothing, even for events without a time (INT64_MIN). */
static inline bool cuts_is_over(const struct cuts *c, int64_t early, int64_t late)
{
    return c->skew != INT64_MAX && late > early &&
           (uint64_t)late - (uint64_t)early > (uint64_t)c->skew;
}

/* Raises `taken`, the reports taken per process, to the least cut not below it in which the state
 * of every process is allowed. False when there is none; `taken` is then undefined. O(reports taken
 * * log processes). */
bool cuts_least(const struct cuts *c, const uint8_t *allowed, uint32_t *taken,
                struct arena *scratch);

/* A pseudo gain: the state must not be in the cut. */
#define CUTS_FORBIDDEN INT64_MIN

/* The request to cuts_most. */
struct cuts_wanted {
    const int64_t *gain;       /* per state; their total, times the processes, fits 60 bits */
    int64_t least;             /* the least acceptable sum */
    bool wants_most;           /* the largest sum; else any acceptable one */
    uint32_t window_min;       /* the least number of reports in a window; 0: 64 */
    struct limit_watch *watch; /* NULL: no limit */
};

/* Finds a cut by its sum of gains; sets `sum` and `taken` when there is one. False is inconclusive
 * once the watch has expired. */
bool cuts_most(const struct cuts *c, const struct cuts_wanted *wanted, int64_t *sum,
               uint32_t *taken, struct arena *scratch);

/* Whether `taken` is a cut. O(reports taken + processes). */
bool cuts_is_consistent(const struct cuts *c, const uint32_t *taken);

#endif
