#include "monitor/formula.h"

#include "base/limit.h"
#include "monitor/portions.h"
#include "solve/problem.h"
#include "solve/smtlib.h"

#define BUDGET_ENDED "libz3's budget ended"

/* How cuts are put into numbers. */
struct writing {
    struct problem *problem;
    const struct cuts *cuts;
    const uint32_t *low, *high; /* per process: at least and at most so many reports are taken */
    int64_t no_time;            /* what counts as the time of reports without one */
    bool is_packed;
    const int64_t *key;       /* packed: per report its number, ... */
    int64_t key_min, key_max; /* ... below and above which no process is, */
    int64_t apart;            /* and by which two may differ */
};

static uint32_t taken_of(const struct writing *w, uint32_t process)
{
    return w->is_packed ? process : 2 * process;
}

static uint32_t clock_of(uint32_t process)
{
    return 2 * process + 1;
}

/* The process has taken fewer than so many, or not. */
static struct solve_atom fewer(const struct writing *w, uint32_t process, uint32_t than)
{
    const struct cuts *c = w->cuts;
    const uint32_t count = c->first[process + 1] - c->first[process];
    if (!w->is_packed) {
        return solve_at_most(taken_of(w, process), (int64_t)than - 1);
    }
    return solve_at_most(process, than == 0      ? w->key_min - 1
                                  : than > count ? w->key_max
                                                 : w->key[c->first[process] + than - 1] - 1);
}

static struct solve_atom at_least(const struct writing *w, uint32_t process, uint32_t wanted)
{
    const struct cuts *c = w->cuts;
    const uint32_t count = c->first[process + 1] - c->first[process];
    if (!w->is_packed) {
        return solve_at_least(taken_of(w, process), wanted);
    }
    return solve_at_least(process, wanted == 0      ? w->key_min
                                   : wanted > count ? w->key_max + 1
                                                    : w->key[c->first[process] + wanted - 1]);
}

/* ---- packed numbers ---- */

static uint32_t counter_max(const struct cuts *c)
{
    uint32_t most = 0;
    uint32_t count = 0;
    for (uint32_t r = 1; r < cuts_report_count(c); r++) {
        count = c->process[r] == c->process[r - 1] && c->time[r] == c->time[r - 1] ? count + 1 : 0;
        most = count > most ? count : most;
    }
    return most;
}

/* False when the times are not fit for it. */
static bool pack(struct writing *w, struct arena *a)
{
    const struct cuts *c = w->cuts;
    const uint32_t count = cuts_report_count(c);
    const int64_t most = INT64_C(1) << 60;
    int64_t earliest = INT64_MAX;
    int64_t latest = INT64_MIN;
    for (uint32_t r = 0; r < count; r++) {
        earliest = c->time[r] < earliest ? c->time[r] : earliest;
        latest = c->time[r] > latest ? c->time[r] : latest;
    }
    const int64_t counters = (int64_t)counter_max(c) + 1;
    const int64_t room = most / (4 * counters);
    if (count == 0 || c->skew > room || earliest == INT64_MIN ||
        (uint64_t)latest - (uint64_t)earliest > (uint64_t)room) {
        return false;
    }
    int64_t *key = arena_array(a, int64_t, count);
    int64_t counter = 0;
    for (uint32_t r = 0; r < count; r++) {
        const bool is_same =
            r > 0 && c->process[r] == c->process[r - 1] && c->time[r] == c->time[r - 1];
        counter = is_same ? counter + 1 : 0;
        key[r] = (c->time[r] - earliest) * 2 * counters + counter;
    }
    w->key = key;
    w->apart = c->skew * 2 * counters + counters;
    w->key_min = -w->apart - 1;
    w->key_max = (latest - earliest + 1) * 2 * counters + w->apart;
    return true;
}

/* ---- cuts ---- */

/* What has no time was over before all that has one. */
static int64_t time_without(const struct cuts *c)
{
    int64_t earliest = INT64_MAX;
    for (uint32_t r = 0; r < cuts_report_count(c); r++) {
        earliest = c->time[r] != INT64_MIN && c->time[r] < earliest ? c->time[r] : earliest;
    }
    return earliest < INT64_MIN + 2 + c->skew ? INT64_MIN + 1 : earliest - c->skew - 1;
}

