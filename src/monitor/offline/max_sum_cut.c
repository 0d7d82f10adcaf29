/* The cut with the largest sum of gains.
 *
 * The weight of a report is its contribution to the sum, and "this report implies that one" is an
 * edge. So the best cut is a closure of maximum weight, which is a minimum cut of a network
 * (Picard, 1976). The skew would need an edge for each pair of reports; a chain through the reports
 * by time expresses the same with one edge each:
 *
 *     report r  -->  c(j)  -->  c(j-1)  -->  ...        c(j): the first j reports by time
 *                     |           |
 *                     v           v
 *                 the j-th    the (j-1)th
 *
 * The latest report of a cut determines, up to twice the skew, which others are in it. So the
 * search moves a window over time: earlier reports are in, later ones are out, and each network has
 * only the reports between. A time filter (time_filter.h) excludes times at which no sum can be
 * large enough. A window whose best states together are not good enough needs no network.
 *
 * The best state of a process alone results when later gains are set off against earlier losses.
 * That part of the flow is known at once. So the flow algorithm only computes how much messages and
 * clocks take away from the best states, and stops when the window is not good enough. */
#include <string.h>

#include "monitor/offline/cuts.h"
#include "monitor/offline/max_flow.h"
#include "monitor/offline/time_filter.h"

/* The least number of reports in a window, so that many small windows do not cost more than one. */
enum { WINDOW_MIN_DEFAULT = 64 };

/* A report of a window, in the network. */
struct step {
    int64_t weight;  /* its contribution to the sum */
    int64_t flowing; /* the part of it that is set off within the process */
    int64_t carried; /* the amount set off between it or later ones and earlier ones */
};

struct search {
    const struct cuts *cuts;
    const struct cuts_wanted *wanted;
    struct arena *scratch;
    struct flow flow;
    int64_t forbidden; /* the value of a forbidden state: no sum makes up for it */
    struct time_filter hot;
    uint32_t *by_time;      /* reports of the current span, */
    uint32_t *other;        /* scratch memory to sort them, */
    uint32_t count;         /* and their number */
    uint32_t *rank;         /* per report of the span: its place in by_time; of later ones: none */
    uint32_t *over;         /* per rank: the number of reports that certainly precede it */
    uint32_t *base;         /* per process: reports before the window */
    VEC(uint32_t) owed;     /* reports that earlier reports need and that are within the skew */
    int64_t *setoff;        /* per process: losses that no later gain is set off against yet */
    VEC(struct step) steps; /* of the reports of the window */
    uint32_t low, high;     /* the window: ranks low .. high-1 */
    int64_t base_sum;
    bool is_found;
    int64_t sum;
    uint32_t *taken;
};

static int64_t gain_of(const struct search *s, uint32_t process, uint32_t taken)
{
    const int64_t gain = s->wanted->gain[cuts_state(s->cuts, process, taken)];
    return gain == CUTS_FORBIDDEN ? s->forbidden : gain;
}

/* A value above the total of all gains. */
static int64_t find_forbidden(const struct search *s)
{
    uint64_t total = 1;
    for (uint32_t i = 0; i < cuts_state_count(s->cuts); i++) {
        const int64_t gain = s->wanted->gain[i];
        if (gain != CUTS_FORBIDDEN) {
            total += gain < 0 ? -(uint64_t)gain : (uint64_t)gain;
        }
    }
    must(total < (UINT64_C(1) << 60) / (s->cuts->process_count + 1));
    return -2 * (int64_t)total;
}

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* A digit of the distance of the report from the earliest. */
static uint32_t digit_of(const struct search *s, uint32_t r, uint32_t shift)
{
    return (uint32_t)(time_filter_time(&s->hot, s->cuts->time[r]) >> shift) % DIGITS;
}

/* Radix sort, least digit first: stable, so it keeps the order of reports of one time, and so of
 * one process. `differing` has the bits in which their times differ. */
