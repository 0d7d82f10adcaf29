#include "explore/explore.h"

#include <string.h>

#include "base/mem.h"
#include "explore/crowd.h"
#include "explore/loop.h"
#include "world/recipe.h"

const char *explore_strategy_name(int strategy)
{
    switch (strategy) {
    case EXPLORE_AUTO: return "auto";
    case EXPLORE_DELAY: return "delay";
    case EXPLORE_DPOR: return "dpor";
    default:
        return strategy >= 0 && strategy < PICK_STRATEGY_COUNT
                   ? pick_strategy_name((enum pick_strategy)strategy)
                   : NULL;
    }
}

static struct search *search_new(const struct explore_options *o)
{
    switch (o->strategy) {
    case EXPLORE_AUTO: return search_auto(&o->search);
    case EXPLORE_DELAY: return search_delay(&o->search);
    case EXPLORE_DPOR: return search_dpor(&o->search);
    default: return search_sample(&o->search, (enum pick_strategy)o->strategy);
    }
}

struct plan search_plan(const struct search_options *o)
{
    return (struct plan){
        .pick = {.seed = o->seed, .depth = o->pct_depth},
        .faults = o->faults,
        .steps_max = o->depth,
    };
}

static char *copied(const char *text, size_t size)
{
    char *copy = mem_resize(NULL, size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

struct violation *explored_find(struct explored *x, const char *key)
{
    vec_each (&x->violations, v) {
        if (strcmp(v->key, key) == 0) {
            return v;
        }
    }
    return NULL;
}

static void keep_violation(struct explored *found, struct world *w, const struct plan *p,
                           const struct execution *x)
{
    found->violating_runs++;
    if (found->first_violation_run == 0) {
        found->first_violation_run = found->runs;
    }
    struct violation *known = explored_find(found, x->key);
    if (known != NULL) {
        known->count++;
        return;
    }
    struct schedule s;
    struct out text;
    schedule_init(&s);
    out_open_memory(&text);
    recipe_write(&s, w, p, x);
    schedule_print(&s, &text);
    vec_push(&found->violations, (struct violation){.key = copied(x->key, strlen(x->key)),
                                                    .what = copied(x->what, strlen(x->what)),
                                                    .schedule = copied(text.buffer, text.used),
                                                    .outcome = x->outcome,
                                                    .step_count = (uint32_t)x->steps.count,
                                                    .run = found->runs,
                                                    .hash = x->hash,
                                                    .count = 1});
    out_abandon(&text);
    schedule_release(&s);
}

static void count_run(struct explored *found, const struct execution *x)
{
    found->runs++;
    found->steps += x->steps.count;
    found->limited_runs += x->outcome == OUTCOME_LIMIT;
    found->redundant_runs += x->outcome == OUTCOME_REDUNDANT;
    if (x->steps.count > 0 && vec_last(&x->steps)->state != 0) {
        bool is_new = false;
        (void)map_slot(&found->states_seen, vec_last(&x->steps)->state, 1, &is_new);
        found->states += is_new;
    }
}

enum { RUNS_PER_LOOK = 16 };
static const uint64_t progress_ns = 100000000;

/* True when it is time to stop. */
static bool look_up(const struct explore_options *o, struct loop *l, struct explored *found,
                    struct world *w)
{
    const uint64_t now = limit_now_ns();
    found->is_stopped = *o->is_stopped != 0;
    if (found->is_stopped || limit_is_spent(&o->budget, found->runs * o->jobs)) {
        return true;
    }
    if (l->part != 0 || now < l->next_ns) {
        return false;
    }
    l->next_ns = now + progress_ns;
    const struct explore_progress p = {
        .runs = found->runs * o->jobs,
        .steps = found->steps * o->jobs,
        .states = found->states,
        .violation_count = found->violations.count,
        .find_ns = l->find_ns == 0 ? UINT64_MAX : now - l->find_ns,
        .coverage = w->ops->coverage(w),
    };
    o->progress(o->context, &p);
    return false;
}

int loop_run(struct world *w, const struct explore_options *o, struct loop *l,
             struct explored *found, struct err *e)
{
    struct search *search = search_new(o);
    struct execution x = {0};
    struct plan p;
    int result = 0;
    bool is_over = false;
    while (!is_over) {
        if (!search->ops->next(search, found->runs * o->jobs + l->part, &p)) {
            found->is_complete = search->ops->is_complete(search) && found->limited_runs == 0;
            break;
        }
        result = world_run(w, &p, &x, e);
        if (result < 0) {
            break;
        }
        count_run(found, &x);
        if (outcome_is_violation(x.outcome)) {
            const size_t before = found->violations.count;
            keep_violation(found, w, &p, &x);
            l->find_ns = found->violations.count > before ? limit_now_ns() : l->find_ns;
            is_over = o->stops_at_violation;
        }
        search->ops->learn(search, &p, &x);
        is_over = is_over || (found->runs % RUNS_PER_LOOK == 0 && look_up(o, l, found, w)) ||
                  (o->budget.runs != 0 && found->runs * o->jobs >= o->budget.runs);
    }
    found->coverage = w->ops->coverage(w);
    search->ops->free(search);
    execution_release(&x);
    return result;
}

int explore(struct world *w, const struct explore_options *o, struct explored *x, struct err *e)
{
    if (o->jobs > 1) {
        return crowd_explore(w, o, x, e);
    }
    struct loop l = {0};
    return loop_run(w, o, &l, x, e);
}

void explored_release(struct explored *x)
{
    vec_each (&x->violations, v) {
        mem_free(v->key);
        mem_free(v->what);
        mem_free(v->schedule);
    }
    vec_release(&x->violations);
    map_release(&x->states_seen);
}
