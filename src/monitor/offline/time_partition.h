/* A run in parts that together have all its cuts, for methods whose cost grows faster than the run.
 *
 *     struct time_partition partition;
 *     time_partition_init(&partition, c, report_count, scratch);
 *     while (time_partition_next(&partition)) {
 *         ... cuts with at least partition.low[p] reports of process p,
 *             and at most partition.high[p] ...
 *     }
 *     time_partition_release(&partition);
 *
 *            | skew |   part   | skew |   part   |
 *     -------+------+----------+------+----------+--> time
 *     all in |   within reach  |  all out
 *
 * Every cut is in the part with the time of its latest report: what was over by the beginning of
 * the part is in it, what comes after its end is not. So parts share what is within the skew. */
#ifndef CLEW_MONITOR_OFFLINE_TIME_PARTITION_H
#define CLEW_MONITOR_OFFLINE_TIME_PARTITION_H

#include "base/vec.h"
#include "monitor/offline/cuts.h"

struct time_partition {
    const struct cuts *cuts;
    uint32_t *low;  /* per process: every cut of the part has these, ... */
    uint32_t *high; /* ... and no more than those */
    int64_t earliest;
    uint64_t width;         /* of a part; UINT64_MAX: there is only one */
    uint64_t range;         /* from the earliest report to the latest */
    uint64_t begin;         /* of the part to come, counted from the earliest */
    bool is_first, is_over; /* no part was given yet; all were */
    VEC(uint32_t) raised;   /* reports that are in the part, and what they need with them */
};

/* Parts with some `report_count` reports each, unless more are within the skew of each other. */
void time_partition_init(struct time_partition *p, const struct cuts *c, uint32_t report_count,
                         struct arena *a);
void time_partition_release(struct time_partition *p);

/* The next part that can have cuts; false when there is none. All of them take O(reports +
 * messages + parts * processes). */
bool time_partition_next(struct time_partition *p);

#endif