static void sort_by_time(struct search *s, uint64_t differing)
{
    for (uint32_t shift = 0; shift < 64 && differing >> shift != 0; shift += DIGIT_BITS) {
        uint32_t place[DIGITS + 1] = {0};
        for (uint32_t i = 0; i < s->count; i++) {
            place[1 + digit_of(s, s->by_time[i], shift)]++;
        }
        for (uint32_t digit = 0; digit < DIGITS; digit++) {
            place[digit + 1] += place[digit];
        }
        must(place[DIGITS] == s->count);
        for (uint32_t i = 0; i < s->count; i++) {
            s->other[place[digit_of(s, s->by_time[i], shift)]++] = s->by_time[i];
        }
        uint32_t *sorted = s->other;
        s->other = s->by_time;
        s->by_time = sorted;
    }
}

static void search_init(struct search *s)
{
    const struct cuts *c = s->cuts;
    const uint32_t count = cuts_report_count(c);
    s->forbidden = find_forbidden(s);
    must(s->forbidden < 0);
    time_filter_build(&s->hot, c, s->wanted, s->scratch);
    s->by_time = arena_array(s->scratch, uint32_t, count);
    s->other = arena_array(s->scratch, uint32_t, count);
    s->rank = arena_array(s->scratch, uint32_t, count);
    s->over = arena_array(s->scratch, uint32_t, count);
    s->base = arena_array(s->scratch, uint32_t, c->process_count);
    s->setoff = arena_array(s->scratch, int64_t, c->process_count);
    memset(s->rank, 0xff, count * sizeof *s->rank);
    for (uint32_t p = 0; p < c->process_count; p++) {
        s->base_sum += gain_of(s, p, 0);
    }
}

/* Whether the report is before the window. */
static bool is_before(const struct search *s, uint32_t r)
{
    const uint32_t p = s->cuts->process[r];
    return r < s->cuts->first[p] + s->base[p];
}

/* Moves the next report of the process before the window. */
static void pass(struct search *s, uint32_t p)
{
    const struct cuts *c = s->cuts;
    const uint32_t r = c->first[p] + s->base[p];
    must(r < c->first[p + 1]);
    s->base_sum += gain_of(s, p, s->base[p] + 1) - gain_of(s, p, s->base[p]);
    s->base[p]++;
    for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
        vec_push(&s->owed, c->needs[n]);
    }
}

static void settle_owed(struct search *s)
{
    size_t kept = 0;
    vec_each (&s->owed, r) {
        if (!is_before(s, *r)) {
            s->owed.at[kept++] = *r;
        }
    }
    s->owed.count = kept;
}

/* Moves all reports of a lower rank before the window. */
static void move_low(struct search *s, uint32_t low)
{
    must(low <= s->high);
    for (; s->low < low; s->low++) {
        pass(s, s->cuts->process[s->by_time[s->low]]);
    }
    settle_owed(s);
}

/* Gathers the reports within reach of the span, up to its end. */
static void begin_span(struct search *s, const struct time_filter_span *span)
{
    const struct cuts *c = s->cuts;
    const uint64_t skew = (uint64_t)c->skew;
    const uint64_t from = span->from > skew ? span->from - skew : 0;
    uint64_t differing = 0;
    s->count = s->low = s->high = 0;
    for (uint32_t p = 0; p < c->process_count; p++) {
        uint32_t r = c->first[p] + s->base[p];
        for (; r < c->first[p + 1] && time_filter_time(&s->hot, c->time[r]) < from; r++) {
            pass(s, p);
        }
        for (; r < c->first[p + 1] &&
               (span->until == UINT64_MAX || time_filter_time(&s->hot, c->time[r]) < span->until);
             r++) {
            s->by_time[s->count++] = r;
            differing |= time_filter_time(&s->hot, c->time[r]);
        }
    }
    must(s->count <= cuts_report_count(c));
    sort_by_time(s, differing);
    uint32_t over = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        s->rank[s->by_time[i]] = i;
        while (cuts_is_over(c, c->time[s->by_time[over]], c->time[s->by_time[i]])) {
            over++;
        }
        must(over <= i); /* no report is over before itself */
        s->over[i] = over;
    }
}

