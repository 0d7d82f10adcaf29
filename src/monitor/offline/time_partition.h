/* A partition of a run in time into parts that together have all its cuts, for methods whose cost
 * grows faster than the run.
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
 * Every cut is in the part with the time of its latest report: all reports that precede the part by
 * more than the skew are in it, all reports after its end are not. So parts share the reports
 * within the skew. */
#ifndef CLEW_MONITOR_OFFLINE_TIME_PARTITION_H
#define CLEW_MONITOR_OFFLINE_TIME_PARTITION_H

#include "base/vec.h"
#include "monitor/offline/cuts.h"

struct time_partition {
    const struct cuts *cuts;
    uint32_t *low;  /* per process: every cut of the part has at least these, ... */
    uint32_t *high; /* ... and at most these */
    int64_t earliest;
    uint64_t width;         /* of a part; UINT64_MAX: there is only one */
    uint64_t range;         /* from the earliest report to the latest */
    uint64_t begin;         /* of the next part, counted from the earliest */
    bool is_first, is_over; /* no part was returned yet; all were */
    VEC(uint32_t) raised;   /* reports of the part whose needs are still to be added */
};

/* Parts with about `report_count` reports each, unless more are within the skew of each other. */
void time_partition_init(struct time_partition *p, const struct cuts *c, uint32_t report_count,
                         struct arena *a);
void time_partition_release(struct time_partition *p);

/* The next part that can have cuts; false when there is none. All of them take O(reports +
 * messages + parts * processes). */
bool time_partition_next(struct time_partition *p);

#endif
