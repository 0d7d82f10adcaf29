#include "monitor/cuts.h"

bool cuts_is_consistent(const struct cuts *c, const uint32_t *taken)
{
    for (uint32_t p = 0; p < c->process_count; p++) {
        for (uint32_t r = c->first[p]; r < c->first[p] + taken[p]; r++) {
            for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
                const uint32_t other = c->process[c->needs[n]];
                if (c->needs[n] >= c->first[other] + taken[other]) {
                    return false;
                }
            }
            for (uint32_t other = 0; other < c->process_count; other++) {
                const uint32_t next = c->first[other] + taken[other];
                if (next < c->first[other + 1] && cuts_is_over(c, c->time[next], c->time[r])) {
                    return false;
                }
            }
        }
    }
    return true;
}