static void add_reports(const struct writing *w, uint32_t process)
{
    const struct cuts *c = w->cuts;
    struct problem *p = w->problem;
    /* The last of those that are taken in any case tells how late its process is. */
    const uint32_t low = w->low[process] > 0 ? w->low[process] - 1 : 0;
    for (uint32_t r = c->first[process] + low; r < c->first[process] + w->high[process]; r++) {
        const uint32_t position = r - c->first[process];
        for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
            const uint32_t other = c->process[c->needs[n]];
            problem_add_either(p, fewer(w, process, position + 1),
                               at_least(w, other, c->needs[n] - c->first[other] + 1));
        }
        if (!w->is_packed && c->skew != INT64_MAX) {
            const int64_t time = c->time[r] == INT64_MIN ? w->no_time : c->time[r];
            problem_add_either(p, fewer(w, process, position + 1),
                               solve_at_least(clock_of(process), time));
            problem_add_either(p, at_least(w, process, position + 1),
                               solve_at_most(clock_of(process), time));
        }
    }
}

static void add_skew(const struct writing *w, uint32_t process, uint32_t other)
{
    const uint32_t left = w->is_packed ? process : clock_of(process);
    const uint32_t right = w->is_packed ? other : clock_of(other);
    const int64_t apart = w->is_packed ? w->apart : w->cuts->skew;
    problem_add(w->problem, solve_within(left, right, apart));
    problem_add(w->problem, solve_within(right, left, apart));
}

static void add_cuts(const struct writing *w)
{
    const struct cuts *c = w->cuts;
    const uint32_t first =
        problem_variables(w->problem, w->is_packed ? c->process_count : 2 * c->process_count);
    must(first == 0);
    for (uint32_t process = 0; process < c->process_count; process++) {
        problem_add(w->problem, at_least(w, process, w->low[process]));
        problem_add(w->problem, fewer(w, process, w->high[process] + 1));
        add_reports(w, process);
        for (uint32_t other = 0; c->skew != INT64_MAX && other < process; other++) {
            add_skew(w, process, other);
        }
    }
}

/* Each run of states that are not permitted is passed over. */
static void add_permits(const struct writing *w, const uint8_t *permitted)
{
    const struct cuts *c = w->cuts;
    for (uint32_t process = 0; process < c->process_count; process++) {
        const uint32_t count = w->high[process] + 1;
        const uint8_t *state = permitted + cuts_state(c, process, 0);
        for (uint32_t i = w->low[process]; i < count;) {
            uint32_t end = i;
            while (end < count && state[end] == 0) {
                end++;
            }
            if (end > i) {
                problem_add_either(w->problem, fewer(w, process, i), at_least(w, process, end));
            }
            i = end + 1;
        }
    }
}

/* What the term counts in a state: of a sum that is to be at most something, the worst that is
 * possible. INT64_MAX when that has no bound, or when it must be exact and is not known. */
static int64_t value_in(const struct linear *l, const struct term *term, struct span span)
{
    const int64_t worst = term->weight > 0 ? span.high : span.low;
    return (l->is_equal && !span_is_known(span)) || worst == INT64_MIN ? INT64_MAX : worst;
}

/* The variable has the value of the term in whatever state its process is. */
static void add_term(const struct writing *w, struct chronicle *h, const struct linear *l,
                     const struct term *term, uint32_t variable)
{
    const struct column *column = chronicle_part(h, term->cell, term->part);
    const uint32_t count = w->high[column->process] + 1;
    for (uint32_t i = w->low[column->process]; i < count;) {
        uint32_t end = i + 1;
        const int64_t value = value_in(l, term, column->at[i]);
        while (end < count && value_in(l, term, column->at[end]) == value) {
            end++;
        }
        const struct solve_atom known[] = {fewer(w, column->process, i),
                                           at_least(w, column->process, end),
                                           solve_value(variable, value)};
        problem_add_clause(w->problem, known, value != INT64_MAX ? 3 : 2);
        i = end;
    }
}

