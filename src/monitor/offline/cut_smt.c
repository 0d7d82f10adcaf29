#include "monitor/offline/cut_smt.h"

static uint32_t taken_of(const struct cut_smt *w, uint32_t process)
{
    return w->is_packed ? process : 2 * process;
}

static uint32_t clock_of(uint32_t process)
{
    return 2 * process + 1;
}

struct solve_atom cut_smt_fewer(const struct cut_smt *w, uint32_t process, uint32_t than)
{
    const struct cuts *c = w->cuts;
    const uint32_t count = c->first[process + 1] - c->first[process];
    if (!w->is_packed) {
        return solve_at_most(taken_of(w, process), (int64_t)than - 1);
    }
    return solve_at_most(process, than == 0      ? w->key_min - 1
                                  : than > count ? w->key_max
                                                 : w->key[c->first[process] + than - 1] - 1);
}

struct solve_atom cut_smt_at_least(const struct cut_smt *w, uint32_t process, uint32_t wanted)
{
    const struct cuts *c = w->cuts;
    const uint32_t count = c->first[process + 1] - c->first[process];
    if (!w->is_packed) {
        return solve_at_least(taken_of(w, process), wanted);
    }
    return solve_at_least(process, wanted == 0      ? w->key_min
                                   : wanted > count ? w->key_max + 1
                                                    : w->key[c->first[process] + wanted - 1]);
}

/* ---- packed numbers ---- */

static uint32_t counter_max(const struct cuts *c)
{
    uint32_t most = 0;
    uint32_t count = 0;
    for (uint32_t r = 1; r < cuts_report_count(c); r++) {
        count = c->process[r] == c->process[r - 1] && c->time[r] == c->time[r - 1] ? count + 1 : 0;
        most = count > most ? count : most;
    }
    return most;
}

/* Chooses the packed encoding; false when the times do not permit it. */
static bool pack(struct cut_smt *w, struct arena *a)
{
    const struct cuts *c = w->cuts;
    const uint32_t count = cuts_report_count(c);
    const int64_t most = INT64_C(1) << 60;
    int64_t earliest = INT64_MAX;
    int64_t latest = INT64_MIN;
    for (uint32_t r = 0; r < count; r++) {
        earliest = c->time[r] < earliest ? c->time[r] : earliest;
        latest = c->time[r] > latest ? c->time[r] : latest;
    }
    const int64_t counters = (int64_t)counter_max(c) + 1;
    const int64_t room = most / (4 * counters);
    if (count == 0 || c->skew > room || earliest == INT64_MIN ||
        (uint64_t)latest - (uint64_t)earliest > (uint64_t)room) {
        return false;
    }
    int64_t *key = arena_array(a, int64_t, count);
    int64_t counter = 0;
    for (uint32_t r = 0; r < count; r++) {
        const bool is_same =
            r > 0 && c->process[r] == c->process[r - 1] && c->time[r] == c->time[r - 1];
        counter = is_same ? counter + 1 : 0;
        key[r] = (c->time[r] - earliest) * 2 * counters + counter;
    }
    w->key = key;
    w->apart = c->skew * 2 * counters + counters;
    w->key_min = -w->apart - 1;
    w->key_max = (latest - earliest + 1) * 2 * counters + w->apart;
    return true;
}

/* ---- cuts ---- */

/* A report without a time precedes all reports with one. */
static int64_t time_without(const struct cuts *c)
{
    int64_t earliest = INT64_MAX;
    for (uint32_t r = 0; r < cuts_report_count(c); r++) {
        earliest = c->time[r] != INT64_MIN && c->time[r] < earliest ? c->time[r] : earliest;
    }
    return earliest < INT64_MIN + 2 + c->skew ? INT64_MIN + 1 : earliest - c->skew - 1;
}

static void add_reports(const struct cut_smt *w, uint32_t process)
{
    const struct cuts *c = w->cuts;
    struct problem *p = w->problem;
    /* The last report that every cut takes bounds the time of its process from below. */
    const uint32_t low = w->low[process] > 0 ? w->low[process] - 1 : 0;
    for (uint32_t r = c->first[process] + low; r < c->first[process] + w->high[process]; r++) {
        const uint32_t position = r - c->first[process];
        for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
            const uint32_t other = c->process[c->needs[n]];
            problem_add_either(p, cut_smt_fewer(w, process, position + 1),
                               cut_smt_at_least(w, other, c->needs[n] - c->first[other] + 1));
        }
        if (!w->is_packed && c->skew != INT64_MAX) {
            const int64_t time = c->time[r] == INT64_MIN ? w->no_time : c->time[r];
            problem_add_either(p, cut_smt_fewer(w, process, position + 1),
                               solve_at_least(clock_of(process), time));
            problem_add_either(p, cut_smt_at_least(w, process, position + 1),
                               solve_at_most(clock_of(process), time));
        }
    }
}

static void add_skew(const struct cut_smt *w, uint32_t process, uint32_t other)
{
    const uint32_t left = w->is_packed ? process : clock_of(process);
    const uint32_t right = w->is_packed ? other : clock_of(other);
    const int64_t apart = w->is_packed ? w->apart : w->cuts->skew;
    problem_add(w->problem, solve_within(left, right, apart));
    problem_add(w->problem, solve_within(right, left, apart));
}

void cut_smt_build(struct cut_smt *w, const struct cut_smt_range *range, bool is_packed,
                   struct arena *a)
{
    w->low = range->low;
    w->high = range->high;
    w->no_time = time_without(w->cuts);
    w->is_packed = is_packed && w->cuts->skew != INT64_MAX && pack(w, a);
    const struct cuts *c = w->cuts;
    const uint32_t first =
        problem_variables(w->problem, w->is_packed ? c->process_count : 2 * c->process_count);
    must(first == 0);
    for (uint32_t process = 0; process < c->process_count; process++) {
        problem_add(w->problem, cut_smt_at_least(w, process, w->low[process]));
        problem_add(w->problem, cut_smt_fewer(w, process, w->high[process] + 1));
        add_reports(w, process);
        for (uint32_t other = 0; c->skew != INT64_MAX && other < process; other++) {
            add_skew(w, process, other);
        }
    }
}

uint32_t cut_smt_taken(const struct cut_smt *w, const int64_t *model, uint32_t process)
{
    const struct cuts *c = w->cuts;
    const int64_t value = model[taken_of(w, process)];
    uint32_t taken = 0;
    if (!w->is_packed) {
        return (uint32_t)value;
    }
    while (c->first[process] + taken < c->first[process + 1] &&
           w->key[c->first[process] + taken] <= value) {
        taken++;
    }
    return taken;
}
