#include "hunt/explain_run.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/map.h"
#include "base/mem.h"
#include "explore/replay.h"
#include "hunt/nearest_pass.h"
#include "hunt/own_memory.h"
#include "hunt/race_orders.h"
#include "hunt/run_rows.h"
#include "world/recipe.h"

/* Rows of the passing run, values that are listed, and how far apart two operations are looked for
 * that come in another order. */
enum { PASSING_ROWS = 12, VALUES_MAX = 10, ORDER_STEPS_MAX = 2000 };

struct explaining {
    struct world *world;
    const struct explain_options *options;
    struct explained_run *run;
    struct explanation *x;
    struct run_rows failing, passing;
    struct bits own; /* per step of the failing run: an access to memory of its task alone */
    struct arena scratch;
    struct nearest_pass nearest;
    struct map passing_step; /* name of an operation -> its step in the passing run */
};

/* Rows */

/* The rows of a run are released before the explanation. */
static const char *keep(struct explaining *g, const char *text)
{
    return arena_text(&g->x->arena, text, strlen(text));
}

static struct explained_row row_of(struct explaining *g, const struct run_rows *rows, size_t step,
                                   const struct execution *of)
{
    const struct run_row *row = run_rows_at(rows, step);
    must(row != NULL);
    const char *operation =
        row->words.has_value
            ? explanation_text(g->x, "%s = %lld", row->words.operation, (long long)row->words.value)
            : keep(g, row->words.operation);
    struct explained_row r = {.number = step + 1,
                              .column = explanation_column(g->x, row->words.task),
                              .operation = operation,
                              .location = keep(g, row->words.location),
                              .source = keep(g, row->words.source),
                              .detail = keep(g, row->detail)};
    const bool has_tasks = g->world->has_tasks;
    r.is_switch = has_tasks && step > 0 &&
                  of->steps.at[step - 1].operation.task != of->steps.at[step].operation.task;
    if (row->from[0] != '\0') {
        r.has_from = true;
        r.from = explanation_column(g->x, row->from);
    }
    return r;
}

static void mark_key(struct explaining *g, size_t step)
{
    vec_each (&g->x->rows, row) {
        row->is_key = row->is_key || row->number == step + 1;
    }
}

/* The known steps, with the one where the passing run parts. */
static void add_rows(struct explaining *g)
{
    const struct execution *x = &g->run->failing;
    for (size_t i = g->failing.first; i < x->steps.count; i++) {
        struct explained_row row = row_of(g, &g->failing, i, x);
        row.is_own = bits_has(g->own, i);
        vec_push(&g->x->rows, row);
    }
    must(g->x->rows.count <= x->steps.count);
    g->x->omitted_count = x->steps.count - g->x->rows.count;
    for (size_t i = 0; i < g->options->key_step_count; i++) {
        mark_key(g, g->options->key_steps[i]);
    }
    if (g->nearest.is_found) {
        mark_key(g, g->nearest.step);
    }
}

/* Of a long run, leaves the cause and the steps around it. */
static void cut_rows(struct explaining *g)
{
    const struct step *steps = g->run->failing.steps.at;
    VEC(struct pick_operation) keys = {0};
    vec_each (&g->x->rows, row) {
        if (row->is_key) {
            vec_push(&keys, steps[row->number - 1].operation);
        }
    }
    vec_each (&g->x->rows, row) {
        for (size_t i = 0; i < keys.count && !row->is_related; i++) {
            const struct pick_operation *own = &steps[row->number - 1].operation;
            row->is_related = own->task != keys.at[i].task && pick_conflicts(own, &keys.at[i]);
        }
    }
    vec_release(&keys);
    if (g->options->rows_max > 0) {
        explanation_cut(g->x, g->options->rows_max);
    }
}

/* The missing order */

struct pair {
    size_t first, second; /* steps of the failing run; first == second: none */
    size_t passing_first, passing_second;
};

