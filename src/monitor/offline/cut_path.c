#include "monitor/offline/cut_path.h"

#include <string.h>

bool walk_has_unit_steps(const struct cuts *c, const int64_t *gain)
{
    for (uint32_t p = 0; p < c->process_count; p++) {
        const uint32_t last = cuts_state(c, p, c->first[p + 1] - c->first[p]);
        uint32_t i = cuts_state(c, p, 0);
        while (i < last && gain[i] == CUTS_FORBIDDEN) {
            i++;
        }
        for (; i < last; i++) {
            if (gain[i + 1] == CUTS_FORBIDDEN || gain[i + 1] - gain[i] > 1 ||
                gain[i] - gain[i + 1] > 1) {
                return false;
            }
        }
    }
    return true;
}

static int64_t sum_of(const struct cuts *c, const int64_t *gain, const uint32_t *taken)
{
    int64_t sum = 0;
    for (uint32_t p = 0; p < c->process_count; p++) {
        sum += gain[cuts_state(c, p, taken[p])];
    }
    return sum;
}

/* Whether the next report of the process can be taken by itself. */
static bool can_take(const struct cuts *c, const uint32_t *taken, uint32_t process)
{
    const uint32_t r = c->first[process] + taken[process];
    for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
        const uint32_t other = c->process[c->needs[n]];
        if (c->needs[n] >= c->first[other] + taken[other]) {
            return false;
        }
    }
    for (uint32_t p = 0; p < c->process_count; p++) {
        const uint32_t next = c->first[p] + taken[p];
        if (p != process && next < c->first[p + 1] && cuts_is_over(c, c->time[next], c->time[r])) {
            return false;
        }
    }
    return true;
}

/* A process whose next report can be taken on the path to `end`; process_count when there is none.
 * The search starts at `from`, so that every process is served. */
static uint32_t find_next(const struct cuts *c, const uint32_t *taken, const uint32_t *end,
                          uint32_t from)
{
    for (uint32_t i = 0; i < c->process_count; i++) {
        const uint32_t p = (from + i) % c->process_count;
        if (taken[p] < end[p] && can_take(c, taken, p)) {
            return p;
        }
    }
    return c->process_count;
}

static bool walk_up(const struct cuts *c, const struct walk *w, uint32_t *taken,
                    const uint32_t *end)
{
    int64_t sum = sum_of(c, w->gain, taken);
    uint32_t p = 0;
    while (sum != w->wanted && (p = find_next(c, taken, end, p)) < c->process_count) {
        const int64_t before = w->gain[cuts_state(c, p, taken[p])];
        taken[p]++;
        sum += w->gain[cuts_state(c, p, taken[p])] - before;
    }
    return sum == w->wanted;
}

bool walk_to_sum(const struct cuts *c, const struct walk *w, uint32_t *taken, struct arena *scratch)
{
    const struct arena_mark mark = arena_mark(scratch);
    uint32_t *both = arena_array(scratch, uint32_t, c->process_count);
    for (uint32_t p = 0; p < c->process_count; p++) {
        both[p] = w->low[p] > w->high[p] ? w->low[p] : w->high[p];
    }
    memmove(taken, w->low, c->process_count * sizeof *taken);
    bool is_found = walk_up(c, w, taken, both);
    if (!is_found) {
        memmove(taken, w->high, c->process_count * sizeof *taken);
        is_found = walk_up(c, w, taken, both);
    }
    arena_reset(scratch, mark);
    return is_found;
}