static uint32_t report_node(const struct search *s, uint32_t rank)
{
    must(rank >= s->low);
    must(rank < s->high);
    return FLOW_FIRST + rank - s->low;
}

/* The chain node of the first `count` reports by time; count > low. */
static uint32_t chain_node(const struct search *s, uint32_t count)
{
    must(count > s->low);
    return FLOW_FIRST + (s->high - s->low) + (count - 1 - s->low);
}

static void add_needs(struct search *s, uint32_t r, uint32_t node)
{
    const struct cuts *c = s->cuts;
    for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
        const uint32_t rank = s->rank[c->needs[n]];
        if (is_before(s, c->needs[n])) {
            continue;
        }
        if (rank >= s->high) {
            flow_add(&s->flow, node, FLOW_SINK, FLOW_ENDLESS);
        } else {
            flow_add(&s->flow, node, report_node(s, rank), FLOW_ENDLESS);
        }
    }
}

/* Computes the weight of each report and the part of it that is set off within its process: gains
 * against earlier losses. Returns the sum of the remaining gains: the best states of all processes
 * exceed the first ones by this much. */
static int64_t find_steps(struct search *s)
{
    const struct cuts *c = s->cuts;
    int64_t won = 0;
    s->steps.count = 0;
    vec_reserve(&s->steps, s->high - s->low);
    for (uint32_t i = s->low; i < s->high; i++) {
        s->setoff[c->process[s->by_time[i]]] = 0;
    }
    for (uint32_t i = s->low; i < s->high; i++) {
        const uint32_t r = s->by_time[i];
        const uint32_t p = c->process[r];
        const uint32_t before = r - c->first[p];
        struct step step = {.weight = gain_of(s, p, before + 1) - gain_of(s, p, before)};
        if (step.weight > 0) {
            step.flowing = step.weight < s->setoff[p] ? step.weight : s->setoff[p];
            won += step.weight - step.flowing;
        }
        s->setoff[p] -= step.weight > 0 ? step.flowing : step.weight;
        must(step.flowing >= 0);
        must(s->setoff[p] >= 0);
        s->steps.at[s->steps.count++] = step;
    }
    for (uint32_t i = s->low; i < s->high; i++) {
        s->setoff[c->process[s->by_time[i]]] = 0;
    }
    /* Backwards, setoff is the surplus of later gains that earlier losses consume. */
    for (uint32_t i = s->high; i-- > s->low;) {
        struct step *step = &s->steps.at[i - s->low];
        int64_t *setoff = &s->setoff[c->process[s->by_time[i]]];
        if (step->weight < 0) {
            step->flowing = -step->weight < *setoff ? -step->weight : *setoff;
        }
        *setoff += step->weight > 0 ? step->flowing : -step->flowing;
        step->carried = *setoff;
        must(step->carried >= 0);
    }
    return won;
}

/* The network of the window. */
static void build_network(struct search *s)
{
    const struct cuts *c = s->cuts;
    struct flow *f = &s->flow;
    const uint32_t over = s->high > s->low ? s->over[s->high - 1] : s->low;
    flow_reset(f, FLOW_FIRST + (s->high - s->low) + (over > s->low ? over - s->low : 0));
    for (uint32_t i = s->low; i < s->high; i++) {
        const uint32_t r = s->by_time[i];
        const uint32_t p = c->process[r];
        const uint32_t before = r - c->first[p];
        const struct step *step = &s->steps.at[i - s->low];
        const uint32_t node = report_node(s, i);
        if (step->weight > 0) {
            flow_add_flowing(f, FLOW_SOURCE, node, step->weight, step->flowing);
        } else if (step->weight < 0) {
            flow_add_flowing(f, node, FLOW_SINK, -step->weight, step->flowing);
        }
        if (before > s->base[p]) {
            flow_add_flowing(f, node, report_node(s, s->rank[r - 1]), FLOW_ENDLESS + step->carried,
                             step->carried);
        }
        add_needs(s, r, node);
        if (s->over[i] > s->low) {
            flow_add(f, node, chain_node(s, s->over[i]), FLOW_ENDLESS);
        }
        if (i < over) {
            flow_add(f, chain_node(s, i + 1), node, FLOW_ENDLESS);
        }
        if (i > s->low && i < over) {
            flow_add(f, chain_node(s, i + 1), chain_node(s, i), FLOW_ENDLESS);
        }
    }
    vec_each (&s->owed, r) {
        flow_add(f, FLOW_SOURCE, report_node(s, s->rank[*r]), FLOW_ENDLESS);
    }
}