static void add_sum(const struct writing *w, struct chronicle *h, const struct linear *l)
{
    struct problem *p = w->problem;
    VEC(struct solve_term) terms = {0};
    vec_each (&l->terms, term) {
        const uint32_t variable = problem_variables(p, 1);
        add_term(w, h, l, term, variable);
        vec_push(&terms, (struct solve_term){.variable = variable, .weight = term->weight});
    }
    problem_add(p, l->is_equal ? problem_sum_equal(p, terms.at, terms.count, l->bound)
                               : problem_sum_at_most(p, terms.at, terms.count, l->bound));
    vec_release(&terms);
}

static bool is_known(struct chronicle *h, const struct formula_question *q)
{
    bool is = q->permits->is_known;
    for (size_t i = 0; i < q->sum_count; i++) {
        vec_each (&q->sums[i].terms, term) {
            is = is && chronicle_part(h, term->cell, term->part)->is_known;
        }
    }
    return is;
}

/* How many reports the process has taken, by the model. */
static uint32_t taken_in(const struct writing *w, const int64_t *model, uint32_t process)
{
    const struct cuts *c = w->cuts;
    const int64_t value = model[taken_of(w, process)];
    uint32_t taken = 0;
    if (!w->is_packed) {
        return (uint32_t)value;
    }
    while (c->first[process] + taken < c->first[process + 1] &&
           w->key[c->first[process] + taken] <= value) {
        taken++;
    }
    return taken;
}

static struct decision ask(const struct writing *w, const struct formula_question *q,
                           uint32_t *taken)
{
    struct decision d = {.method = METHOD_SOLVER, .reason = "libz3 could not be used"};
    struct err e;
    struct solver *solver =
        solver_new(&(struct solver_options){.way = SOLVE_LIBZ3}, w->problem, &e);
    if (solver == NULL) {
        return d;
    }
    struct solve_answer answer;
    solver_decide(solver, &(struct solve_question){.budget = q->budget}, &answer);
    switch (answer.verdict) {
    case SOLVE_UNKNOWN:
        d.reason = answer.cause == SOLVE_CAUSE_BUDGET ? BUDGET_ENDED : "libz3 gave up";
        break;
    case SOLVE_UNSAT: d.verdict = CUT_NO; break;
    case SOLVE_SAT:
        d.verdict = CUT_YES;
        for (uint32_t process = 0; process < w->cuts->process_count; process++) {
            taken[process] = taken_in(w, answer.model, process);
        }
        break;
    }
    solver_free(solver);
    return d;
}

/* All cuts are looked at. */
static void set_whole(struct writing *w, struct chronicle *h)
{
    const struct cuts *c = &h->cuts;
    uint32_t *low = arena_array(&h->scratch, uint32_t, c->process_count);
    uint32_t *high = arena_array(&h->scratch, uint32_t, c->process_count);
    for (uint32_t process = 0; process < c->process_count; process++) {
        high[process] = c->first[process + 1] - c->first[process];
    }
    w->low = low;
    w->high = high;
}

/* The formula; w->problem is empty. */
static void build(struct writing *w, struct chronicle *h, const struct formula_question *q)
{
    w->cuts = &h->cuts;
    w->no_time = time_without(&h->cuts);
    w->is_packed = q->is_packed && h->cuts.skew != INT64_MAX && pack(w, &h->scratch);
    add_cuts(w);
    add_permits(w, q->permits->certain);
    for (size_t i = 0; i < q->sum_count; i++) {
        add_sum(w, h, &q->sums[i]);
    }
}

/* What is not known where it matters leaves a no open. */
static struct decision concluded(struct chronicle *h, const struct formula_question *q,
                                 struct decision d)
{
    return d.verdict != CUT_NO || is_known(h, q)
               ? d
               : (struct decision){.method = METHOD_SOLVER, .reason = MONITOR_UNREPORTED};
}

struct decision formula_decide(struct chronicle *h, const struct formula_question *q,
                               uint32_t *taken)
{
    struct problem p = {0};
    struct writing w = {.problem = &p};
    set_whole(&w, h);
    build(&w, h, q);
    const struct decision d = ask(&w, q, taken);
    problem_release(&p);
    return concluded(h, q, d);
}

/* ---- part by part ---- */

/* Adds the least and the most that the term is in states of the part; false when it has no value in
 * any of them. */
