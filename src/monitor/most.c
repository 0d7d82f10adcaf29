/* The cut with the largest sum of gains.
 *
 * What a report adds to the sum is its weight, and "with this report comes that one" an edge, so
 * the best cut is a closure of greatest weight, which is a minimum cut of a network (Picard, 1976).
 * That reports come with all that was over by then would be an edge for each pair; a chain through
 * the reports by time says the same with one edge each:
 *
 *     report r  -->  c(j)  -->  c(j-1)  -->  ...        c(j): the first j reports by time
 *                     |           |
 *                     v           v
 *                 the j-th    the (j-1)th
 *
 * The latest report of a cut says, up to twice the skew, which others are in it and which are not.
 * So time is walked through in windows: what is over is in, what is to come is out, and each
 * network has only the reports between. A window whose best states together are not good enough is
 * passed over without one. */
#include <string.h>

#include "monitor/cuts.h"
#include "monitor/flow.h"
#include "monitor/front.h"

/* A window has at least so many reports, so that many small ones do not cost more than one. */
enum { WINDOW_MIN_DEFAULT = 64 };

struct search {
    const struct cuts *cuts;
    const struct cuts_wanted *wanted;
    struct arena *scratch;
    struct flow flow;
    int64_t forbidden;  /* what a forbidden state counts: no sum makes up for it */
    uint32_t *by_time;  /* reports */
    uint32_t *rank;     /* per report: its place in by_time */
    uint32_t *over;     /* per rank: how many were over by then */
    uint32_t *base;     /* per process: reports before the window */
    VEC(uint32_t) owed; /* what reports before the window need and was not over */
    int64_t *peak;      /* per process that has reports in the window: its best gain there */
    uint32_t low, high; /* the window: ranks low .. high-1 */
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

/* More than all gains together can be. */
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

/* The reports of each process are in order already. */
static void sort_by_time(struct search *s)
{
    const struct cuts *c = s->cuts;
    uint32_t *taken = arena_array(s->scratch, uint32_t, c->process_count);
    struct front front;
    front_init(&front, c, taken, s->scratch);
    for (uint32_t i = 0; i < cuts_report_count(c); i++) {
        const uint32_t p = front_soonest(&front);
        s->by_time[i] = c->first[p] + taken[p]++;
        front_sink(&front, p);
    }
}

static void search_init(struct search *s)
{
    const struct cuts *c = s->cuts;
    const uint32_t count = cuts_report_count(c);
    s->by_time = arena_array(s->scratch, uint32_t, count);
    s->rank = arena_array(s->scratch, uint32_t, count);
    s->over = arena_array(s->scratch, uint32_t, count);
    s->base = arena_array(s->scratch, uint32_t, c->process_count);
    s->peak = arena_array(s->scratch, int64_t, c->process_count);
    s->forbidden = find_forbidden(s);
    sort_by_time(s);
    uint32_t over = 0;
    for (uint32_t i = 0; i < count; i++) {
        s->rank[s->by_time[i]] = i;
        while (cuts_is_over(c, c->time[s->by_time[over]], c->time[s->by_time[i]])) {
            over++;
        }
        s->over[i] = over;
    }
    for (uint32_t p = 0; p < c->process_count; p++) {
        s->base_sum += gain_of(s, p, 0);
    }
}

/* All reports of a lower rank are before the window. */
static void move_low(struct search *s, uint32_t low)
{
    const struct cuts *c = s->cuts;
    for (; s->low < low; s->low++) {
        const uint32_t r = s->by_time[s->low];
        const uint32_t p = c->process[r];
        s->base_sum += gain_of(s, p, s->base[p] + 1) - gain_of(s, p, s->base[p]);
        s->base[p]++;
        for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
            vec_push(&s->owed, c->needs[n]);
        }
    }
    size_t kept = 0;
    vec_each (&s->owed, r) {
        if (s->rank[*r] >= s->low) {
            s->owed.at[kept++] = *r;
        }
    }
    s->owed.count = kept;
}

/* No cut of the window has a larger sum. */
static int64_t upper_bound(struct search *s)
{
    const struct cuts *c = s->cuts;
    for (uint32_t i = s->low; i < s->high; i++) {
        const uint32_t p = c->process[s->by_time[i]];
        s->peak[p] = gain_of(s, p, s->base[p]);
    }
    int64_t bound = s->base_sum;
    for (uint32_t i = s->low; i < s->high; i++) {
        const uint32_t r = s->by_time[i];
        const uint32_t p = c->process[r];
        const int64_t gain = gain_of(s, p, r - c->first[p] + 1);
        if (gain > s->peak[p]) {
            bound += gain - s->peak[p];
            s->peak[p] = gain;
        }
    }
    return bound;
}

