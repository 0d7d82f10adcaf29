#include "monitor/offline/local_predicates.h"

#include <string.h>

static uint32_t state_count_of(const struct state_history *h, uint32_t process)
{
    return h->cuts.first[process + 1] - h->cuts.first[process] + 1;
}

static void permit_constant(const struct state_history *h, struct literal literal,
                            struct local_predicates *p)
{
    const bool is_true = vec_at(&h->bound->cells.list, literal.cell)->number != 0;
    for (uint32_t i = 0; is_true == literal.is_negated && i < cuts_state_count(&h->cuts); i++) {
        p->certain[i] = p->possible[i] = 0;
    }
}

/* A literal during a scan over the states of its process. */
struct permitting {
    bool is_negated;
    uint8_t *certain, *possible; /* of the process */
    bool is_known;
};

static void permit_run(void *context, const struct column_run *run)
{
    struct permitting *p = context;
    const struct span truth = run->value;
    const bool is_certain = p->is_negated ? truth.high == 0 : truth.low != 0;
    const bool is_possible =
        !run->is_open ? is_certain : (p->is_negated ? truth.low == 0 : truth.high != 0);
    p->is_known = p->is_known && !run->is_open;
    if (!is_certain) {
        memset(p->certain + run->first, 0, run->end - run->first);
    }
    if (!is_possible) {
        memset(p->possible + run->first, 0, run->end - run->first);
    }
}

static void permit_local(struct state_history *h, struct literal literal,
                         struct local_predicates *p)
{
    const uint32_t first = cuts_state(&h->cuts, h->owner[literal.cell], 0);
    struct permitting permitting = {.is_negated = literal.is_negated,
                                    .certain = p->certain + first,
                                    .possible = p->possible + first,
                                    .is_known = p->is_known};
    state_history_scan(h, literal.cell, permit_run, &permitting);
    p->is_known = permitting.is_known;
}

struct local_predicates local_predicates_build(struct state_history *h, const struct clause *clause,
                                               struct arena *a)
{
    const uint32_t count = cuts_state_count(&h->cuts);
    struct local_predicates p = {.certain = arena_array(a, uint8_t, count),
                                 .possible = arena_array(a, uint8_t, count),
                                 .is_known = true};
    memset(p.certain, 1, count);
    memset(p.possible, 1, count);
    for (size_t i = 0; i < clause->count; i++) {
        const uint32_t owner = h->owner[clause->at[i].cell];
        if (owner == OWNER_NONE) {
            permit_constant(h, clause->at[i], &p);
        } else if (owner < OWNER_UNKNOWN) {
            permit_local(h, clause->at[i], &p);
        }
    }
    return p;
}