/* Whether the window has all reports that earlier reports need. */
static bool can_pay(const struct search *s)
{
    vec_each (&s->owed, r) {
        if (s->rank[*r] >= s->high) {
            return false;
        }
    }
    return true;
}

static void keep_best(struct search *s, int64_t sum)
{
    must(!s->is_found || sum > s->sum);
    s->is_found = true;
    s->sum = sum;
    memcpy(s->taken, s->base, s->cuts->process_count * sizeof *s->taken);
    for (uint32_t i = s->low; i < s->high; i++) {
        s->taken[s->cuts->process[s->by_time[i]]] +=
            flow_is_source_side(&s->flow, report_node(s, i));
    }
}

static void search_window(struct search *s)
{
    const int64_t least = s->is_found ? s->sum + 1 : s->wanted->least;
    const int64_t floor = least > s->forbidden / 2 + 1 ? least : s->forbidden / 2 + 1;
    const int64_t best = s->base_sum + find_steps(s);
    if (best < floor || !can_pay(s)) {
        return;
    }
    build_network(s);
    const int64_t lost = flow_run(&s->flow, best - floor + 1);
    must(lost >= 0);
    if (lost <= best - floor) {
        keep_best(s, best - lost);
    }
}

/* Each window has the cuts whose latest report is of rank `latest` or higher, up to its end; the
 * first of all also those of no report. */
static void search_span(struct search *s, const struct time_filter_span *span)
{
    const struct cuts *c = s->cuts;
    const uint32_t window_min =
        s->wanted->window_min == 0 ? WINDOW_MIN_DEFAULT : s->wanted->window_min;
    begin_span(s, span);
    uint32_t latest = 0;
    while (latest < s->count &&
           time_filter_time(&s->hot, c->time[s->by_time[latest]]) < span->from) {
        latest++;
    }
    bool is_over = false;
    do {
        while (s->high < s->count &&
               (s->high < latest + window_min ||
                !cuts_is_over(c, c->time[s->by_time[latest]], c->time[s->by_time[s->high]]))) {
            s->high++;
        }
        move_low(s, latest < s->count ? s->over[latest] : 0);
        search_window(s);
        latest = s->high;
        is_over = limit_is_over(s->wanted->watch, s->high - s->low);
    } while (latest < s->count && (s->wanted->wants_most || !s->is_found) && !is_over);
}

bool cuts_most(const struct cuts *c, const struct cuts_wanted *wanted, int64_t *sum,
               uint32_t *taken, struct arena *scratch)
{
    const struct arena_mark mark = arena_mark(scratch);
    struct search s = {.cuts = c, .wanted = wanted, .scratch = scratch};
    s.taken = taken;
    s.flow.watch = wanted->watch;
    struct time_filter_span span;
    search_init(&s);
    for (uint32_t at = 0; (wanted->wants_most || !s.is_found) && !limit_is_over(wanted->watch, 1) &&
                          time_filter_next(&s.hot, &at, &span);) {
        search_span(&s, &span);
    }
    flow_release(&s.flow);
    vec_release(&s.owed);
    vec_release(&s.steps);
    arena_reset(scratch, mark);
    *sum = s.sum;
    return s.is_found;
}
