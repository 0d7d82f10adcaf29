#include "monitor/offline/decide_clause.h"

#include "monitor/offline/cut_path.h"
#include "monitor/offline/local_predicates.h"

static const char too_large[] = "its numbers are too large";

const char *method_name(enum method method)
{
    static const char *const names[] = {
#define METHOD(id, name) [METHOD_##id] = (name),
        METHOD_LIST(METHOD)
#undef METHOD
    };
    return names[method];
}

static struct decision decided(enum method method, bool is_found)
{
    return (struct decision){.verdict = is_found ? CUT_YES : CUT_NO, .method = method};
}

static struct decision undecided(enum method method, const char *reason)
{
    return (struct decision){.verdict = CUT_UNKNOWN, .method = method, .reason = reason};
}

/* A clause: the states that it permits each process, and the buffer for a cut that shows it. */
struct question {
    struct state_history *h;
    struct local_predicates permits;
    struct limit_watch *watch; /* NULL: no limit */
    uint32_t *taken;
};

/* ---- local predicates only ---- */

static bool find_least(struct state_history *h, const uint8_t *permitted, uint32_t *taken)
{
    for (uint32_t p = 0; p < h->cuts.process_count; p++) {
        taken[p] = 0;
    }
    return cuts_least(&h->cuts, permitted, taken, &h->scratch);
}

static struct decision decide_local(const struct question *q)
{
    const struct local_predicates *p = &q->permits;
    const bool is_found = find_least(q->h, p->certain, q->taken);
    return is_found || p->is_known || !find_least(q->h, p->possible, q->taken)
               ? decided(METHOD_LEAST, is_found)
               : undecided(METHOD_LEAST, MONITOR_UNREPORTED);
}

/* ---- with one sum ---- */

static struct decision decide_at_most(const struct question *q, const struct linear *l)
{
    struct state_history *h = q->h;
    const struct local_predicates *p = &q->permits;
    const struct gains worst = gains_build(h, l, p->certain, GAINS_WORST, &h->scratch);
    int64_t sum = 0;
    if (worst.is_too_large) {
        return undecided(METHOD_FLOW, too_large);
    }
    struct cuts_wanted wanted = {.gain = worst.at, .least = -l->bound, .watch = q->watch};
    if (cuts_most(&h->cuts, &wanted, &sum, q->taken, &h->scratch)) {
        return decided(METHOD_FLOW, true);
    }
    if (worst.is_known && p->is_known) {
        return decided(METHOD_FLOW, false);
    }
    const struct gains best = gains_build(h, l, p->possible, GAINS_BEST, &h->scratch);
    wanted.gain = best.at;
    return best.is_too_large || cuts_most(&h->cuts, &wanted, &sum, q->taken, &h->scratch)
               ? undecided(METHOD_FLOW, MONITOR_UNREPORTED)
               : decided(METHOD_FLOW, false);
}

/* A sum that must have an exact value lies between its least and its greatest. Where it changes by
 * one at a time it takes every value between. */
static struct decision decide_equal(const struct question *q, const struct linear *l)
{
    struct state_history *h = q->h;
    const struct local_predicates *p = &q->permits;
    const uint32_t count = cuts_state_count(&h->cuts);
    const struct gains gains = gains_build(h, l, p->certain, GAINS_WORST, &h->scratch);
    if (gains.is_too_large || !gains.is_known || !p->is_known) {
        return undecided(METHOD_STEPS, gains.is_too_large ? too_large : MONITOR_UNREPORTED);
    }
    uint32_t *low = arena_array(&h->scratch, uint32_t, h->cuts.process_count);
    uint32_t *high = arena_array(&h->scratch, uint32_t, h->cuts.process_count);
    int64_t *less = arena_array(&h->scratch, int64_t, count);
    for (uint32_t i = 0; i < count; i++) {
        less[i] = gains.at[i] == CUTS_FORBIDDEN ? CUTS_FORBIDDEN : -gains.at[i];
    }
    int64_t sum = 0;
    const struct cuts_wanted at_least = {.gain = gains.at, .least = l->bound, .watch = q->watch};
    const struct cuts_wanted at_most = {.gain = less, .least = -l->bound, .watch = q->watch};
    if (!cuts_most(&h->cuts, &at_least, &sum, high, &h->scratch) ||
        !cuts_most(&h->cuts, &at_most, &sum, low, &h->scratch)) {
        return decided(METHOD_FLOW, false);
    }
    const struct walk walk = {gains.at, l->bound, low, high};
    return walk_has_unit_steps(&h->cuts, gains.at) &&
                   walk_to_sum(&h->cuts, &walk, q->taken, &h->scratch)
               ? decided(METHOD_STEPS, true)
               : undecided(METHOD_STEPS, "");
}

/* ---- with two sums ---- */

static int64_t sum_of(const struct cuts *c, const int64_t *gain, const uint32_t *taken)
{
    int64_t sum = 0;
    for (uint32_t p = 0; p < c->process_count; p++) {
        sum += gain[cuts_state(c, p, taken[p])];
    }
    return sum;
}

/* Two sums with their bounds, and the weight of each in their blend. */
struct blend {
    const struct gains *gains;
    int64_t least[2];
    int64_t weight[2];
    struct limit_watch *watch;
};

/* Looks for a cut in which the weighted total of both is large enough: where there is none, no cut
 * has both. False when the numbers overflow. */
