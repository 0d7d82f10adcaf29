#include "hunt/nearest_pass.h"

#include "wire/must.h"

/* A run that takes this many times the steps of the failing one does not end by itself. */
enum { LENGTH_FACTOR = 4, LENGTH_EXTRA = 1000 };

/* Every step with an alternative is tried among the last DENSE; before them ever fewer. */
enum { DENSE = 100, STRIDE_SHARE = 8 };

/* The operation that a run takes at a step in place of the failing run's, and its strategy for the
 * rest. */
struct departure {
    uint32_t step;
    uint64_t other;
    enum pick_strategy strategy;
};

struct passing {
    struct world *world;
    const struct plan *plan;
    const struct execution *failing;
    const struct limit *limit;
    struct nearest_pass *result;
    VEC(struct pick_turn) turns;
    VEC(uint32_t) steps;   /* those at which another operation was pending */
    struct departure best; /* that passes and departs last, if the result is found */
    bool is_last;          /* the last run is that one */
};

/* Runs the same first steps, then the other operation, and leaves the rest to the strategy. */
static int run_other(struct passing *p, const struct departure *d, struct err *e)
{
    struct plan plan = *p->plan;
    must(d->step < p->turns.count);
    const uint64_t own = p->turns.at[d->step].name;
    p->turns.at[d->step].name = d->other;
    plan.trace = NULL;
    plan.wants_pending = false;
    plan.steps_max = (uint32_t)p->failing->steps.count * LENGTH_FACTOR + LENGTH_EXTRA;
    plan.pick = (struct pick_plan){.turns = p->turns.at,
                                   .turn_count = d->step + 1,
                                   .strategy = d->strategy,
                                   .seed = p->plan->pick.seed};
    const int result = world_run(p->world, &plan, &p->result->run, e);
    p->turns.at[d->step].name = own;
    p->result->run_count++;
    p->is_last = false;
    return result;
}

/* Tries one operation in the place of the failing run's. Sets *passes. */
static int try_other(struct passing *p, uint32_t step, uint64_t other, bool *passes, struct err *e)
{
    static const enum pick_strategy rest[] = {PICK_FIRST, PICK_POS};
    for (size_t i = 0; i < sizeof rest / sizeof *rest && !*passes; i++) {
        const struct departure d = {step, other, rest[i]};
        if (limit_is_spent(p->limit, p->result->run_count)) {
            p->result->is_cut = true;
            return 0;
        }
        if (run_other(p, &d, e) < 0) {
            return -1;
        }
        if (p->result->run.outcome == OUTCOME_PASSED) {
            must(!p->result->is_found || step > p->best.step);
            *passes = p->result->is_found = p->is_last = true;
            p->best = d;
        }
    }
    return 0;
}

static bool is_alternative(const struct step *step, const struct pick_operation *o)
{
    return o->name != step->operation.name && o->fault == 0;
}

/* The operations that were pending at the step; a long run does not keep them all. */
static const struct pick_operation *pending_at(const struct passing *p, const struct step *step,
                                               uint32_t *count)
{
    const size_t known = p->failing->pending.count;
    const size_t left = step->pending_first < known ? known - step->pending_first : 0;
    *count = left < step->pending_count ? (uint32_t)left : step->pending_count;
    return p->failing->pending.at + (*count == 0 ? 0 : step->pending_first);
}

static void find_steps(struct passing *p)
{
    for (uint32_t at = 0; at < p->failing->steps.count; at++) {
        const struct step *step = &p->failing->steps.at[at];
        uint32_t count = 0;
        const struct pick_operation *pending = pending_at(p, step, &count);
        bool has_other = false;
        for (uint32_t i = 0; i < count; i++) {
            has_other = has_other || is_alternative(step, &pending[i]);
        }
        if (has_other) {
            vec_push(&p->steps, at);
        }
    }
}

/* Tries the alternatives at a step, by its index in p->steps. Sets *passes. */
static int try_step(struct passing *p, size_t index, bool *passes, struct err *e)
{
    const uint32_t at = *vec_at(&p->steps, index);
    const struct step *step = &p->failing->steps.at[at];
    uint32_t count = 0;
    const struct pick_operation *pending = pending_at(p, step, &count);
    *passes = false;
    for (uint32_t i = 0; i < count && !*passes && !p->result->is_cut; i++) {
        if (is_alternative(step, &pending[i]) && try_other(p, at, pending[i].name, passes, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Goes backwards until a run passes, at *passed; *failed is the index tried before. */
static int go_back(struct passing *p, size_t *passed, size_t *failed, struct err *e)
{
    const size_t count = p->steps.count;
    bool passes = false;
    *passed = count;
    while (*passed > 0 && !passes && !p->result->is_cut) {
        const size_t back = count - *passed;
        const size_t stride = back < DENSE ? 1 : back / STRIDE_SHARE;
        *failed = *passed;
        *passed -= stride < *passed ? stride : *passed;
        if (try_step(p, *passed, &passes, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Halves the distance between the index that passes and the one behind it that does not. */
static int refine(struct passing *p, size_t passed, size_t failed, struct err *e)
{
    while (failed - passed > 1 && !p->result->is_cut) {
        const size_t middle = passed + (failed - passed) / 2;
        bool passes = false;
        if (try_step(p, middle, &passes, e) < 0) {
            return -1;
        }
        passed = passes ? middle : passed;
        failed = passes ? failed : middle;
    }
    p->result->is_cut = false; /* one is known */
    return p->is_last ? 0 : run_other(p, &p->best, e);
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
    find_steps(&p);
    size_t passed = 0;
    size_t failed = 0;
    int result = go_back(&p, &passed, &failed, e);
    if (result == 0 && n->is_found) {
        result = refine(&p, passed, failed, e);
        n->step = p.best.step;
    }
    vec_release(&p.steps);
    vec_release(&p.turns);
    must(result < 0 || !n->is_found || n->run.steps.count > n->step);
    return result;
}

void nearest_pass_release(struct nearest_pass *n)
{
    execution_release(&n->run);
}