static bool add_bounds(struct chronicle *h, const struct linear *l, const struct term *term,
                       const struct portions *part, struct span *bounds)
{
    const struct column *column = chronicle_part(h, term->cell, term->part);
    struct span of = {INT64_MAX, INT64_MIN};
    for (uint32_t i = part->low[column->process]; i <= part->high[column->process]; i++) {
        const int64_t value = value_in(l, term, column->at[i]);
        if (value != INT64_MAX) {
            const int64_t weighed = value * term->weight;
            of.low = weighed < of.low ? weighed : of.low;
            of.high = weighed > of.high ? weighed : of.high;
        }
    }
    if (of.low > of.high) {
        return false;
    }
    bounds->low += of.low;
    bounds->high += of.high;
    return true;
}

/* Whether the sum can be what it is to be, each term by itself. */
static bool can_sum(struct chronicle *h, const struct linear *l, const struct portions *part)
{
    struct span bounds = {0, 0};
    vec_each (&l->terms, term) {
        if (!add_bounds(h, l, term, part, &bounds)) {
            return false;
        }
    }
    return bounds.low <= l->bound && (!l->is_equal || bounds.high >= l->bound);
}

/* Whether each process has a state in the part that is permitted. */
static bool can_be_permitted(const struct chronicle *h, const uint8_t *permitted,
                             const struct portions *part)
{
    for (uint32_t process = 0; process < h->cuts.process_count; process++) {
        const uint8_t *state = permitted + cuts_state(&h->cuts, process, 0);
        uint32_t i = part->low[process];
        while (i <= part->high[process] && state[i] == 0) {
            i++;
        }
        if (i > part->high[process]) {
            return false;
        }
    }
    return true;
}

static bool can_hold(struct chronicle *h, const struct formula_question *q,
                     const struct portions *part)
{
    bool can = can_be_permitted(h, q->permits->certain, part);
    for (size_t i = 0; can && i < q->sum_count; i++) {
        can = can_sum(h, &q->sums[i], part);
    }
    return can;
}

static struct decision decide_part(struct chronicle *h, const struct formula_question *q,
                                   const struct portions *part, uint32_t *taken)
{
    struct problem p = {0};
    struct writing w = {.problem = &p, .low = part->low, .high = part->high};
    const struct arena_mark mark = arena_mark(&h->scratch);
    build(&w, h, q);
    const struct decision d = ask(&w, q, taken);
    problem_release(&p);
    arena_reset(&h->scratch, mark);
    return d;
}

/* What is left of the time after so much of it; false when nothing is. */
static bool has_time_left(struct solve_budget *budget, uint64_t spent_ns)
{
    const uint64_t given = budget->time_ns_max;
    budget->time_ns_max = given == 0 ? 0 : given > spent_ns ? given - spent_ns : 1;
    return given == 0 || given > spent_ns;
}

struct decision formula_decide_parts(struct chronicle *h, const struct formula_question *q,
                                     uint32_t report_count, uint32_t *taken)
{
    struct decision all = {.verdict = CUT_NO, .method = METHOD_SOLVER};
    struct portions part;
    const uint64_t begin = q->budget.time_ns_max > 0 ? limit_now_ns() : 0;
    portions_init(&part, &h->cuts, report_count, &h->scratch);
    while (all.verdict != CUT_YES && portions_next(&part)) {
        struct formula_question rest = *q;
        if (!can_hold(h, q, &part)) {
            continue;
        }
        if (begin > 0 && !has_time_left(&rest.budget, limit_now_ns() - begin)) {
            all = (struct decision){.method = METHOD_SOLVER, .reason = BUDGET_ENDED};
            break;
        }
        const struct decision d = decide_part(h, &rest, &part, taken);
        all = d.verdict == CUT_NO ? all : d;
    }
    portions_release(&part);
    return concluded(h, q, all);
}

int formula_write(struct chronicle *h, const struct formula_question *q, const char *path,
                  struct err *e)
{
    struct problem p = {0};
    struct writing w = {.problem = &p};
    struct out out;
    if (out_open(&out, path, e) < 0) {
        return -1;
    }
    set_whole(&w, h);
    build(&w, h, q);
    smtlib_print(&out, &p, &(struct solve_question){0}, NULL);
    problem_release(&p);
    return out_close(&out, e);
}