static bool is_reversed(const struct explaining *g, size_t i, size_t k, struct pair *p)
{
    const struct pick_operation *a = &g->run->failing.steps.at[i].operation;
    const struct pick_operation *b = &g->run->failing.steps.at[k].operation;
    if (a->task == b->task || !pick_conflicts(a, b)) {
        return false;
    }
    const uint32_t *at_a = map_get(&g->passing_step, a->name);
    const uint32_t *at_b = map_get(&g->passing_step, b->name);
    if (at_a == NULL || at_b == NULL || *at_b > *at_a) {
        return false;
    }
    *p = (struct pair){i, k, *at_a, *at_b};
    return true;
}

/* The first pair of conflicting operations that the passing run has in the other order. Accesses to
 * memory are preferred: locks change places wherever the accesses that they guard do. */
static struct pair find_pair(const struct explaining *g, bool is_of_accesses)
{
    const size_t part = g->nearest.step;
    const size_t all = g->run->failing.steps.count;
    const size_t end = all - part > ORDER_STEPS_MAX ? part + ORDER_STEPS_MAX : all;
    struct pair p = {0};
    for (size_t k = part; k < end; k++) {
        if (is_of_accesses && !g->run->failing.steps.at[k].operation.is_access) {
            continue;
        }
        for (size_t i = part; i < k; i++) {
            if (is_reversed(g, i, k, &p)) {
                return p;
            }
        }
    }
    return p;
}

static const char *step_words(struct explaining *g, size_t step)
{
    const struct run_row *row = run_rows_at(&g->failing, step);
    return row == NULL ? explanation_text(g->x, "step %zu", step + 1)
                       : explanation_text(g->x, "step %zu (%s %s%s%s)", step + 1, row->words.task,
                                          row->words.operation,
                                          row->words.location[0] == '\0' ? "" : " at ",
                                          row->words.location);
}

static void add_order(struct explaining *g)
{
    struct pair p = find_pair(g, true);
    if (p.first == p.second) {
        p = find_pair(g, false);
    }
    if (p.first == p.second) {
        return;
    }
    mark_key(g, p.first);
    mark_key(g, p.second);
    vec_push(&g->x->order,
             explanation_text(g->x,
                              "%s comes before %s here, and after it in the passing run, where "
                              "they are steps %zu and %zu",
                              step_words(g, p.first), step_words(g, p.second), p.passing_first + 1,
                              p.passing_second + 1));
    vec_push(&g->x->order, explanation_text(g->x, "both runs are executions, so no lock, message "
                                                  "or wait puts the two in order"));
}

/* Values */

static void add_value(struct explaining *g, const char *what, const char *failing,
                      const char *passing)
{
    if (g->x->values.count < VALUES_MAX) {
        vec_push(&g->x->values, (struct explained_value){what, failing, passing});
    }
}

/* Reads of the failing run that see another value in the passing one. */
static void add_read_values(struct explaining *g)
{
    for (size_t i = g->failing.first; i < g->run->failing.steps.count; i++) {
        const struct run_row *own = run_rows_at(&g->failing, i);
        const uint32_t *at = map_get(&g->passing_step, g->run->failing.steps.at[i].operation.name);
        const struct run_row *other = at == NULL ? NULL : run_rows_at(&g->passing, *at);
        if (other != NULL && own->words.has_value && other->words.has_value &&
            own->words.value != other->words.value) {
            add_value(g, step_words(g, i),
                      explanation_text(g->x, "%lld", (long long)own->words.value),
                      explanation_text(g->x, "%lld", (long long)other->words.value));
        }
    }
}

/* Nodes whose states at the end differ. */
static void add_state_values(struct explaining *g)
{
    const char *own = g->failing.states;
    const char *other = g->passing.states;
    while (*own != '\0' && *other != '\0') {
        const char *a = explanation_take_line(&g->x->arena, &own);
        const char *b = explanation_take_line(&g->x->arena, &other);
        if (strcmp(a, b) != 0) {
            add_value(g, "state at the end", a, b);
        }
    }
}

/* The passing run */

