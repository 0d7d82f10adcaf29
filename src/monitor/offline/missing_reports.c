/* Cuts where reports are missing. */
#include "monitor/offline/state_history.h"

/* The time of the latest report in the cut. */
static int64_t latest_of(const struct state_history *h, const uint32_t *taken)
{
    const struct cuts *c = &h->cuts;
    int64_t latest = INT64_MIN;
    for (uint32_t p = 0; p < c->process_count; p++) {
        const int64_t before = h->base == NULL ? INT64_MIN : h->base->last[p].time;
        const int64_t time = taken[p] > 0 ? c->time[c->first[p] + taken[p] - 1] : before;
        latest = time > latest ? time : latest;
    }
    return latest;
}

/* The latest possible send time of a missing receive that is in the cut: at most the skew later. If
 * the cut has passed the gap, it has all of its receives; else those that certainly precede its
 * latest report. INT64_MIN when there is none. */
static int64_t sent_by(const struct state_history *h, const struct gap *g, bool is_past,
                       int64_t latest)
{
    const struct cuts *c = &h->cuts;
    const int64_t end = g->end > INT64_MAX - c->skew ? INT64_MAX : g->end + c->skew;
    if (is_past || !cuts_is_over(c, g->begin, latest)) {
        return is_past ? end : INT64_MIN;
    }
    return end < latest ? end : latest - 1;
}

/* Whether the cut has all reports of the other processes up to this time. */
static bool others_are_past(const struct state_history *h, const uint32_t *taken, uint32_t process,
                            int64_t time)
{
    const struct cuts *c = &h->cuts;
    for (uint32_t p = 0; p < c->process_count; p++) {
        const uint32_t next = c->first[p] + taken[p];
        if (p != process && next < c->first[p + 1] && c->time[next] <= time) {
            return false;
        }
    }
    return true;
}

static bool has_orphan(const struct state_history *h, const uint32_t *taken, const struct gap *g)
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

/* A missing receive needs its send, so every process must have passed it; a receive without a send
 * may need a missing send. */
bool state_history_is_certain(const struct state_history *h, const uint32_t *taken)
{
    const int64_t latest = h->gaps.count > 0 ? latest_of(h, taken) : INT64_MIN;
    vec_each (&h->gaps, gap) {
        const uint32_t end = h->cuts.first[gap->process] + taken[gap->process];
        const bool is_past = end > gap->report + 1;
        const int64_t sent = sent_by(h, gap, is_past, latest);
        if ((sent > INT64_MIN && !others_are_past(h, taken, gap->process, sent)) ||
            (!is_past && has_orphan(h, taken, gap))) {
            return false;
        }
    }
    return true;
}