static uint64_t size_of(int64_t number)
{
    return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

/* The sum of all gains, times the processes, must be far from overflow. */
static bool is_small(const struct state_history *h, const int64_t *at, uint32_t count)
{
    const uint64_t most = (UINT64_C(1) << 60) / (h->cuts.process_count + 1);
    uint64_t total = 1;
    for (uint32_t i = 0; i < count && total < most; i++) {
        if (at[i] != CUTS_FORBIDDEN) {
            total += size_of(at[i]);
        }
    }
    return total < most;
}

/* The contribution of the term to the gain of a state with this span. False when it is undefined:
 * the span has no bound or, for an exact sum, no single value. */
static bool gain_of(const struct linear *l, const struct term *term, struct span span,
                    enum gains_view view, int64_t *gain)
{
    const int64_t weight = l->is_equal ? term->weight : -term->weight;
    const int64_t value = (weight > 0) == (view == GAINS_BEST) ? span.high : span.low;
    return (!l->is_equal || span_is_known(span)) && value != INT64_MIN && value != INT64_MAX &&
           !__builtin_mul_overflow(weight, value, gain);
}

static void add_gains(struct state_history *h, const struct linear *l, const struct term *term,
                      enum gains_view view, struct gains *g)
{
    const struct column *column = state_history_part(h, term->cell, term->part);
    const uint32_t first = cuts_state(&h->cuts, column->process, 0);
    g->is_known = g->is_known && column->is_known;
    for (uint32_t i = 0; i < state_count_of(h, column->process); i++) {
        int64_t *gain = &g->at[first + i];
        int64_t add = 0;
        if (*gain == CUTS_FORBIDDEN) {
            continue;
        }
        const enum gains_view seen_as = column->is_open[i] ? view : GAINS_WORST;
        if (!gain_of(l, term, column->at[i], seen_as, &add)) {
            /* At the best, an unbounded term always suffices. */
            g->is_too_large = g->is_too_large || seen_as == GAINS_BEST;
            *gain = CUTS_FORBIDDEN;
        } else if (__builtin_add_overflow(*gain, add, gain) || *gain == CUTS_FORBIDDEN) {
            g->is_too_large = true;
            *gain = CUTS_FORBIDDEN;
        }
    }
}

struct gains gains_build(struct state_history *h, const struct linear *l, const uint8_t *permitted,
                         enum gains_view view, struct arena *a)
{
    const uint32_t count = cuts_state_count(&h->cuts);
    struct gains g = {.at = arena_array(a, int64_t, count), .is_known = true};
    for (uint32_t i = 0; i < count; i++) {
        g.at[i] = permitted[i] != 0 ? 0 : CUTS_FORBIDDEN;
    }
    vec_each (&l->terms, term) {
        add_gains(h, l, term, view, &g);
    }
    g.is_too_large = g.is_too_large || !is_small(h, g.at, count);
    return g;
}

/* The largest absolute value of the term in any state; UINT64_MAX: too large. A missing value
 * counts as none. */
static uint64_t largest_of(struct state_history *h, const struct term *term)
{
    const struct column *column = state_history_part(h, term->cell, term->part);
    uint64_t largest = 0;
    for (uint32_t i = 0; i < state_count_of(h, column->process); i++) {
        const struct span span = column->at[i];
        if (span_is_known(span) || span.low != INT64_MIN) {
            const uint64_t low = size_of(span.low);
            const uint64_t high = size_of(span.high);
            const uint64_t size = low > high ? low : high;
            largest = size > largest ? size : largest;
        }
    }
    return __builtin_mul_overflow(largest, size_of(term->weight), &largest) ? UINT64_MAX : largest;
}

bool gains_fit(struct state_history *h, const struct linear *l)
{
    const uint64_t most = UINT64_C(1) << 62; /* the formula's own numbers are below this bound */
    uint64_t total = l->is_too_large ? most : 0;
    for (size_t i = 0; total < most && i < l->terms.count; i++) {
        const uint64_t largest = largest_of(h, &l->terms.at[i]);
        total = largest < most ? total + largest : most;
    }
    return total < most;
}

struct gains gains_blend(const struct state_history *h, const struct gains both[2],
                         const int64_t weight[2], struct arena *a)
{
    const uint32_t count = cuts_state_count(&h->cuts);
    struct gains g = {.at = arena_array(a, int64_t, count),
                      .is_known = both[0].is_known && both[1].is_known,
                      .is_too_large = both[0].is_too_large || both[1].is_too_large};
    for (uint32_t i = 0; i < count; i++) {
        int64_t part[2] = {0};
        if (both[0].at[i] == CUTS_FORBIDDEN || both[1].at[i] == CUTS_FORBIDDEN) {
            g.at[i] = CUTS_FORBIDDEN;
        } else if (__builtin_mul_overflow(both[0].at[i], weight[0], &part[0]) ||
                   __builtin_mul_overflow(both[1].at[i], weight[1], &part[1]) ||
                   __builtin_add_overflow(part[0], part[1], &g.at[i])) {
            g.is_too_large = true;
            g.at[i] = CUTS_FORBIDDEN;
        }
    }
    g.is_too_large = g.is_too_large || !is_small(h, g.at, count);
    return g;
}