static uint32_t report_node(const struct search *s, uint32_t rank)
{
    return FLOW_FIRST + rank - s->low;
}

/* The node for: the first `count` reports by time; count > low. */
static uint32_t chain_node(const struct search *s, uint32_t count)
{
    return FLOW_FIRST + (s->high - s->low) + (count - 1 - s->low);
}

static void add_needs(struct search *s, uint32_t r, uint32_t node)
{
    const struct cuts *c = s->cuts;
    for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
        const uint32_t rank = s->rank[c->needs[n]];
        if (rank >= s->high) {
            flow_add(&s->flow, node, FLOW_SINK, FLOW_ENDLESS);
        } else if (rank >= s->low) {
            flow_add(&s->flow, node, report_node(s, rank), FLOW_ENDLESS);
        }
    }
}

/* The network of the window; returns the sum of all that could be won. */
static int64_t build_network(struct search *s)
{
    const struct cuts *c = s->cuts;
    int64_t won = 0;
    flow_reset(&s->flow, FLOW_FIRST + 2 * (s->high - s->low));
    for (uint32_t i = s->low; i < s->high; i++) {
        const uint32_t r = s->by_time[i];
        const uint32_t p = c->process[r];
        const uint32_t before = r - c->first[p];
        const int64_t weight = gain_of(s, p, before + 1) - gain_of(s, p, before);
        const uint32_t node = report_node(s, i);
        if (weight > 0) {
            flow_add(&s->flow, FLOW_SOURCE, node, weight);
            won += weight;
        } else if (weight < 0) {
            flow_add(&s->flow, node, FLOW_SINK, -weight);
        }
        if (before > s->base[p]) {
            flow_add(&s->flow, node, report_node(s, s->rank[r - 1]), FLOW_ENDLESS);
        }
        add_needs(s, r, node);
        if (s->over[i] > s->low) {
            flow_add(&s->flow, node, chain_node(s, s->over[i]), FLOW_ENDLESS);
        }
        flow_add(&s->flow, chain_node(s, i + 1), node, FLOW_ENDLESS);
        if (i > s->low) {
            flow_add(&s->flow, chain_node(s, i + 1), chain_node(s, i), FLOW_ENDLESS);
        }
    }
    vec_each (&s->owed, r) {
        flow_add(&s->flow, FLOW_SOURCE, report_node(s, s->rank[*r]), FLOW_ENDLESS);
    }
    return won;
}

/* Whether what is owed to the reports before the window is in it. */
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
    const int64_t bound = upper_bound(s);
    if (bound < least || bound <= s->forbidden / 2 || !can_pay(s)) {
        return;
    }
    const int64_t won = build_network(s);
    const int64_t lost = flow_run(&s->flow);
    const int64_t sum = s->base_sum + won - lost;
    if (lost < FLOW_ENDLESS && sum >= least && sum > s->forbidden / 2) {
        keep_best(s, sum);
    }
}

bool cuts_most(const struct cuts *c, const struct cuts_wanted *wanted, int64_t *sum,
               uint32_t *taken, struct arena *scratch)
{
    const struct arena_mark mark = arena_mark(scratch);
    struct search s = {.cuts = c, .wanted = wanted, .scratch = scratch, .taken = taken};
    search_init(&s);
    const uint32_t count = cuts_report_count(c);
    const uint32_t window_min = wanted->window_min == 0 ? WINDOW_MIN_DEFAULT : wanted->window_min;
    /* Each window has the cuts whose latest report is of rank `latest` or higher, up to its end;
     * the first also those of no report. */
    uint32_t latest = 0;
    do {
        while (s.high < count &&
               (s.high < latest + window_min ||
                !cuts_is_over(c, c->time[s.by_time[latest]], c->time[s.by_time[s.high]]))) {
            s.high++;
        }
        move_low(&s, latest < count ? s.over[latest] : 0);
        search_window(&s);
        latest = s.high;
    } while (latest < count && (wanted->wants_most || !s.is_found));
    flow_release(&s.flow);
    vec_release(&s.owed);
    arena_reset(scratch, mark);
    *sum = s.sum;
    return s.is_found;
}
