#include "monitor/offline/time_partition.h"

static void find_times(struct time_partition *p)
{
    const struct cuts *c = p->cuts;
    int64_t latest = INT64_MIN;
    p->earliest = INT64_MAX;
    for (uint32_t r = 0; r < cuts_report_count(c); r++) {
        if (c->time[r] != INT64_MIN) {
            p->earliest = c->time[r] < p->earliest ? c->time[r] : p->earliest;
            latest = c->time[r] > latest ? c->time[r] : latest;
        }
    }
    p->range = latest < p->earliest ? 0 : (uint64_t)latest - (uint64_t)p->earliest;
}

void time_partition_init(struct time_partition *p, const struct cuts *c, uint32_t report_count,
                         struct arena *a)
{
    must(report_count > 0);
    *p = (struct time_partition){.cuts = c,
                                 .low = arena_array(a, uint32_t, c->process_count),
                                 .high = arena_array(a, uint32_t, c->process_count),
                                 .is_first = true};
    find_times(p);
    /* A bound on the number of parts, also for reports that are far apart. */
    const uint64_t part_count = 1 + cuts_report_count(c) / report_count;
    const uint64_t width = p->range / part_count + 1;
    p->width = c->skew == INT64_MAX        ? UINT64_MAX
               : width > (uint64_t)c->skew ? width
                                           : (uint64_t)c->skew + 1;
    must(p->width > 0);
}

void time_partition_release(struct time_partition *p)
{
    vec_release(&p->raised);
}

/* Whether the report is before this time, counted from the earliest. */
static bool is_before(const struct time_partition *p, uint32_t report, uint64_t time)
{
    const int64_t at = p->cuts->time[report];
    return at == INT64_MIN || (uint64_t)at - (uint64_t)p->earliest < time;
}

/* Raises the part to this many reports of the process, and to the reports that they need. */
static void raise_low(struct time_partition *p, uint32_t process, uint32_t low)
{
    const struct cuts *c = p->cuts;
    must(low <= c->first[process + 1] - c->first[process]);
    for (; p->low[process] < low; p->low[process]++) {
        const uint32_t r = c->first[process] + p->low[process];
        for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
            vec_push(&p->raised, c->needs[n]);
        }
    }
}

static void raise_needs(struct time_partition *p)
{
    while (p->raised.count > 0) {
        const uint32_t r = vec_pop(&p->raised);
        const uint32_t process = p->cuts->process[r];
        raise_low(p, process, r - p->cuts->first[process] + 1);
    }
}

/* Sets the part: everything before `over` is in it, nothing from `end` on. False when it has no
 * cuts. */
static bool set_part(struct time_partition *p, uint64_t over, uint64_t end)
{
    const struct cuts *c = p->cuts;
    for (uint32_t process = 0; process < c->process_count; process++) {
        const uint32_t count = c->first[process + 1] - c->first[process];
        uint32_t low = p->low[process];
        while (over > 0 && low < count && is_before(p, c->first[process] + low, over)) {
            low++;
        }
        raise_low(p, process, low);
    }
    raise_needs(p);
    bool has_cuts = true;
    for (uint32_t process = 0; process < c->process_count; process++) {
        const uint32_t count = c->first[process + 1] - c->first[process];
        while (p->high[process] < count &&
               (end == UINT64_MAX || is_before(p, c->first[process] + p->high[process], end))) {
            p->high[process]++;
        }
        has_cuts = has_cuts && p->low[process] <= p->high[process];
    }
    return has_cuts;
}

bool time_partition_next(struct time_partition *p)
{
    while (!p->is_over) {
        const uint64_t begin = p->begin;
        const uint64_t skew = (uint64_t)p->cuts->skew;
        /* Reports more than the skew before the part are in all its cuts. */
        const uint64_t over = p->is_first || begin <= skew ? 0 : begin - skew;
        p->is_over = p->width > p->range || begin > p->range - p->width;
        p->is_first = false;
        p->begin = begin + p->width;
        must(p->is_over || p->begin > begin);
        if (set_part(p, over, p->is_over ? UINT64_MAX : p->begin)) {
            return true;
        }
    }
    return false;
}
