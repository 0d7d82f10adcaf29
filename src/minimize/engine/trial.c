#include "minimize/engine/trial.h"

#include "minimize/engine/attempt.h"
#include "minimize/engine/best_run.h"
#include "minimize/engine/contents.h"

void reducer_begin_trial(struct reducer *trial, struct reducer *r)
{
    struct minimized *m = trial->result;
    must(m->replays == 0);
    *trial = (struct reducer){.world = r->world,
                              .options = r->options,
                              .result = m,
                              .of = r,
                              .speculation = r->speculation,
                              .stage = r->stage,
                              .ways = r->ways,
                              .violation = r->violation,
                              .faults = r->faults,
                              .e = r->e};
    m->replays = r->result->replays;
}

bool reducer_end_trial(struct reducer *r, struct reducer *trial)
{
    struct minimized *m = r->result;
    struct minimized *found = trial->result;
    must(trial->of == r);
    must(found->replays >= m->replays);
    m->stages[r->stage].replays += found->replays - m->replays;
    m->replays = found->replays;
    m->steps += found->steps;
    m->steps_reused += found->steps_reused;
    r->is_broken = r->is_broken || trial->is_broken;
    m->is_flaky = m->is_flaky || found->is_flaky;
    const bool is_taken =
        !r->is_broken && trial->best_count > 0 && best_is_beaten_by(r, &found->best);
    if (is_taken) {
        const struct contents before = m->contents;
        m->contents = found->contents;
        found->contents = before;
        m->plan = found->plan;
        best_replace(r, &found->best, found->final_bytes);
        m->proof = found->proof;
    }
    reducer_release(trial);
    return is_taken;
}

/* trial->tried, which shows the violation, is the best of the trial if it does so every time. */
static bool begin_with_tried(struct reducer *trial)
{
    if (!attempt_is_repeatable(trial, &trial->tried)) {
        return false;
    }
    best_replace(trial, &trial->again, trial->again_bytes);
    return true;
}

bool reducer_find_another(struct reducer *trial, const struct tail *tail, uint32_t runs_max)
{
    struct minimized *m = trial->result;
    for (uint32_t i = 0; i < runs_max && reducer_goes_on(trial); i++) {
        const struct plan p = {.pick = {.strategy = tail->strategy,
                                        .seed = tail->seed + i,
                                        .actions = tail->actions,
                                        .action_count = tail->action_count,
                                        .externals_max = tail->externals_max,
                                        .has_rare_timers = tail->has_rare_timers,
                                        .length = tail->steps_max},
                               .faults = trial->faults,
                               .steps_max = tail->steps_max};
        m->plan = (struct plan){.pick.seed = p.pick.seed, .faults = p.faults};
        if (attempt(trial, &p, WISH_SAME) && begin_with_tried(trial)) {
            return true;
        }
    }
    return false;
}

bool reducer_take_another(struct reducer *trial, const struct plan *p, const struct candidate *c)
{
    struct minimized *m = trial->result;
    m->plan = *p;
    m->plan.contents = NULL;
    for (size_t i = 0; i < p->content_count; i++) {
        contents_put(&m->contents, &p->contents[i]);
    }
    must(m->contents.list.count <= p->content_count);
    m->plan.contents = m->contents.list.at;
    return attempt_wants(trial, c, WISH_SAME) && begin_with_tried(trial);
}

bool reducer_drift(struct reducer *trial, const struct candidate *c, uint32_t steps_max)
{
    return attempt_wants(trial, c, WISH_SAME) && trial->tried.steps.count <= steps_max &&
           trial->tried.hash != trial->result->best.hash && begin_with_tried(trial);
}
