#include "race/strict/strict_smt.h"

#include "base/bits.h"
#include "wire/kind.h"
#include "wire/must.h"

/* ---- which events have a variable ---- */

static void mark_events(const struct hb *hb, struct bits marked)
{
    vec_each (&hb->edges.list, edge) {
        bits_add(marked, edge->from);
        bits_add(marked, edge->to);
    }
    for (uint32_t i = 0; i < hb->sections.count; i++) {
        if (hb->sections.locks[hb->sections.list[i].lock].is_contended) {
            bits_add(marked, hb->sections.list[i].begin);
            bits_add(marked, hb->sections.list[i].end);
        }
    }
    for (uint32_t i = hb->contexts.task_count; i < hb->contexts.count; i++) {
        bits_add(marked, context_first(&hb->contexts, i));
        bits_add(marked, context_last(&hb->contexts, i));
    }
    for (uint32_t i = 0; i < hb->waits.count; i++) {
        const struct wait *w = &hb->waits.list[i];
        if (wait_is_strict(w)) {
            bits_add(marked, w->end);
        }
        if (wait_is_strict(w) && w->begin != EVENT_NONE) {
            bits_add(marked, w->begin);
        }
    }
    for (uint32_t i = 0; i < hb->waits.condition_count; i++) {
        const struct condition *condition = &hb->waits.conditions[i];
        for (uint32_t k = 0; k < condition->count; k++) {
            bits_add(marked, hb->waits.notifies[condition->first + k]);
        }
    }
}

static void number_events(struct formula *f, struct arena *a)
{
    const struct contexts *c = &f->hb->contexts;
    const size_t event_count = f->hb->trace->events.count;
    struct arena scratch = {0};
    const struct bits marked = bits_take(&scratch, event_count + 1);
    mark_events(f->hb, marked);
    uint32_t *marks = arena_array(a, uint32_t, event_count + 1);
    uint32_t *first = arena_array(a, uint32_t, (size_t)c->count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        first[i] = count;
        for (uint32_t position = 0; position < c->list[i].count; position++) {
            if (bits_has(marked, context_event(c, i, position))) {
                marks[count++] = position;
            }
        }
    }
    first[c->count] = count;
    arena_release(&scratch);
    f->marks = marks;
    f->mark_first = first;
    must(count <= event_count);
    (void)problem_variables(&f->p, count);
}

/* The first mark of the event's context at its position or behind; the end of the context's when
 * there is none. */
