/* Cuts where reports are missing. */
#include "monitor/chronicle.h"

/* Whether all other processes have done, in the cut, what was over by this time whatever the
 * clocks. */
static bool others_are_past(const struct chronicle *h, const uint32_t *taken, const struct gap *g)
{
    const struct cuts *c = &h->cuts;
    for (uint32_t p = 0; p < c->process_count; p++) {
        const uint32_t next = c->first[p] + taken[p];
        if (p != g->process && next < c->first[p + 1] && !cuts_is_over(c, g->end, c->time[next])) {
            return false;
        }
    }
    return true;
}

static bool has_orphan(const struct chronicle *h, const uint32_t *taken, const struct gap *g)
{
    const struct cuts *c = &h->cuts;
    vec_each (&h->orphans, orphan) {
        const uint32_t end = c->first[orphan->process] + taken[orphan->process];
        if (taken[orphan->process] > 0 && h->reports[end - 1].event >= orphan->event &&
            !cuts_is_over(c, orphan->time, g->begin)) {
            return true;
        }
    }
    return false;
}

/* A missing receive wants its send, which was no later than the skew after the gap; a missing send
 * is wanted by a receive that has none. */
bool chronicle_is_certain(const struct chronicle *h, const uint32_t *taken)
{
    vec_each (&h->gaps, gap) {
        const uint32_t end = h->cuts.first[gap->process] + taken[gap->process];
        const bool is_past = end > gap->report + 1;
        if (is_past ? !others_are_past(h, taken, gap) : has_orphan(h, taken, gap)) {
            return false;
        }
    }
    return true;
}
