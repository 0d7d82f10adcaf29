/* A time filter: the intervals in which a sum of gains could be large enough. It excludes most of a
 * run, which then needs no sort and no search.
 *
 *     struct time_filter hot;
 *     time_filter_build(&hot, c, &wanted, scratch);
 *     uint32_t at = 0;
 *     while (time_filter_next(&hot, &at, &span)) { ... cuts whose latest report is in it ... }
 *
 * Time is divided into parts that are no shorter than the skew. All states of a cut whose latest
 * report is in one part overlap it or the part before. So the sum is at most that of the best of
 * these states. */
#ifndef CLEW_MONITOR_OFFLINE_TIME_FILTER_H
#define CLEW_MONITOR_OFFLINE_TIME_FILTER_H

#include "monitor/offline/cuts.h"

struct time_filter {
    int64_t earliest; /* times count from here */
    uint64_t width;
    uint32_t count;
    const bool *is_hot; /* per part */
};

/* An interval from this time up to and without that one, counted from the earliest; the last part
 * has no end. */
struct time_filter_span {
    uint64_t from, until;
};

/* O(reports). */
void time_filter_build(struct time_filter *h, const struct cuts *c,
                       const struct cuts_wanted *wanted, struct arena *scratch);

/* The next parts in a row that could be good enough, from *at on; false when there are none. */
bool time_filter_next(const struct time_filter *h, uint32_t *at, struct time_filter_span *span);

static inline uint64_t time_filter_time(const struct time_filter *h, int64_t time)
{
    return (uint64_t)time - (uint64_t)h->earliest;
}

#endif
