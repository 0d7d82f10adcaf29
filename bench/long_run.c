/* Fuzzing as DEMi's authors did it: the first run that breaks the system after so many steps.
 *
 *     long_run SYSTEM.so WITH WEIGHTS SEED STEPS_MIN STEPS_MAX OUT.sched
 *
 * WITH chooses a variant of the system ("raft-45,demi=1"). WEIGHTS are the relative probabilities
 * of a message, a timer and a request as the next step ("4:1:4"); a fault is as likely as a
 * message. If timers fire as often as messages arrive, an exchange of many messages never
 * completes. Runs are numbered from SEED on. Prints the number of runs and the length of the last
 * one. Exit status 1 if there is none within ten minutes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/out.h"
#include "sim/sim.h"
#include "wire/prng.h"
#include "world/recipe.h"

static const uint64_t time_max_ns = UINT64_C(600000000000);

struct weights {
    uint32_t message, timer, request;
};

struct wish {
    struct weights weights;
    uint64_t seed;
    uint32_t steps_min, steps_max;
};

static bool parse_weights(struct weights *w, const char *text)
{
    int end = 0;
    return sscanf(text, "%4u:%4u:%4u%n", &w->message, &w->timer, &w->request, &end) == 3 &&
           text[end] == '\0' && w->message > 0 && w->timer > 0 && w->request > 0;
}

static uint32_t weight_of(const struct weights *w, const struct pick_operation *o)
{
    return o->kind == EVENT_TIMER_FIRE       ? w->timer
           : o->is_external && o->fault == 0 ? w->request
                                             : w->message;
}

static uint32_t draw(struct prng *prng, const struct weights *weights,
                     const struct pick_operation *pending, uint32_t count)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        total += weight_of(weights, &pending[i]);
    }
    uint64_t left = prng_below(prng, total);
    uint32_t drawn = 0;
    while (left >= weight_of(weights, &pending[drawn])) {
        left -= weight_of(weights, &pending[drawn++]);
    }
    return drawn;
}

/* To its end, or until nothing but faults could come. */
static void run(struct world *w, const struct wish *wish, const struct plan *p, struct execution *x)
{
    struct prng prng;
    prng_init(&prng, p->pick.seed);
    w->ops->begin(w, p, x);
    bool goes_on = x->outcome == OUTCOME_PASSED;
    while (goes_on && x->steps.count < wish->steps_max) {
        const struct pick_operation *pending = NULL;
        const uint32_t count = w->ops->pending(w, &pending);
        goes_on = count > 0 && pending[0].fault == 0 &&
                  w->ops->step(w, draw(&prng, &wish->weights, pending, count), x);
    }
}

/* How many runs it took, 0 when none was found: x is the last, p its plan. */
static uint64_t find(struct world *w, const struct wish *wish, struct plan *p, struct execution *x,
                     struct err *e)
{
    struct limit limit = {.time_ns = time_max_ns};
    limit_begin(&limit);
    for (uint64_t number = 0; !limit_is_spent(&limit, number); number++) {
        p->pick.seed = wish->seed + number;
        execution_clear(x);
        run(w, wish, p, x);
        if (outcome_is_violation(x->outcome) && x->steps.count >= wish->steps_min) {
            return number + 1;
        }
    }
    (void)err_set(e, "no run that is long enough shows a violation");
    return 0;
}

/* A run of this program has no hash: executes x again, step by step. */
static int repeat(struct world *w, const struct plan *p, struct execution *x, struct err *e)
{
    VEC(struct pick_turn) turns = {0};
    vec_each (&x->steps, step) {
        vec_push(&turns, (struct pick_turn){.name = step->operation.name,
                                            .step = (uint32_t)(step - x->steps.at)});
    }
    struct plan again = *p;
    again.pick.turns = turns.at;
    again.pick.turn_count = turns.count;
    again.steps_max = (uint32_t)turns.count;
    const int result = world_run(w, &again, x, e);
    vec_release(&turns);
    return result;
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
        (void)fprintf(stderr, "long_run SYSTEM.so WITH WEIGHTS SEED STEPS_MIN STEPS_MAX OUT\n");
        return 2;
    }
    struct wish wish = {.seed = strtoull(argv[4], NULL, 10),
                        .steps_min = (uint32_t)strtoul(argv[5], NULL, 10),
                        .steps_max = (uint32_t)strtoul(argv[6], NULL, 10)};
    if (!parse_weights(&wish.weights, argv[3])) {
        (void)fprintf(stderr, "long_run: %s: not three weights, as in 4:1:4\n", argv[3]);
        return 2;
    }
    struct err e = {.text = ""};
    struct world *w = NULL;
    struct execution x = {0};
    struct plan p = {0};
    uint64_t runs = 0;
    const struct sim_options options = {.with = argv[2]};
    if (sim_open(&w, argv[1], &options, &e) == 0 &&
        fault_budget_parse(&p.faults, sim_defaults(w).faults, &e) == 0) {
        runs = find(w, &wish, &p, &x, &e);
    }
    int status =
        runs > 0 && repeat(w, &p, &x, &e) == 0 && save(w, &p, &x, argv[7], &e) == 0 ? 0 : 1;
    if (status == 0) {
        (void)printf("%llu runs, %zu steps: %s\n", (unsigned long long)runs, x.steps.count, x.what);
    } else {
        (void)fprintf(stderr, "long_run: %s\n", e.text);
    }
    execution_release(&x);
    world_close(w);
    return status;
}