static void add_passing(struct explaining *g)
{
    const struct nearest_pass *n = &g->nearest;
    const size_t count = n->run.steps.count;
    const bool hides_own = g->options->rows_max > 0;
    const struct bits own = own_memory_find(&n->run, &g->scratch);
    for (size_t i = n->step; i < count && g->x->passing_rows.count < PASSING_ROWS; i++) {
        const bool is_left_out = hides_own && i != n->step && bits_has(own, i);
        if (run_rows_at(&g->passing, i) != NULL && !is_left_out) {
            vec_push(&g->x->passing_rows, row_of(g, &g->passing, i, &n->run));
        }
    }
    const struct run_row *row = run_rows_at(&g->passing, n->step);
    must(n->step < count);
    g->x->passing = explanation_text(
        g->x,
        "takes the same %u step%s, then %s %s as step %u, and passes after %zu steps (the latest "
        "such step among %llu run%s tried)",
        n->step, n->step == 1 ? "" : "s", row == NULL ? "" : row->words.task,
        row == NULL ? "another operation" : row->words.operation, n->step + 1, count,
        (unsigned long long)n->run_count, n->run_count == 1 ? "" : "s");
}

static void compare(struct explaining *g)
{
    for (uint32_t i = 0; i < g->nearest.run.steps.count; i++) {
        map_put(&g->passing_step, g->nearest.run.steps.at[i].operation.name, i);
    }
    add_order(g);
    add_read_values(g);
    add_state_values(g);
    add_passing(g);
}

static void add_causes(struct explaining *g)
{
    struct out calls;
    if (g->world->ops->calls == NULL) {
        return;
    }
    out_open_memory(&calls);
    g->world->ops->calls(g->world, &calls);
    out_char(&calls, '\0');
    explanation_add_lines(g->x, &g->x->causes, calls.buffer);
    out_abandon(&calls);
}

static int explain(struct explaining *g, const struct plan *plan, struct err *e)
{
    const struct execution *failing = &g->run->failing;
    g->x->title = explanation_text(g->x, "%s: %s", outcome_name(failing->outcome), failing->what);
    g->x->row_noun = "step";
    add_causes(g);
    run_rows_read(&g->failing, g->world, plan, failing);
    g->own = own_memory_find(failing, &g->scratch);
    if (nearest_pass_find(g->world, plan, failing, g->options->limit, &g->nearest, e) < 0) {
        return -1;
    }
    add_rows(g);
    if (g->nearest.is_found) {
        g->run->passing = race_schedule_text(g->world, plan, &g->nearest.run);
        run_rows_read(&g->passing, g->world, plan, &g->nearest.run);
        compare(g);
    } else {
        g->x->passing = explanation_text(
            g->x, "unknown: none of %llu runs that take another step somewhere passes%s",
            (unsigned long long)g->nearest.run_count,
            g->nearest.is_cut ? ", and the budget ended (raise --budget)" : "");
    }
    cut_rows(g);
    return 0;
}

int explain_run(struct world *w, const struct schedule *s, const struct explain_options *o,
                struct explained_run *x, struct err *e)
{
    struct recipe recipe = {0};
    struct explaining g = {.world = w, .options = o, .run = x, .x = &x->result};
    int result = replay_check(w, s, e) < 0 ? -1 : recipe_parse(&recipe, s, e);
    if (result == 0) {
        recipe.plan.wants_pending = true;
        result = world_run(w, &recipe.plan, &x->failing, e);
    }
    if (result == 0) {
        recipe_explain(&x->failing);
        replay_say_divergence(s, &x->failing, x->divergence, sizeof x->divergence);
        x->is_shown = outcome_is_violation(x->failing.outcome) &&
                      !outcome_is_cut(x->failing.outcome, x->failing.severity);
        result = x->is_shown ? explain(&g, &recipe.plan, e) : 0;
    }
    run_rows_release(&g.failing);
    run_rows_release(&g.passing);
    nearest_pass_release(&g.nearest);
    arena_release(&g.scratch);
    map_release(&g.passing_step);
    recipe_release(&recipe);
    return result;
}

void explained_run_release(struct explained_run *x)
{
    execution_release(&x->failing);
    explanation_release(&x->result);
    mem_free(x->passing);
}
