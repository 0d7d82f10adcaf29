#include "hunt/likelihood.h"

#include <string.h>

#include "wire/must.h"

/* Points before refinement, and how much longer than the failing run a run may be. */
enum { POINTS_FIRST = 32, LENGTH_FACTOR = 2, LENGTH_EXTRA = 100 };

struct measuring {
    struct world *world;
    const struct plan *plan;
    const struct execution *failing;
    const struct likelihood_options *options;
    struct likelihood *result;
    uint32_t runs_each;
    VEC(struct pick_turn) turns; /* the steps of the failing run */
    struct execution run;
};

/* Whether the run fails in the same way; -1 when the world breaks. */
static int run_once(struct measuring *m, uint32_t step_count, uint32_t number, struct err *e)
{
    struct plan plan = *m->plan;
    must(step_count <= m->turns.count);
    plan.trace = NULL;
    plan.wants_pending = false;
    plan.steps_max = (uint32_t)m->failing->steps.count * LENGTH_FACTOR + LENGTH_EXTRA;
    plan.pick = (struct pick_plan){.turns = m->turns.at,
                                   .turn_count = step_count,
                                   .strategy = PICK_POS,
                                   .is_fair = true,
                                   .seed = m->plan->pick.seed + 1 + number};
    if (world_run(m->world, &plan, &m->run, e) < 0) {
        return -1;
    }
    m->result->run_count++;
    return outcome_is_violation(m->run.outcome) && strcmp(m->run.key, m->failing->key) == 0;
}

static void insert(struct likelihood *l, struct likelihood_point point)
{
    vec_push(&l->points, point);
    size_t at = l->points.count - 1;
    while (at > 0 && l->points.at[at - 1].step_count > point.step_count) {
        l->points.at[at] = l->points.at[at - 1];
        at--;
    }
    must(at == 0 || l->points.at[at - 1].step_count < point.step_count);
    l->points.at[at] = point;
}

/* Adds the point, if the limit allows all of its runs. */
static int measure(struct measuring *m, uint32_t step_count, struct err *e)
{
    struct likelihood_point point = {.step_count = step_count, .runs = m->runs_each};
    for (uint32_t i = 0; i < point.runs; i++) {
        if (limit_is_spent(m->options->limit, m->result->run_count)) {
            m->result->is_cut = true;
            return 0;
        }
        const int failed = run_once(m, step_count, i, e);
        if (failed < 0) {
            return -1;
        }
        point.failed += (uint32_t)failed;
    }
    insert(m->result, point);
    return 0;
}

/* All steps, none, and evenly spaced numbers of steps between. */
static int measure_first(struct measuring *m, struct err *e)
{
    const uint32_t count = (uint32_t)m->turns.count;
    const uint32_t parts = count < POINTS_FIRST ? count : POINTS_FIRST;
    int result = measure(m, 0, e);
    for (uint32_t i = parts; i > 0 && result == 0 && !m->result->is_cut; i--) {
        result = measure(m, (uint32_t)((uint64_t)count * i / parts), e);
    }
    return result;
}

/* Halves the distance over which the share rises most, until it is one step. */
static int refine(struct measuring *m, struct err *e)
{
    int result = 0;
    while (result == 0 && !m->result->is_cut) {
        const struct likelihood_point *jump = likelihood_jump(m->result);
        if (jump == NULL || jump->step_count - jump[-1].step_count <= 1) {
            break;
        }
        result = measure(m, jump[-1].step_count + (jump->step_count - jump[-1].step_count) / 2, e);
    }
    return result;
}

int likelihood_measure(struct world *w, const struct plan *plan, const struct execution *failing,
                       const struct likelihood_options *o, struct likelihood *l, struct err *e)
{
    struct measuring m = {.world = w,
                          .plan = plan,
                          .failing = failing,
                          .options = o,
                          .result = l,
                          .runs_each = o->runs_each == 0 ? LIKELIHOOD_RUNS_DEFAULT : o->runs_each};
    must(outcome_is_violation(failing->outcome));
    must(l->points.count == 0);
    for (uint32_t i = 0; i < failing->steps.count; i++) {
        vec_push(&m.turns,
                 (struct pick_turn){.name = failing->steps.at[i].operation.name, .step = i});
    }
    int result = measure_first(&m, e);
    if (result == 0) {
        result = refine(&m, e);
    }
    vec_release(&m.turns);
    execution_release(&m.run);
    return result;
}

const struct likelihood_point *likelihood_jump(const struct likelihood *l)
{
    const struct likelihood_point *jump = NULL;
    uint32_t most = 0;
    for (size_t i = 1; i < l->points.count; i++) {
        const struct likelihood_point *point = &l->points.at[i];
        must(point->runs == point[-1].runs);
        if (point->failed > point[-1].failed && point->failed - point[-1].failed > most) {
            most = point->failed - point[-1].failed;
            jump = point;
        }
    }
    return jump;
}

void likelihood_release(struct likelihood *l)
{
    vec_release(&l->points);
}