static uint32_t mark_from(const struct formula *f, event_id id)
{
    const uint32_t context = f->hb->contexts.of[id];
    const uint32_t position = f->hb->contexts.position[id];
    uint32_t low = f->mark_first[context];
    uint32_t high = f->mark_first[context + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (f->marks[middle] < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    must(low <= f->mark_first[context + 1]);
    return low;
}

static bool is_mark_of(const struct formula *f, uint32_t mark, event_id id)
{
    return mark < f->mark_first[f->hb->contexts.of[id] + 1] &&
           f->marks[mark] == f->hb->contexts.position[id];
}

static uint32_t variable_of(const struct formula *f, event_id id)
{
    const uint32_t mark = mark_from(f, id);
    must(is_mark_of(f, mark, id));
    return mark;
}

/* ---- the rules ---- */

/* Whether a bound is reached; `pairs` were looked at since the last call. */
static bool is_full(const struct formula *f, uint32_t pairs)
{
    const size_t clause_max = f->bounds.clause_max;
    return (clause_max > 0 && f->p.clauses.count >= clause_max) ||
           limit_is_over(f->bounds.watch, pairs);
}

static void add_before(struct formula *f, event_id a, event_id b)
{
    problem_add(&f->p, solve_before(variable_of(f, a), variable_of(f, b)));
}

static void add_chains_and_edges(struct formula *f)
{
    for (uint32_t i = 0; i < f->hb->contexts.count; i++) {
        for (uint32_t mark = f->mark_first[i]; mark + 1 < f->mark_first[i + 1]; mark++) {
            problem_add(&f->p, solve_before(mark, mark + 1));
        }
    }
    vec_each (&f->hb->edges.list, edge) {
        add_before(f, edge->from, edge->to);
    }
}

struct interval {
    event_id begin, end;
};

/* One is over before the other begins; unless that is known already. */
static void add_apart(struct formula *f, struct interval a, struct interval b)
{
    if (!hb_is_before(f->hb, a.end, b.begin) && !hb_is_before(f->hb, b.end, a.begin)) {
        problem_add_either(&f->p, solve_before(variable_of(f, a.end), variable_of(f, b.begin)),
                           solve_before(variable_of(f, b.end), variable_of(f, a.begin)));
    }
}

static void add_lock(struct formula *f, const struct lock *lock)
{
    const struct sections *s = &f->hb->sections;
    const uint32_t *numbers = s->by_lock + lock->first;
    must(lock->first + lock->count <= s->count);
    for (uint32_t later = 0; later < lock->count; later++) {
        for (uint32_t earlier = 0; earlier < later && !is_full(f, 1); earlier++) {
            const struct section *a = &s->list[numbers[earlier]];
            const struct section *b = &s->list[numbers[later]];
            if (sections_exclude(a, b)) {
                add_apart(f, (struct interval){a->begin, a->end},
                          (struct interval){b->begin, b->end});
            }
        }
    }
}

static void add_sections(struct formula *f)
{
    for (uint32_t i = 0; i < f->hb->sections.lock_count; i++) {
        if (f->hb->sections.locks[i].is_contended) {
            add_lock(f, &f->hb->sections.locks[i]);
        }
    }
}

static struct interval handler_interval(const struct contexts *c, uint32_t context)
{
    return (struct interval){context_first(c, context), context_last(c, context)};
}

static void add_handlers(struct formula *f, struct arena *scratch)
{
    const struct contexts *c = &f->hb->contexts;
    uint32_t *last = arena_array(scratch, uint32_t, (size_t)c->task_count + 1); /* 0: none */
    uint32_t *before = arena_array(scratch, uint32_t, (size_t)c->count + 1);
    for (uint32_t i = c->task_count; i < c->count; i++) {
        before[i] = last[c->list[i].task];
        last[c->list[i].task] = i;
        for (uint32_t other = before[i]; other != 0 && !is_full(f, 1); other = before[other]) {
            add_apart(f, handler_interval(c, other), handler_interval(c, i));
        }
    }
}

/* ---- waits ---- */

/* The wait's choice is not this notify, or the atom holds. */
static void add_if_chosen(struct formula *f, uint32_t choice, uint32_t number,
                          struct solve_atom atom)
{
    const struct solve_atom atoms[] = {
        solve_at_most(choice, (int64_t)number - 1),
        solve_at_least(choice, (int64_t)number + 1),
        atom,
    };
    problem_add_clause(&f->p, atoms, 3);
}

static bool may_end(const struct hb *hb, const struct wait *w, event_id notify)
{
    return notify != w->begin && notify != w->end &&
           (w->begin == EVENT_NONE || !hb_is_before(hb, notify, w->begin)) &&
           !hb_is_before(hb, w->end, notify);
}

/* A choice per wait, among the notifies of its condition: after its beginning, before its end. */
static void add_wait(struct formula *f, const struct wait *w, uint32_t choice)
{
    const struct condition *condition = &f->hb->waits.conditions[w->condition];
    VEC(struct solve_atom) any = {0};
    for (uint32_t k = 0; k < condition->count && !is_full(f, 1); k++) {
        const event_id notify = f->hb->waits.notifies[condition->first + k];
        if (!may_end(f->hb, w, notify)) {
            continue;
        }
        vec_push(&any, solve_value(choice, k));
        add_if_chosen(f, choice, k, solve_before(variable_of(f, notify), variable_of(f, w->end)));
        if (w->begin != EVENT_NONE) {
            add_if_chosen(f, choice, k,
                          solve_before(variable_of(f, w->begin), variable_of(f, notify)));
        }
    }
    problem_add_clause(&f->p, any.at, any.count);
    vec_release(&any);
}

/* A signal ends one wait at most. */
static void add_signals(struct formula *f, uint32_t first, uint32_t second, uint32_t condition)
{
    const struct condition *c = &f->hb->waits.conditions[condition];
    for (uint32_t k = 0; k < c->count && !is_full(f, 1); k++) {
        const event_id notify = f->hb->waits.notifies[c->first + k];
        if (trace_at(f->hb->trace, notify)->kind == EVENT_SIGNAL) {
            const struct solve_atom atoms[] = {
                solve_at_most(first, (int64_t)k - 1),
                solve_at_least(first, (int64_t)k + 1),
                solve_at_most(second, (int64_t)k - 1),
                solve_at_least(second, (int64_t)k + 1),
            };
            problem_add_clause(&f->p, atoms, 4);
        }
    }
}

static void add_waits(struct formula *f)
{
    const struct waits *w = &f->hb->waits;
    const uint32_t choices = problem_variables(&f->p, w->count);
    for (uint32_t i = 0; i < w->count; i++) {
        if (!wait_is_strict(&w->list[i])) {
            continue;
        }
        add_wait(f, &w->list[i], choices + i);
        for (uint32_t k = 0; k < i && !is_full(f, 1); k++) {
            if (wait_is_strict(&w->list[k]) && w->list[k].condition == w->list[i].condition) {
                add_signals(f, choices + k, choices + i, w->list[i].condition);
            }
        }
    }
}

bool formula_build(struct formula *f, const struct hb *hb, const struct formula_bounds *bounds,
                   struct arena *a)
{
    *f = (struct formula){.hb = hb, .bounds = *bounds};
    struct arena scratch = {0};
    number_events(f, a);
    add_chains_and_edges(f);
    add_sections(f);
    add_handlers(f, &scratch);
    add_waits(f);
    arena_release(&scratch);
    return !is_full(f, 0);
}

void formula_release(struct formula *f)
{
    problem_release(&f->p);
}

/* ---- questions ---- */

/* The variables before and behind an event; its own twice when it has one. */
struct gap {
    bool has_before, has_after;
    uint32_t before, after;
    bool is_mark;
};

static struct gap gap_of(const struct formula *f, event_id id)
{
    const uint32_t context = f->hb->contexts.of[id];
    const uint32_t mark = mark_from(f, id);
    if (is_mark_of(f, mark, id)) {
        return (struct gap){true, true, mark, mark, true};
    }
    return (struct gap){
        .has_before = mark > f->mark_first[context],
        .before = mark - 1,
        .has_after = mark < f->mark_first[context + 1],
        .after = mark,
    };
}

size_t formula_adjacent(const struct formula *f, event_id a, event_id b, struct solve_atom *atoms)
{
    const struct gap of_a = gap_of(f, a);
    const struct gap of_b = gap_of(f, b);
    if (of_a.is_mark && of_b.is_mark) {
        atoms[0] = solve_same(of_a.before, of_b.before);
        return 1;
    }
    size_t count = 0;
    if (of_a.has_before && of_b.has_after) {
        atoms[count++] = solve_before(of_a.before, of_b.after);
    }
    if (of_b.has_before && of_a.has_after) {
        atoms[count++] = solve_before(of_b.before, of_a.after);
    }
    return count;
}

size_t formula_before(const struct formula *f, event_id a, event_id b, struct solve_atom *atoms)
{
    const struct gap of_a = gap_of(f, a);
    const struct gap of_b = gap_of(f, b);
    if (!of_a.has_before || !of_b.has_after) {
        return 0;
    }
    atoms[0] = solve_before(of_a.before, of_b.after);
    return 1;
}

uint64_t formula_gap(const struct formula *f, event_id id)
{
    const uint32_t mark = mark_from(f, id);
    return (uint64_t)f->hb->contexts.of[id] << 33 | (uint64_t)mark << 1 | is_mark_of(f, mark, id);
}
