#include "atomicity/atomicity_grade.h"

#include "atomicity/version.h"
#include "base/map.h"
#include "base/sort.h"
#include "solve/solve.h"

/* The question to the solver is about the slice that the places need: the events that must come
 * before them, the writes that its reads saw, and the needs of those in turn. Every event of it
 * that orders anything is a variable, its place in the execution. */

enum { EVENTS_MAX = 4000, CLAUSES_MAX = 100000, STEPS_MAX = 200000 };

struct slice {
    const struct frame *f;
    uint32_t *need;       /* per task: how many of its events belong to it */
    uint32_t *done;       /* per task: how many of those were followed */
    struct map variable;  /* event to variable of the problem */
    VEC(event_id) events; /* by variable */
    struct problem problem;
    enum solve_way via;
    bool is_impossible;
    struct arena arena;
};

/* ---- the slice ---- */

static void include(struct slice *s, event_id id)
{
    const uint32_t task = trace_at(s->f->trace, id)->task;
    const uint32_t end = s->f->hb.contexts.position[id] + 1;
    s->need[task] = s->need[task] < end ? end : s->need[task];
}

static void follow_event(struct slice *s, event_id id, bool is_last)
{
    const struct hb *hb = &s->f->hb;
    const uint32_t task = trace_at(s->f->trace, id)->task;
    const struct graph_span in =
        graph_span_at(graph_into(&hb->graph, task), hb->contexts.position[id]);
    for (size_t i = 0; i < in.count; i++) {
        include(s, in.at[i].event);
    }
    const uint32_t number = s->f->access_of[id];
    const struct access *accesses = s->f->variables.accesses.at;
    if (number != ACCESS_NONE && !is_last && s->f->writer[number] != ACCESS_NONE &&
        accesses[number].is_read) {
        include(s, accesses[s->f->writer[number]].event);
    }
}

/* The last event of a task counts as read only once something follows it: it is looked at again
 * then. */
static void follow_task(struct slice *s, uint32_t task)
{
    const struct contexts *c = &s->f->hb.contexts;
    for (; s->done[task] < s->need[task]; s->done[task]++) {
        const uint32_t at = s->done[task];
        if (at > 0) {
            follow_event(s, context_event(c, task, at - 1), false);
        }
        follow_event(s, context_event(c, task, at), true);
    }
}

static size_t follow_needs(struct slice *s)
{
    size_t total = 0;
    for (bool is_changed = true; is_changed && total <= EVENTS_MAX;) {
        is_changed = false;
        total = 0;
        for (uint32_t task = 0; task < s->f->hb.contexts.task_count; task++) {
            is_changed |= s->done[task] < s->need[task];
            follow_task(s, task);
            total += s->need[task];
        }
    }
    return total;
}

/* ---- the problem ---- */

static uint32_t variable_of(struct slice *s, event_id id)
{
    const uint32_t *found = map_get(&s->variable, id);
    must(found != NULL);
    return *found;
}

static bool is_in(const struct slice *s, event_id id)
{
    return s->f->hb.contexts.position[id] < s->need[trace_at(s->f->trace, id)->task];
}

static void add_events(struct slice *s)
{
    const struct contexts *c = &s->f->hb.contexts;
    for (uint32_t task = 0; task < c->task_count; task++) {
        uint32_t last = UINT32_MAX;
        for (uint32_t i = 0; i < s->need[task]; i++) {
            const event_id id = context_event(c, task, i);
            const uint32_t variable = problem_variables(&s->problem, 1);
            map_put(&s->variable, id, variable);
            vec_push(&s->events, id);
            if (last != UINT32_MAX) {
                problem_add(&s->problem, solve_before(last, variable));
            }
            last = variable;
        }
    }
    vec_each (&s->f->hb.edges.list, edge) {
        if (is_in(s, edge->from) && is_in(s, edge->to)) {
            problem_add(&s->problem,
                        solve_before(variable_of(s, edge->from), variable_of(s, edge->to)));
        }
    }
}

/* Either the first ends before the second begins, or the reverse; one that does not end in the
 * slice comes last. */
static void add_exclusion(struct slice *s, const struct section *a, const struct section *b)
{
    must(sections_exclude(a, b));
    const bool a_ends = a->is_released && is_in(s, a->end);
    const bool b_ends = b->is_released && is_in(s, b->end);
    const struct solve_atom first =
        a_ends ? solve_before(variable_of(s, a->end), variable_of(s, b->begin))
               : (struct solve_atom){0};
    const struct solve_atom second =
        b_ends ? solve_before(variable_of(s, b->end), variable_of(s, a->begin))
               : (struct solve_atom){0};
    if (a_ends && b_ends) {
        problem_add_either(&s->problem, first, second);
    } else if (a_ends || b_ends) {
        problem_add(&s->problem, a_ends ? first : second);
    } else {
        s->is_impossible = true;
    }
}

static void add_exclusions(struct slice *s, const struct section *const *here, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count && !s->is_impossible; k++) {
            s->is_impossible = s->problem.clauses.count > CLAUSES_MAX;
            if (sections_exclude(here[i], here[k])) {
                add_exclusion(s, here[i], here[k]);
            }
        }
    }
}

