/* Fuzzing as DEMi's authors did it: the first run that breaks the system after so many steps.
 *
 *     long_run SYSTEM.so WITH STRATEGY SEED STEPS_MIN STEPS_MAX OUT.sched
 *
 * WITH is what is chosen about the system ("raft-45,demi=1"). Runs are numbered from SEED on. Says
 * how many there were and how long the last is. Exit status 1 when ten minutes bring none. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/out.h"
#include "sim/sim.h"
#include "world/recipe.h"

static const uint64_t time_max_ns = UINT64_C(600000000000);

struct wish {
    int strategy;
    uint64_t seed;
    uint32_t steps_min, steps_max;
};

/* How many runs it took, 0 when none was found: x is the last, p its plan. */
static uint64_t find(struct world *w, const struct wish *wish, struct plan *p, struct execution *x,
                     struct err *e)
{
    struct limit limit = {.time_ns = time_max_ns};
    limit_begin(&limit);
    p->steps_max = wish->steps_max;
    for (uint64_t run = 0; !limit_is_spent(&limit, run); run++) {
        p->pick = (struct pick_plan){.strategy = (enum pick_strategy)wish->strategy,
                                     .seed = wish->seed + run};
        if (world_run(w, p, x, e) < 0) {
            return 0;
        }
        if (outcome_is_violation(x->outcome) && x->steps.count >= wish->steps_min) {
            return run + 1;
        }
    }
    (void)err_set(e, "no run that is long enough shows a violation");
    return 0;
}

static int save(struct world *w, const struct plan *p, const struct execution *x, const char *path,
                struct err *e)
{
    struct schedule s;
    struct out out;
    schedule_init(&s);
    recipe_write(&s, w, p, x);
    int result = out_open(&out, path, e);
    if (result == 0) {
        schedule_print(&s, &out);
        result = out_close(&out, e);
    }
    schedule_release(&s);
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 8) {
        (void)fprintf(stderr, "long_run SYSTEM.so WITH STRATEGY SEED STEPS_MIN STEPS_MAX OUT\n");
        return 2;
    }
    const struct wish wish = {.strategy = pick_strategy_find(argv[3]),
                              .seed = strtoull(argv[4], NULL, 10),
                              .steps_min = (uint32_t)strtoul(argv[5], NULL, 10),
                              .steps_max = (uint32_t)strtoul(argv[6], NULL, 10)};
    struct err e = {.text = ""};
    struct world *w = NULL;
    struct execution x = {0};
    struct plan p = {0};
    uint64_t runs = 0;
    const struct sim_options options = {.with = argv[2]};
    if (wish.strategy >= 0 && sim_open(&w, argv[1], &options, &e) == 0 &&
        fault_budget_parse(&p.faults, sim_defaults(w).faults, &e) == 0) {
        runs = find(w, &wish, &p, &x, &e);
    }
    int status = runs > 0 && save(w, &p, &x, argv[7], &e) == 0 ? 0 : 1;
    if (status == 0) {
        (void)printf("%llu runs, %zu steps: %s\n", (unsigned long long)runs, x.steps.count, x.what);
    } else {
        (void)fprintf(stderr, "long_run: %s\n", e.text);
    }
    execution_release(&x);
    world_close(w);
    return status;
}
