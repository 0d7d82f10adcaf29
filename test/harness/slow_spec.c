#include "slow_spec.h"

#include <string.h>

#include "base/arena.h"

struct evaluation {
    const struct spec *spec;
    const struct slow_run *run;
    uint32_t *process_of; /* per node that binds */
    struct arena *arena;
};

static bool truth_at(struct evaluation *v, uint32_t node, size_t at);

static uint32_t process_of(const struct evaluation *v, const struct spec_process *process)
{
    if (process->binder != SPEC_NONE) {
        return v->process_of[process->binder];
    }
    uint32_t i = 0;
    while (strcmp(random_processes[i], names_text(&v->spec->names, process->name)) != 0) {
        i++;
        must(i < RANDOM_PROCESS_COUNT);
    }
    return i;
}

static uint32_t variable_of(const struct evaluation *v, uint32_t name)
{
    return strcmp(names_text(&v->spec->names, name), random_variables[0]) == 0 ? 0 : 1;
}

/* The random groups are all processes, or those that begin with n: all but the last. */
static uint32_t member_count(const struct spec_node *n)
{
    return n->group == 0 ? RANDOM_PROCESS_COUNT : RANDOM_PROCESS_COUNT - 1;
}

static int64_t extreme(uint8_t op, int64_t a, int64_t b)
{
    const bool is_least = op == SPEC_MIN || op == SPEC_LEAST;
    return (a < b) == is_least ? a : b;
}

static int64_t number_at(struct evaluation *v, uint32_t node, size_t at)
{
    const struct spec_node *n = spec_at(v->spec, node);
    const struct slow_state *state = &v->run->states[at];
    int64_t total = 0;
    switch (n->op) {
    case SPEC_NUMBER: return n->number;
    case SPEC_TIMES: return n->number * number_at(v, n->left, at);
    case SPEC_PLUS: return number_at(v, n->left, at) + number_at(v, n->right, at);
    case SPEC_MINUS: return number_at(v, n->left, at) - number_at(v, n->right, at);
    case SPEC_PRODUCT: return number_at(v, n->left, at) * number_at(v, n->right, at);
    case SPEC_MIN:
    case SPEC_MAX: return extreme(n->op, number_at(v, n->left, at), number_at(v, n->right, at));
    case SPEC_VARIABLE:
        return state->values[process_of(v, &n->process)][variable_of(v, n->variable)];
    case SPEC_NOW: return (int64_t)state->now;
    case SPEC_STEPS: return (int64_t)state->step;
    case SPEC_MESSAGES:
        return state->messages[process_of(v, &n->process)][process_of(v, &n->other)];
    case SPEC_SUM:
    case SPEC_COUNT:
        for (uint32_t i = 0; i < member_count(n); i++) {
            v->process_of[node] = i;
            total += n->op == SPEC_SUM ? number_at(v, n->left, at) : truth_at(v, n->left, at);
        }
        return total;
    case SPEC_LEAST:
    case SPEC_MOST:
        v->process_of[node] = 0;
        total = number_at(v, n->left, at);
        for (uint32_t i = 1; i < member_count(n); i++) {
            v->process_of[node] = i;
            total = extreme(n->op, total, number_at(v, n->left, at));
        }
        return total;
    default: bug("no number");
    }
}

static bool compare_at(struct evaluation *v, const struct spec_node *n, size_t at)
{
    const int64_t left = number_at(v, n->left, at);
    const int64_t right = number_at(v, n->right, at);
    switch ((enum spec_relation)n->relation) {
    case SPEC_EQ: return left == right;
    case SPEC_NE: return left != right;
    case SPEC_LT: return left < right;
    case SPEC_LE: return left <= right;
    case SPEC_GT: return left > right;
    case SPEC_GE: return left >= right;
    }
    bug("relation");
}

/* Whether a formula about one moment holds at a step. */
static bool truth_at(struct evaluation *v, uint32_t node, size_t at)
{
    const struct spec_node *n = spec_at(v->spec, node);
    bool is_all = true;
    bool is_any = false;
    switch (n->op) {
    case SPEC_TRUE: return true;
    case SPEC_FALSE: return false;
    case SPEC_COMPARE: return compare_at(v, n, at);
    case SPEC_SAME:
        return (process_of(v, &n->process) == process_of(v, &n->other)) == (n->relation == SPEC_EQ);
    case SPEC_NOT: return !truth_at(v, n->left, at);
    case SPEC_AND: return truth_at(v, n->left, at) && truth_at(v, n->right, at);
    case SPEC_OR: return truth_at(v, n->left, at) || truth_at(v, n->right, at);
    case SPEC_IMPLIES: return !truth_at(v, n->left, at) || truth_at(v, n->right, at);
    case SPEC_FORALL:
    case SPEC_EXISTS:
        for (uint32_t i = 0; i < member_count(n); i++) {
            v->process_of[node] = i;
            const bool body = truth_at(v, n->left, at);
            is_all = is_all && body;
            is_any = is_any || body;
        }
        return n->op == SPEC_FORALL ? is_all : is_any;
    default: bug("not about one moment");
    }
}

