#include "monitor/offline/time_filter.h"

/* Parts no shorter than the skew, and not many more than the reports of a process. */
static void divide(struct time_filter *h, const struct cuts *c)
{
    int64_t latest = INT64_MIN;
    h->earliest = INT64_MAX;
    for (uint32_t p = 0; p < c->process_count; p++) {
        if (c->first[p] < c->first[p + 1]) {
            const int64_t from = c->time[c->first[p]];
            const int64_t to = c->time[c->first[p + 1] - 1];
            h->earliest = from < h->earliest ? from : h->earliest;
            latest = to > latest ? to : latest;
        }
    }
    const uint64_t range = h->earliest > latest ? 0 : time_filter_time(h, latest);
    const uint64_t most = 1 + cuts_report_count(c) / (c->process_count + 1);
    h->width = range / most < UINT64_MAX ? range / most + 1 : UINT64_MAX;
    h->width = h->width > (uint64_t)c->skew ? h->width : (uint64_t)c->skew;
    h->width = c->skew == INT64_MAX ? UINT64_MAX : h->width;
    h->count = c->skew == INT64_MAX ? 1 : (uint32_t)(range / h->width) + 1;
    must(h->width > 0);
    must(h->count > 0);
}

/* Records that the process has this gain from the part on: the first value of a part replaces the
 * earlier one. */
static void raise_peak(int64_t *peak, uint32_t *filled, uint32_t part, int64_t gain)
{
    must(*filled <= part + 1); /* parts come in order, and none is skipped */
    must(part <= *filled);
    if (*filled <= part) {
        peak[part] = gain;
        *filled = part + 1;
    } else if (gain > peak[part]) {
        peak[part] = gain;
    }
}

static void find_peaks(const struct time_filter *h, const struct cuts *c, const int64_t *gain,
                       uint32_t process, int64_t *peak)
{
    const uint32_t count = c->first[process + 1] - c->first[process];
    const int64_t *time = c->time + c->first[process];
    const int64_t *state = gain + cuts_state(c, process, 0);
    uint32_t part = 0;
    uint32_t filled = 0;
    uint64_t end = h->width;
    raise_peak(peak, &filled, 0, state[0]);
    for (uint32_t i = 0; i < count; i++) {
        if (state[i + 1] == state[i]) {
            continue;
        }
        while (part + 1 < h->count && time_filter_time(h, time[i]) >= end) {
            raise_peak(peak, &filled, ++part, state[i]);
            end += h->width;
        }
        raise_peak(peak, &filled, part, state[i + 1]);
    }
    while (++part < h->count) {
        raise_peak(peak, &filled, part, state[count]);
    }
    must(filled == h->count);
}

void time_filter_build(struct time_filter *h, const struct cuts *c,
                       const struct cuts_wanted *wanted, struct arena *scratch)
{
    divide(h, c);
    int64_t *bound = arena_array(scratch, int64_t, h->count);
    int64_t *peak = arena_array(scratch, int64_t, h->count);
    bool *is_hot = arena_array(scratch, bool, h->count);
    bool *is_forbidden = arena_array(scratch, bool, h->count);
    for (uint32_t p = 0; p < c->process_count; p++) {
        find_peaks(h, c, wanted->gain, p, peak);
        for (uint32_t i = 0; i < h->count; i++) {
            const int64_t best = i > 0 && peak[i - 1] > peak[i] ? peak[i - 1] : peak[i];
            is_forbidden[i] = is_forbidden[i] || best == CUTS_FORBIDDEN;
            bound[i] += best == CUTS_FORBIDDEN ? 0 : best;
        }
    }
    for (uint32_t i = 0; i < h->count; i++) {
        is_hot[i] = !is_forbidden[i] && bound[i] >= wanted->least;
    }
    h->is_hot = is_hot;
}

/* The largest number of parts at once: the first of them may be enough. */
enum { ROW_MAX = 16 };

bool time_filter_next(const struct time_filter *h, uint32_t *at, struct time_filter_span *span)
{
    while (*at < h->count && !h->is_hot[*at]) {
        (*at)++;
    }
    const uint32_t from = *at;
    while (*at < h->count && h->is_hot[*at] && *at - from < ROW_MAX) {
        (*at)++;
    }
    span->from = from * h->width;
    span->until = *at >= h->count ? UINT64_MAX : *at * h->width;
    must(from >= h->count || span->until == UINT64_MAX || span->from < span->until);
    return from < h->count;
}
