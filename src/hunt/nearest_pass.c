#include "hunt/nearest_pass.h"

#include "wire/must.h"

/* A run that takes this many times the steps of the failing one does not end by itself. */
enum { LENGTH_FACTOR = 4, LENGTH_EXTRA = 1000 };

struct passing {
    struct world *world;
    const struct plan *plan;
    const struct execution *failing;
    const struct limit *limit;
    struct nearest_pass *result;
    VEC(struct pick_turn) turns;
};

/* Runs the same first steps, then this operation, and leaves the rest to the strategy. */
static int run_other(struct passing *p, uint32_t step, uint64_t other, enum pick_strategy strategy,
                     struct err *e)
{
    struct plan plan = *p->plan;
    must(step < p->turns.count);
    const uint64_t own = p->turns.at[step].name;
    p->turns.at[step].name = other;
    plan.trace = NULL;
    plan.wants_pending = false;
    plan.steps_max = (uint32_t)p->failing->steps.count * LENGTH_FACTOR + LENGTH_EXTRA;
    plan.pick = (struct pick_plan){.turns = p->turns.at,
                                   .turn_count = step + 1,
                                   .strategy = strategy,
                                   .seed = p->plan->pick.seed};
    const int result = world_run(p->world, &plan, &p->result->run, e);
    p->turns.at[step].name = own;
    p->result->run_count++;
    return result;
}

/* Tries one operation in the place of the failing run's. */
static int try_other(struct passing *p, uint32_t step, uint64_t other, struct err *e)
{
    static const enum pick_strategy rest[] = {PICK_FIRST, PICK_POS};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        if (limit_is_spent(p->limit, p->result->run_count)) {
            p->result->is_cut = true;
            return 0;
        }
        if (run_other(p, step, other, rest[i], e) < 0) {
            return -1;
        }
        if (p->result->run.outcome == OUTCOME_PASSED) {
            p->result->is_found = true;
            p->result->step = step;
            return 0;
        }
    }
    return 0;
}

static bool is_over(const struct nearest_pass *n)
{
    return n->is_found || n->is_cut;
}

static int try_step(struct passing *p, uint32_t at, struct err *e)
{
    const struct step *step = &p->failing->steps.at[at];
    for (uint32_t i = 0; i < step->pending_count && !is_over(p->result); i++) {
        const size_t index = (size_t)step->pending_first + i;
        if (index >= p->failing->pending.count) {
            break; /* a long run does not keep them all */
        }
        const struct pick_operation *o = &p->failing->pending.at[index];
        if (o->name != step->operation.name && o->fault == 0 && try_other(p, at, o->name, e) < 0) {
            return -1;
        }
    }
    return 0;
}

int nearest_pass_find(struct world *w, const struct plan *plan, const struct execution *failing,
                      const struct limit *limit, struct nearest_pass *n, struct err *e)
{
    struct passing p = {.world = w, .plan = plan, .failing = failing, .limit = limit, .result = n};
    must(!n->is_found && n->run_count == 0);
    for (uint32_t i = 0; i < failing->steps.count; i++) {
        vec_push(&p.turns,
                 (struct pick_turn){.name = failing->steps.at[i].operation.name, .step = i});
    }
    int result = 0;
    for (uint32_t i = (uint32_t)failing->steps.count; i-- > 0 && result == 0 && !is_over(n);) {
        result = try_step(&p, i, e);
    }
    vec_release(&p.turns);
    must(result < 0 || !n->is_found || n->run.steps.count > n->step);
    return result;
}

void nearest_pass_release(struct nearest_pass *n)
{
    execution_release(&n->run);
}