static bool is_in_time(int64_t bound, uint64_t from, uint64_t to)
{
    return bound == SPEC_UNBOUNDED || to - from <= (uint64_t)bound;
}

/* A walk along the run that goes on with its last turn for ever. */
struct walk {
    size_t at;
    uint64_t time;
    size_t taken; /* steps: after as many as there are, all has been seen */
};

static struct walk walk_begin(const struct evaluation *v, size_t at)
{
    return (struct walk){.at = at, .time = v->run->states[at].time};
}

static void walk_on(const struct evaluation *v, struct walk *w)
{
    const struct slow_run *run = v->run;
    if (w->at + 1 < run->count) {
        w->time += run->states[w->at + 1].time - run->states[w->at].time;
        w->at++;
    } else {
        /* The turn before the last was as long as the next will be. */
        w->time += run->states[run->loop].time - run->states[run->loop - 1].time;
        w->at = run->loop;
    }
    w->taken++;
}

/* Whether the row is `wanted` at some step from `at` on, in time. */
static bool meets(const struct evaluation *v, const bool *row, bool wanted, int64_t bound,
                  size_t at)
{
    for (struct walk w = walk_begin(v, at);
         w.taken <= v->run->count && is_in_time(bound, v->run->states[at].time, w.time);
         walk_on(v, &w)) {
        if (row[w.at] == wanted) {
            return true;
        }
    }
    return false;
}

static bool met(const struct evaluation *v, const bool *row, int64_t bound, size_t at)
{
    for (size_t i = at + 1;
         i-- > 0 && is_in_time(bound, v->run->states[i].time, v->run->states[at].time);) {
        if (row[i]) {
            return true;
        }
    }
    return false;
}

static bool until_at(const struct evaluation *v, const bool *left, const bool *right, size_t at)
{
    struct walk w = walk_begin(v, at);
    while (w.taken <= v->run->count && left[w.at] && !right[w.at]) {
        walk_on(v, &w);
    }
    return right[w.at];
}

static bool since_at(const bool *left, const bool *right, size_t at)
{
    while (at > 0 && left[at] && !right[at]) {
        at--;
    }
    return right[at];
}

static bool leads_at(const struct evaluation *v, const struct spec_node *n, const bool *left,
                     const bool *right, size_t at)
{
    for (struct walk w = walk_begin(v, at); w.taken <= v->run->count; walk_on(v, &w)) {
        if (left[w.at] && !meets(v, right, true, n->number, w.at)) {
            return false;
        }
    }
    return true;
}

static bool temporal_at(const struct evaluation *v, const struct spec_node *n, const bool *left,
                        const bool *right, size_t at)
{
    switch (n->op) {
    case SPEC_NOT: return !left[at];
    case SPEC_AND: return left[at] && right[at];
    case SPEC_OR: return left[at] || right[at];
    case SPEC_IMPLIES: return !left[at] || right[at];
    case SPEC_NEXT: return left[at + 1 < v->run->count ? at + 1 : v->run->loop];
    case SPEC_UNTIL: return until_at(v, left, right, at);
    case SPEC_SINCE: return since_at(left, right, at);
    case SPEC_EVENTUALLY: return meets(v, left, true, n->number, at);
    case SPEC_ALWAYS: return !meets(v, left, false, n->number, at);
    case SPEC_ONCE: return met(v, left, n->number, at);
    case SPEC_LEADS_TO: return leads_at(v, n, left, right, at);
    default: bug("not temporal");
    }
}

static bool *row_of(struct evaluation *v, uint32_t node);

static void quantify(struct evaluation *v, uint32_t node, bool *row)
{
    const struct spec_node *n = spec_at(v->spec, node);
    for (uint32_t i = 0; i < member_count(n); i++) {
        v->process_of[node] = i;
        const bool *body = row_of(v, n->left);
        for (size_t at = 0; at < v->run->count; at++) {
            row[at] = i == 0                 ? body[at]
                      : n->op == SPEC_FORALL ? row[at] && body[at]
                                             : row[at] || body[at];
        }
    }
}

static bool *row_of(struct evaluation *v, uint32_t node)
{
    const struct spec_node *n = spec_at(v->spec, node);
    bool *row = arena_array(v->arena, bool, v->run->count);
    if (n->is_temporal && (n->op == SPEC_FORALL || n->op == SPEC_EXISTS)) {
        quantify(v, node, row);
        return row;
    }
    const bool *left = n->is_temporal ? row_of(v, n->left) : NULL;
    const bool *right = n->is_temporal && n->right != SPEC_NONE ? row_of(v, n->right) : NULL;
    for (size_t at = 0; at < v->run->count; at++) {
        row[at] = n->is_temporal ? temporal_at(v, n, left, right, at) : truth_at(v, node, at);
    }
    return row;
}

void slow_decide(const struct spec *s, uint32_t root, const struct slow_run *run, bool *is_true)
{
    struct arena arena = {0};
    struct evaluation v = {.spec = s,
                           .run = run,
                           .process_of = arena_array(&arena, uint32_t, s->nodes.count),
                           .arena = &arena};
    memcpy(is_true, row_of(&v, root), run->count * sizeof *is_true);
    arena_release(&arena);
}
