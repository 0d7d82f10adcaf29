#include "monitor_run.h"

#include <string.h>

#include "base/limit.h"
#include "monitor/property_answer.h"

struct cost monitor_run(const struct trace *t, const char *property, int64_t skew,
                        const struct decide_options *o)
{
    struct spec s;
    struct in in;
    struct err e;
    struct notes notes = {0};
    struct state_history h = {0};
    struct bound bound = {0};
    struct arena arena = {0};
    spec_init(&s);
    in_open_memory(&in, property, strlen(property));
    must(spec_parse(&s, &in, &e) == 0);
    const double begin = limit_usage().cpu_seconds;
    state_history_processes(&h, t);
    must(bind_spec(&bound, &s,
                   &(struct checker_system){h.processes.at, (uint32_t)h.processes.count}, &e) == 0);
    const struct state_history_options options = {.skew = skew};
    state_history_build(&h, &s, &bound, &options, &notes);
    uint32_t *taken = arena_array(&arena, uint32_t, h.cuts.process_count);
    const double ready = limit_usage().cpu_seconds;
    const struct asking asking = {&h, o, bound.atoms.at[bound.properties.at[0].atom], taken};
    const struct monitor_answer answer = answer_decide(&asking);
    const struct cost cost = {ready - begin, limit_usage().cpu_seconds - ready, answer.verdict};
    arena_release(&arena);
    state_history_release(&h);
    bound_release(&bound);
    notes_release(&notes);
    in_close(&in);
    spec_release(&s);
    return cost;
}

struct cost monitor_run_many(const struct trace *t, const char *property, int64_t skew)
{
    enum { ROUNDS = 100 };
    struct cost mean = {0};
    for (int i = 0; i < ROUNDS; i++) {
        const struct cost cost = monitor_run(t, property, skew, &(struct decide_options){0});
        mean.verdict = cost.verdict;
        mean.reading_s += cost.reading_s / ROUNDS;
        mean.deciding_s += cost.deciding_s / ROUNDS;
    }
    return mean;
}

struct cost monitor_run_z3(const struct trace *t, const char *property, int64_t skew,
                           bool is_packed)
{
    const struct decide_options options = {.is_by_solver = true, .is_packed = is_packed};
    struct cost costs[3];
    for (size_t i = 0; i < 3; i++) {
        costs[i] = monitor_run(t, property, skew, &options);
        for (size_t k = i; k > 0 && costs[k].deciding_s < costs[k - 1].deciding_s; k--) {
            const struct cost less = costs[k];
            costs[k] = costs[k - 1];
            costs[k - 1] = less;
        }
    }
    return costs[1];
}