static bool find_blended(struct state_history *h, const struct blend *b, bool *is_found,
                         uint32_t *taken)
{
    int64_t part[2] = {0};
    struct cuts_wanted wanted = {.watch = b->watch};
    const struct gains gains = gains_blend(h, b->gains, b->weight, &h->scratch);
    if (gains.is_too_large || __builtin_mul_overflow(b->least[0], b->weight[0], &part[0]) ||
        __builtin_mul_overflow(b->least[1], b->weight[1], &part[1]) ||
        __builtin_add_overflow(part[0], part[1], &wanted.least)) {
        return false;
    }
    int64_t sum = 0;
    wanted.gain = gains.at;
    *is_found = cuts_most(&h->cuts, &wanted, &sum, taken, &h->scratch);
    return true;
}

/* Two sums that both hold also hold as a weighted total, for all weights; so weights without a cut
 * rule both out. When a cut lacks one of them, the next weights count it more. The search refines
 * the weights as fractions in the tree of Stern and Brocot. Each answer is exact. There may be
 * none, because the best cuts of all weights need not have both where another cut does. */
static struct decision decide_two(const struct question *q, const struct linear *l)
{
    struct state_history *h = q->h;
    const struct local_predicates *p = &q->permits;
    enum { TRIES = 14 };
    const struct gains gains[2] = {
        gains_build(h, &l[0], p->certain, GAINS_WORST, &h->scratch),
        gains_build(h, &l[1], p->certain, GAINS_WORST, &h->scratch),
    };
    struct blend blend = {.gains = gains, .least = {-l[0].bound, -l[1].bound}, .watch = q->watch};
    int64_t first[2] = {1, 0};
    int64_t second[2] = {0, 1};
    bool is_found = p->is_known && gains[0].is_known && gains[1].is_known;
    for (int i = 0; is_found && i < TRIES; i++) {
        blend.weight[0] = i == 0 ? 1 : i == 1 ? 0 : first[0] + second[0];
        blend.weight[1] = i == 0 ? 0 : i == 1 ? 1 : first[1] + second[1];
        const struct arena_mark mark = arena_mark(&h->scratch);
        if (!find_blended(h, &blend, &is_found, q->taken)) {
            break;
        }
        arena_reset(&h->scratch, mark);
        const bool has_first =
            is_found && sum_of(&h->cuts, gains[0].at, q->taken) >= blend.least[0];
        const bool has_second =
            is_found && sum_of(&h->cuts, gains[1].at, q->taken) >= blend.least[1];
        if (!is_found || (has_first && has_second)) {
            return decided(METHOD_FLOW, is_found);
        }
        if (i > 1) {
            int64_t *less = has_first ? first : second;
            less[0] = blend.weight[0];
            less[1] = blend.weight[1];
        }
    }
    return undecided(METHOD_SOLVER, "");
}

/* ---- clauses ---- */

struct sums {
    VEC(struct linear) list;
    bool is_nonlinear;
};

/* The literals over several processes, as sums. */
static bool find_sums(const struct state_history *h, const struct clause *clause, struct sums *sums)
{
    for (size_t i = 0; i < clause->count; i++) {
        if (h->owner[clause->at[i].cell] == OWNER_UNKNOWN) {
            return false;
        }
        if (h->owner[clause->at[i].cell] == OWNER_SEVERAL) {
            vec_push(&sums->list, (struct linear){0});
            struct linear *l = vec_last(&sums->list);
            if (!linear_build(l, h, clause->at[i])) {
                return false;
            }
            sums->is_nonlinear = sums->is_nonlinear || l->is_nonlinear;
        }
    }
    return true;
}

static bool sums_fit(struct state_history *h, const struct sums *sums)
{
    bool fit = true;
    vec_each (&sums->list, linear) {
        fit = fit && gains_fit(h, linear);
    }
    return fit;
}

static void sums_release(struct sums *sums)
{
    vec_each (&sums->list, linear) {
        linear_release(linear);
    }
    vec_release(&sums->list);
}

static struct decision decide_sums(const struct question *q, const struct sums *sums)
{
    if (sums->is_nonlinear) {
        return undecided(METHOD_SOLVER, "");
    }
    if (!sums_fit(q->h, sums)) {
        return undecided(METHOD_NONE, too_large);
    }
    const struct linear *l = sums->list.at;
    if (sums->list.count == 0) {
        return decide_local(q);
    }
    if (sums->list.count == 1) {
        return l->is_equal ? decide_equal(q, l) : decide_at_most(q, l);
    }
    return sums->list.count == 2 && !l[0].is_equal && !l[1].is_equal ? decide_two(q, l)
                                                                     : undecided(METHOD_SOLVER, "");
}

struct decision decide_clause(struct state_history *h, const struct clause *clause,
                              struct limit_watch *watch, uint32_t *taken)
{
    struct sums sums = {0};
    struct decision d = undecided(METHOD_NONE, "it reads what has no value in a cut: now or steps");
    if (find_sums(h, clause, &sums)) {
        const struct arena_mark mark = arena_mark(&h->scratch);
        const struct question q = {h, local_predicates_build(h, clause, &h->scratch), watch, taken};
        d = decide_sums(&q, &sums);
        /* A sum without a bound leaves the clause open; the local predicates may still decide it.
         */
        if (d.verdict == CUT_UNKNOWN && d.reason[0] != '\0' &&
            !find_least(h, q.permits.possible, taken)) {
            d = decided(METHOD_LEAST, false);
        }
        arena_reset(&h->scratch, mark);
    }
    sums_release(&sums);
    /* After the watch has expired a cut still shows the clause, but its absence shows nothing. */
    return limit_is_over(watch, 0) && d.verdict != CUT_YES ? undecided(d.method, MONITOR_BUDGET)
                                                           : d;
}
