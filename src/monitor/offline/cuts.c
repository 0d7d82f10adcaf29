#include "monitor/offline/cuts.h"

static bool has_needs(const struct cuts *c, const uint32_t *taken, uint32_t process)
{
    const uint32_t from = c->need_first[c->first[process]];
    const uint32_t end = c->need_first[c->first[process] + taken[process]];
    must(from <= end);
    for (uint32_t n = from; n < end; n++) {
        const uint32_t other = c->process[c->needs[n]];
        if (c->needs[n] >= c->first[other] + taken[other]) {
            return false;
        }
    }
    return true;
}

bool cuts_is_consistent(const struct cuts *c, const uint32_t *taken)
{
    int64_t latest = INT64_MIN;
    for (uint32_t p = 0; p < c->process_count; p++) {
        must(taken[p] <= c->first[p + 1] - c->first[p]);
        if (!has_needs(c, taken, p)) {
            return false;
        }
        if (taken[p] > 0 && c->time[c->first[p] + taken[p] - 1] > latest) {
            latest = c->time[c->first[p] + taken[p] - 1];
        }
    }
    for (uint32_t p = 0; p < c->process_count; p++) {
        const uint32_t next = c->first[p] + taken[p];
        if (next < c->first[p + 1] && cuts_is_over(c, c->time[next], latest)) {
            return false;
        }
    }
    return true;
}
