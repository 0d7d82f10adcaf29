#include "random_problem.h"

static uint32_t random_variable(const struct problem *p, struct prng *prng)
{
    return (uint32_t)prng_below(prng, p->variable_count);
}

static int64_t random_between(struct prng *prng, int64_t low, int64_t high)
{
    return low + (int64_t)prng_below(prng, (uint64_t)(high - low + 1));
}

static struct solve_atom random_sum(struct problem *p, struct prng *prng)
{
    struct solve_term terms[4];
    const size_t count = 1 + prng_below(prng, 4);
    for (size_t i = 0; i < count; i++) {
        terms[i] = (struct solve_term){.variable = random_variable(p, prng),
                                       .weight = random_between(prng, -3, 3)};
    }
    const int64_t bound = random_between(prng, -4, 4);
    return prng_below(prng, 3) > 0 ? problem_sum_at_most(p, terms, count, bound)
                                   : problem_sum_equal(p, terms, count, bound);
}

struct solve_atom random_atom(struct problem *p, const struct random_problem *kind,
                              struct prng *prng)
{
    if (kind->has_sums && prng_below(prng, 3) == 0) {
        return random_sum(p, prng);
    }
    const uint32_t left = random_variable(p, prng);
    const uint32_t right = random_variable(p, prng);
    if (kind->has_zero && prng_below(prng, 4) == 0) {
        const int64_t bound = random_between(prng, -kind->bound_max, kind->bound_max);
        switch (prng_below(prng, 3)) {
        case 0: return solve_at_most(left, bound);
        case 1: return solve_at_least(left, bound);
        default: return solve_value(left, bound);
        }
    }
    if (kind->bound_max > 0 && prng_below(prng, 2) == 0) {
        return solve_within(left, right, random_between(prng, -kind->bound_max, kind->bound_max));
    }
    switch (prng_below(prng, 8)) {
    case 0: return solve_same(left, right);
    case 1:
    case 2: return solve_not_after(left, right);
    default: return solve_before(left, right);
    }
}

void random_constraint(struct problem *p, const struct random_problem *kind, struct prng *prng)
{
    struct solve_atom atoms[4];
    switch (prng_below(prng, 4)) {
    case 0:
        /* Mostly forward, so that facts alone seldom contradict each other. */
        if (prng_below(prng, 8) > 0) {
            const uint32_t a = random_variable(p, prng);
            const uint32_t b = random_variable(p, prng);
            problem_add(p, a < b ? solve_before(a, b) : solve_not_after(b, a));
            break;
        }
        problem_add(p, random_atom(p, kind, prng));
        break;
    case 1: {
        const uint32_t lock = random_variable(p, prng);
        const uint32_t unlock = random_variable(p, prng);
        const uint32_t other_lock = random_variable(p, prng);
        const uint32_t other_unlock = random_variable(p, prng);
        problem_add_either(p, solve_before(unlock, other_lock), solve_before(other_unlock, lock));
        break;
    }
    default: {
        const size_t count = 2 + prng_below(prng, 3);
        for (size_t i = 0; i < count; i++) {
            atoms[i] = random_atom(p, kind, prng);
        }
        problem_add_clause(p, atoms, count);
        break;
    }
    }
}

void random_problem(struct problem *p, const struct random_problem *kind, struct prng *prng)
{
    (void)problem_variables(p, 2 + (uint32_t)prng_below(prng, kind->variable_count_max - 1));
    const uint64_t count = 1 + prng_below(prng, 5 * (uint64_t)p->variable_count);
    for (uint64_t i = 0; i < count; i++) {
        random_constraint(p, kind, prng);
    }
}

static bool holds(const struct problem *p, const struct solve_atom *assumed, size_t assumed_count,
                  const int64_t *model)
{
    for (size_t i = 0; i < assumed_count; i++) {
        if (!problem_atom_holds(p, assumed[i], model)) {
            return false;
        }
    }
    return problem_check(p, model) < 0;
}

bool problem_is_satisfiable_slowly(const struct problem *p, const struct solve_atom *assumed,
                                   size_t assumed_count, int64_t reach)
{
    int64_t model[16];
    must(p->variable_count <= 16);
    for (uint32_t i = 0; i < p->variable_count; i++) {
        model[i] = -reach;
    }
    for (;;) {
        if (holds(p, assumed, assumed_count, model)) {
            return true;
        }
        uint32_t at = 0;
        while (at < p->variable_count && model[at] == reach) {
            model[at++] = -reach;
        }
        if (at == p->variable_count) {
            return false;
        }
        model[at]++;
    }
}
