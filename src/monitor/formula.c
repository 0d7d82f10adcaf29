#include "monitor/formula.h"

#include "solve/problem.h"

/* Of the two variables per process. */
static uint32_t taken_of(uint32_t process)
{
    return 2 * process;
}

static uint32_t clock_of(uint32_t process)
{
    return 2 * process + 1;
}

/* The process has taken fewer than so many, or not. */
static struct solve_atom fewer(uint32_t process, uint32_t than)
{
    return solve_at_most(taken_of(process), (int64_t)than - 1);
}

static struct solve_atom at_least(uint32_t process, uint32_t count)
{
    return solve_at_least(taken_of(process), count);
}

static void add_reports(struct problem *p, const struct cuts *c, uint32_t process)
{
    for (uint32_t r = c->first[process]; r < c->first[process + 1]; r++) {
        const uint32_t position = r - c->first[process];
        for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
            const uint32_t other = c->process[c->needs[n]];
            problem_add_either(p, fewer(process, position + 1),
                               at_least(other, c->needs[n] - c->first[other] + 1));
        }
        if (c->skew != INT64_MAX && c->time[r] != INT64_MIN) {
            problem_add_either(p, fewer(process, position + 1),
                               solve_at_least(clock_of(process), c->time[r]));
            problem_add_either(p, at_least(process, position + 1),
                               solve_at_most(clock_of(process), c->time[r]));
        }
    }
}

static void add_cuts(struct problem *p, const struct cuts *c)
{
    const uint32_t first = problem_variables(p, 2 * c->process_count);
    must(first == 0);
    for (uint32_t process = 0; process < c->process_count; process++) {
        const uint32_t count = c->first[process + 1] - c->first[process];
        problem_add(p, at_least(process, 0));
        problem_add(p, fewer(process, count + 1));
        add_reports(p, c, process);
        for (uint32_t other = 0; c->skew != INT64_MAX && other < process; other++) {
            problem_add(p, solve_within(clock_of(process), clock_of(other), c->skew));
            problem_add(p, solve_within(clock_of(other), clock_of(process), c->skew));
        }
    }
}

/* Each run of states that are not permitted is passed over. */
static void add_permits(struct problem *p, const struct cuts *c, const uint8_t *permitted)
{
    for (uint32_t process = 0; process < c->process_count; process++) {
        const uint32_t count = c->first[process + 1] - c->first[process] + 1;
        const uint8_t *state = permitted + cuts_state(c, process, 0);
        for (uint32_t i = 0; i < count;) {
            uint32_t end = i;
            while (end < count && state[end] == 0) {
                end++;
            }
            if (end > i) {
                problem_add_either(p, fewer(process, i), at_least(process, end));
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
static void add_term(struct problem *p, struct chronicle *h, const struct linear *l,
                     const struct term *term, uint32_t variable)
{
    const struct cuts *c = &h->cuts;
    const struct column *column = chronicle_column(h, term->cell);
    const uint32_t count = c->first[column->process + 1] - c->first[column->process] + 1;
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i + 1;
        const int64_t value = value_in(l, term, column->at[i]);
        while (end < count && value_in(l, term, column->at[end]) == value) {
            end++;
        }
        const struct solve_atom known[] = {fewer(column->process, i),
                                           at_least(column->process, end),
                                           solve_value(variable, value)};
        problem_add_clause(p, known, value != INT64_MAX ? 3 : 2);
        i = end;
    }
}

static void add_sum(struct problem *p, struct chronicle *h, const struct linear *l)
{
    VEC(struct solve_term) terms = {0};
    vec_each (&l->terms, term) {
        const uint32_t variable = problem_variables(p, 1);
        add_term(p, h, l, term, variable);
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
            is = is && chronicle_column(h, term->cell)->is_known;
        }
    }
    return is;
}

static struct decision ask(struct problem *p, const struct cuts *c,
                           const struct formula_question *q, uint32_t *taken)
{
    struct decision d = {.method = METHOD_SOLVER, .reason = "libz3 could not be used"};
    struct err e;
    struct solver *solver = solver_new(&(struct solver_options){.way = SOLVE_LIBZ3}, p, &e);
    if (solver == NULL) {
        return d;
    }
    struct solve_answer answer;
    solver_decide(solver, &(struct solve_question){.budget = q->budget}, &answer);
    switch (answer.verdict) {
    case SOLVE_UNKNOWN:
        d.reason = answer.cause == SOLVE_CAUSE_BUDGET ? "libz3's budget ended" : "libz3 gave up";
        break;
    case SOLVE_UNSAT: d.verdict = CUT_NO; break;
    case SOLVE_SAT:
        d.verdict = CUT_YES;
        for (uint32_t process = 0; process < c->process_count; process++) {
            taken[process] = (uint32_t)answer.model[taken_of(process)];
        }
        break;
    }
    solver_free(solver);
    return d;
}

struct decision formula_decide(struct chronicle *h, const struct formula_question *q,
                               uint32_t *taken)
{
    struct problem p = {0};
    add_cuts(&p, &h->cuts);
    add_permits(&p, &h->cuts, q->permits->certain);
    for (size_t i = 0; i < q->sum_count; i++) {
        add_sum(&p, h, &q->sums[i]);
    }
    struct decision d = ask(&p, &h->cuts, q, taken);
    problem_release(&p);
    if (d.verdict == CUT_NO && !is_known(h, q)) {
        d = (struct decision){.method = METHOD_SOLVER,
                              .reason = "it depends on a variable that is never reported"};
    }
    return d;
}