static void add_locks(struct slice *s)
{
    const struct sections *sections = &s->f->hb.sections;
    VEC(const struct section *) here = {0};
    for (uint32_t lock = 0; lock < sections->lock_count && !s->is_impossible; lock++) {
        const struct lock *l = &sections->locks[lock];
        vec_clear(&here);
        for (uint32_t i = 0; l->is_contended && i < l->count; i++) {
            const struct section *section = &sections->list[sections->by_lock[l->first + i]];
            const bool counts =
                !version_is_awaited(section, s->f->version_first) || is_in(s, section->end);
            if (is_in(s, section->begin) && counts) {
                vec_push(&here, section);
            }
        }
        add_exclusions(s, here.at, here.count);
    }
    vec_release(&here);
}

static bool is_last_of_task(const struct slice *s, event_id id)
{
    return s->f->hb.contexts.position[id] + 1 == s->need[trace_at(s->f->trace, id)->task];
}

/* No other write comes between the read and the write it saw. */
static void add_read(struct slice *s, uint32_t number)
{
    const struct variables *all = &s->f->variables;
    const struct access *read = &all->accesses.at[number];
    const struct variable *v = &all->list.at[read->variable];
    const uint32_t at = variable_of(s, read->event);
    const uint32_t writer = s->f->writer[number];
    const struct access *saw = writer == ACCESS_NONE ? NULL : &all->accesses.at[writer];
    if (saw != NULL) {
        problem_add(&s->problem, solve_before(variable_of(s, saw->event), at));
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const struct access *w = &all->accesses.at[all->by_variable.at[v->first + i]];
        if (!w->is_write || w == saw || !is_in(s, w->event)) {
            continue;
        }
        const uint32_t write = variable_of(s, w->event);
        if (saw == NULL) {
            problem_add(&s->problem, solve_before(at, write));
        } else {
            problem_add_either(&s->problem, solve_before(write, variable_of(s, saw->event)),
                               solve_before(at, write));
        }
    }
}

static void add_reads(struct slice *s)
{
    for (size_t i = 0; i < s->events.count && !s->is_impossible; i++) {
        const event_id event = s->events.at[i];
        const uint32_t number = s->f->access_of[event];
        if (number != ACCESS_NONE && s->f->variables.accesses.at[number].is_read &&
            !is_last_of_task(s, event)) {
            add_read(s, number);
        }
        s->is_impossible = s->problem.clauses.count > CLAUSES_MAX;
    }
}

/* ---- the answer ---- */

static int compare_by_model(const void *left, const void *right, const void *context)
{
    const int64_t *model = context;
    const int64_t a = model[*(const uint32_t *)left];
    const int64_t b = model[*(const uint32_t *)right];
    return (a > b) - (a < b);
}

static bool ask(struct slice *s, struct segments *found)
{
    struct err e = {0};
    struct solver *solver = solver_new(&(struct solver_options){.way = s->via}, &s->problem, &e);
    if (solver == NULL) {
        return false;
    }
    const struct solve_question question = {.budget.step_count_max = STEPS_MAX};
    struct solve_answer answer;
    solver_decide(solver, &question, &answer);
    const bool is_found = answer.verdict == SOLVE_SAT;
    if (is_found) {
        uint32_t *order = arena_array(&s->arena, uint32_t, s->events.count + 1);
        for (uint32_t i = 0; i < s->events.count; i++) {
            order[i] = i;
        }
        sort_stable(order, s->events.count, sizeof *order, compare_by_model, answer.model);
        for (uint32_t i = 0; i < s->events.count; i++) {
            segments_add(found, s->f, s->events.at[order[i]]);
        }
    }
    solver_free(solver);
    return is_found;
}

static bool solve_slice(struct slice *s, const event_id *places, size_t place_count,
                        struct segments *found)
{
    for (size_t i = 0; i < place_count; i++) {
        include(s, places[i]);
    }
    if (follow_needs(s) > EVENTS_MAX) {
        return false;
    }
    add_events(s);
    must(s->variable.entries.count == s->events.count);
    add_locks(s);
    add_reads(s);
    for (size_t i = 0; i + 1 < place_count; i++) {
        problem_add(&s->problem,
                    solve_before(variable_of(s, places[i]), variable_of(s, places[i + 1])));
    }
    return !s->is_impossible && ask(s, found);
}

/* Looks for an execution in which reads see the same writes, into *found. */
static bool find_execution(const struct frame *f, const event_id *places, size_t place_count,
                           struct segments *found, enum solve_way via)
{
    struct slice s = {.f = f, .via = via};
    const size_t task_count = f->trace->tables.tasks.count;
    s.need = arena_array(&s.arena, uint32_t, task_count + 1);
    s.done = arena_array(&s.arena, uint32_t, task_count + 1);
    const bool is_found = solve_slice(&s, places, place_count, found);
    map_release(&s.variable);
    vec_release(&s.events);
    problem_release(&s.problem);
    arena_release(&s.arena);
    return is_found;
}

enum finding_grade grade_claim(const struct frame *f, const event_id *places, size_t place_count,
                               struct segments *x, enum solve_way via)
{
    if (f->trace->tables.order == ORDER_STAMPED) {
        return GRADE_MAY;
    }
    if (execution_keeps_reads(f, x) && execution_keeps_versions(f, x)) {
        return GRADE_SOUND;
    }
    struct segments found = {0};
    struct err e = {0};
    const struct execution_claim claim = {
        .segments = &found, .places = places, .place_count = place_count};
    const bool is_sound = find_execution(f, places, place_count, &found, via) &&
                          execution_check(f, &claim, &e) == 0 && execution_keeps_reads(f, &found) &&
                          execution_keeps_versions(f, &found);
    if (is_sound) {
        segments_release(x);
        *x = found;
    } else {
        segments_release(&found);
    }
    return is_sound ? GRADE_SOUND : GRADE_MAY;
}
