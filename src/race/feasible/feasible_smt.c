#include "race/feasible/feasible_smt.h"

#include "base/mem.h"
#include "base/sort.h"
#include "order/object_key.h"
#include "order/reads_from.h"
#include "trace/kind_table.h"
#include "wire/must.h"

void prefix_init(struct prefix *p, size_t event_count)
{
    *p = (struct prefix){0};
    p->variable = mem_zero(event_count + 1, sizeof *p->variable);
}

void prefix_release(struct prefix *p)
{
    problem_release(&p->problem);
    mem_free(p->variable);
}

/* ---- clauses ---- */

enum { CLAUSE_ATOMS_MAX = 4 };

/* A clause in the making. */
struct clause {
    struct solve_atom atoms[CLAUSE_ATOMS_MAX];
    size_t count;
    bool holds; /* whatever the values */
};

static void say(struct clause *c, struct solve_atom atom)
{
    must(c->count < CLAUSE_ATOMS_MAX);
    c->atoms[c->count++] = atom;
}

/* ... or the event is left out, if it may be. */
static void say_out(const struct prefix *p, struct clause *c, event_id id)
{
    if (p->relevant->part[id] == RELEVANT_OPTIONAL) {
        say(c, solve_not_after(p->end, p->variable[id]));
    }
}

static struct solve_atom before(const struct prefix *p, event_id a, event_id b)
{
    return solve_before(p->variable[a], p->variable[b]);
}

/* ... or a comes before b, if the window excludes one of them. Events done come first. For the
 * other excluded events only needs are known. */
static void say_before(const struct prefix *p, struct clause *c, event_id a, event_id b)
{
    const bool leaves_a = relevant_leaves(p->relevant, a);
    const bool leaves_b = relevant_leaves(p->relevant, b);
    if (!leaves_a && !leaves_b) {
        say(c, before(p, a, b));
    } else if (p->relevant->window.done != NULL) {
        c->holds |= leaves_a && (!leaves_b || a < b);
    } else {
        c->holds |= p->musts == NULL || !hb_is_before(p->musts, b, a);
    }
}

static void add(struct prefix *p, const struct clause *c)
{
    if (!c->holds) {
        problem_add_clause(&p->problem, c->atoms, c->count);
    }
}

static bool is_full(const struct prefix *p, size_t clause_max)
{
    return p->problem.clauses.count > clause_max;
}

/* Whether program order says that a comes before b. */
static bool is_before_in_context(const struct prefix *p, event_id a, event_id b)
{
    const struct contexts *c = &p->relevant->d->hb->contexts;
    return c->of[a] == c->of[b] && c->position[a] < c->position[b];
}

/* ---- needed events ---- */

static void add_demands(struct prefix *p)
{
    dependency_list needs = {0};
    vec_each (&p->relevant->events, id) {
        vec_clear(&needs);
        dependencies_of(p->relevant->d, *id, true, &needs);
        vec_each (&needs, need) {
            if (!relevant_leaves(p->relevant, *need)) {
                problem_add(&p->problem, before(p, *need, *id));
            }
        }
        if (p->relevant->part[*id] == RELEVANT_NEEDED) {
            problem_add(&p->problem, solve_before(p->variable[*id], p->end));
        }
    }
    vec_release(&needs);
}

/* ---- sections and handlers ---- */

struct interval {
    event_id begin, end;
};

/* One ends before the other begins, as far as both begin. */
static void add_apart(struct prefix *p, struct interval a, struct interval b)
{
    if (is_before_in_context(p, a.end, b.begin) || is_before_in_context(p, b.end, a.begin)) {
        return;
    }
    struct clause c = {0};
    if (relevant_has(p->relevant, a.end)) {
        say_before(p, &c, a.end, b.begin);
    }
    if (relevant_has(p->relevant, b.end)) {
        say_before(p, &c, b.end, a.begin);
    }
    say_out(p, &c, a.begin);
    say_out(p, &c, b.begin);
    add(p, &c);
}

static void add_sections(struct prefix *p, size_t clause_max)
{
    const struct section *list = p->relevant->d->hb->sections.list;
    for (size_t i = 0; i < p->relevant->sections.count; i++) {
        for (size_t k = 0; k < i && !is_full(p, clause_max); k++) {
            const struct section *a = &list[p->relevant->sections.at[i]];
            const struct section *b = &list[p->relevant->sections.at[k]];
            if (sections_exclude(a, b)) {
                add_apart(p, (struct interval){a->begin, a->end},
                          (struct interval){b->begin, b->end});
            }
        }
    }
}

static struct interval handler_interval(const struct contexts *c, uint32_t context)
{
    return (struct interval){context_first(c, context), context_last(c, context)};
}

static void add_handlers(struct prefix *p, size_t clause_max)
{
    const struct contexts *c = &p->relevant->d->hb->contexts;
    for (size_t i = 0; i < p->relevant->handlers.count; i++) {
        for (size_t k = 0; k < i && !is_full(p, clause_max); k++) {
            const uint32_t a = p->relevant->handlers.at[i];
            const uint32_t b = p->relevant->handlers.at[k];
            if (c->list[a].task == c->list[b].task) {
                add_apart(p, handler_interval(c, a), handler_interval(c, b));
            }
        }
    }
}

/* ---- reads ---- */

/* An access by its variable. */
struct touch {
    uint64_t variable;
    event_id event;
};

typedef VEC(struct touch) touch_list;

static int compare_touches(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct touch *a = left;
    const struct touch *b = right;
    const int order = (a->variable > b->variable) - (a->variable < b->variable);
    return order != 0 ? order : (a->event > b->event) - (a->event < b->event);
}

/* Whether no write may come between the read's write and the read. Not for reads in doubt, which
 * may have seen any write, nor across gaps of a recording. */
static bool is_exact(const struct prefix *p, event_id read)
{
    const struct reads_from *reads = p->relevant->d->hb->reads;
    return reads == NULL || (reads_from_is_certain(reads, read) && !reads->may_hide_write[read]);
}

/* The other write comes before the one that was read, or after the read. */
static void add_read(struct prefix *p, event_id read, event_id other)
{
    const event_id writer = p->relevant->d->writer[read];
    if (other == writer || other == read || is_before_in_context(p, read, other) ||
        (writer != EVENT_NONE && is_before_in_context(p, other, writer))) {
        return;
    }
    struct clause c = {0};
    if (writer != EVENT_NONE) {
        say_before(p, &c, other, writer);
    }
    say_before(p, &c, read, other);
    say_out(p, &c, read);
    add(p, &c);
}

/* A blind update that the read saw comes after the write that it saw; that both come before the
 * read is a dependency. */
static void add_update_seen(struct prefix *p, event_id read, event_id update)
{
    const event_id writer = p->relevant->d->writer[read];
    if (writer != EVENT_NONE && !is_before_in_context(p, writer, update)) {
        struct clause c = {0};
        say_before(p, &c, writer, update);
        say_out(p, &c, read);
        add(p, &c);
    }
}

/* Blind updates that do not commute come as listed, as far as both come. */
static void add_updates_apart(struct prefix *p, event_id first, event_id later)
{
    const struct event *events = p->relevant->d->hb->trace->events.at;
    if (event_is_update(&events[first]) && event_is_update(&events[later]) &&
        !event_updates_commute(&events[first], &events[later])) {
        struct clause c = {0};
        say(&c, before(p, first, later));
        say_out(p, &c, first);
        add(p, &c);
    }
}

/* The reads among the touches of one variable, each against the writes; and blind updates. */
static void add_reads_of(struct prefix *p, const struct touch *touches, size_t count,
                         size_t clause_max)
{
    const struct dependencies *d = p->relevant->d;
    const struct event *events = d->hb->trace->events.at;
    for (size_t i = 0; i < count; i++) {
        const event_id read = touches[i].event;
        for (size_t k = 0; k < i && event_is_update(&events[read]) && !is_full(p, clause_max);
             k++) {
            add_updates_apart(p, touches[k].event, read);
        }
        if (!dependency_reads(&events[read]) || !is_exact(p, read)) {
            continue;
        }
        for (size_t k = 0; k < count && !is_full(p, clause_max); k++) {
            const event_id other = touches[k].event;
            if (event_is_update(&events[other]) && dependency_saw_update(d, read, other)) {
                add_update_seen(p, read, other);
            } else if (dependency_writes(&events[other])) {
                add_read(p, read, other);
            }
        }
    }
}

static void add_reads(struct prefix *p, size_t clause_max)
{
    const struct trace *t = p->relevant->d->hb->trace;
    touch_list touches = {0};
    vec_each (&p->relevant->events, id) {
        const struct event *e = &t->events.at[*id];
        if (dependency_reads(e) || dependency_writes(e)) {
            const struct touch touch = {.variable = scope_name(t, e, e->object), .event = *id};
            vec_push(&touches, touch);
        }
    }
    sort_stable(touches.at, touches.count, sizeof *touches.at, compare_touches, NULL);
    for (size_t first = 0, end = 0; first < touches.count; first = end) {
        while (end < touches.count && touches.at[end].variable == touches.at[first].variable) {
            end++;
        }
        add_reads_of(p, touches.at + first, end - first, clause_max);
    }
    vec_release(&touches);
}

/* ---- streams ---- */

static bool is_send(const struct event *e)
{
    return e->kind == EVENT_SEND && message_is_stream(e);
}

/* Two sends of one channel, both there, come as listed. */
static void add_sends(struct prefix *p, size_t clause_max)
{
    const struct trace *t = p->relevant->d->hb->trace;
    touch_list sends = {0};
    vec_each (&p->relevant->events, id) {
        if (is_send(&t->events.at[*id])) {
            const struct touch send = {.variable = t->events.at[*id].object, .event = *id};
            vec_push(&sends, send);
        }
    }
    sort_stable(sends.at, sends.count, sizeof *sends.at, compare_touches, NULL);
    for (size_t i = 0; i < sends.count; i++) {
        for (size_t k = i; k-- > 0 && sends.at[k].variable == sends.at[i].variable;) {
            if (is_full(p, clause_max)) {
                break;
            }
            struct clause c = {0};
            say(&c, before(p, sends.at[k].event, sends.at[i].event));
            say_out(p, &c, sends.at[k].event);
            add(p, &c);
        }
    }
    vec_release(&sends);
}

/* ---- one-time initialization ---- */

/* Once another task has run a movable routine, nobody runs it again: if it begins at all, it begins
 * before every return from a call. */
static void add_routines(struct prefix *p, size_t clause_max)
{
    const struct hb *hb = p->relevant->d->hb;
    vec_each (&p->relevant->events, id) {
        const struct once *once = once_at(&hb->onces, *id);
        if (once == NULL || hb->trace->events.at[*id].kind != EVENT_ONCE || *id == once->end ||
            !relevant_has(p->relevant, once->begin) || is_full(p, clause_max)) {
            continue;
        }
        struct clause c = {0};
        say(&c, before(p, once->begin, *id));
        say_out(p, &c, once->begin);
        add(p, &c);
    }
}

/* ---- waits ---- */

/* The choice is not this notify, or the atom holds. */
static void add_if_chosen(struct prefix *p, uint32_t choice, uint32_t number,
                          struct solve_atom atom)
{
    struct clause c = {0};
    say(&c, solve_at_most(choice, (int64_t)number - 1));
    say(&c, solve_at_least(choice, (int64_t)number + 1));
    say(&c, atom);
    add(p, &c);
}

/* Each wait chooses one notify of its condition, between its beginning and its end, or a unit of a
 * semaphore's initial count, numbered behind them; the number after the last stands for none, which
 * only a wait that is left out may choose. */
static void add_wait(struct prefix *p, const struct wait *w, uint32_t choice)
{
    const struct waits *waits = &p->relevant->d->hb->waits;
    const struct condition *condition = &waits->conditions[w->condition];
    const int64_t none = (int64_t)condition->count + condition->token_count;
    problem_add(&p->problem, solve_at_least(choice, 0));
    problem_add(&p->problem, solve_at_most(choice, none));
    struct clause some = {0};
    say(&some, solve_at_most(choice, none - 1));
    say_out(p, &some, w->end);
    add(p, &some);
    for (uint32_t i = 0; i < condition->count; i++) {
        const event_id notify = waits->notifies[condition->first + i];
        if (!relevant_has(p->relevant, notify) || notify == w->begin || notify == w->end) {
            struct clause other = {0};
            say(&other, solve_at_most(choice, (int64_t)i - 1));
            say(&other, solve_at_least(choice, (int64_t)i + 1));
            add(p, &other);
            continue;
        }
        add_if_chosen(p, choice, i, before(p, notify, w->end));
        if (w->begin != EVENT_NONE) {
            add_if_chosen(p, choice, i, before(p, w->begin, notify));
        }
    }
}

/* Two choices of waits for one condition are not the same signal, post or unit. */
static void add_signals_of(struct prefix *p, const struct condition *condition, uint32_t a,
                           uint32_t b)
{
    const struct hb *hb = p->relevant->d->hb;
    for (uint32_t n = 0; n < condition->count + condition->token_count; n++) {
        const bool is_token = n >= condition->count;
        const event_id notify = is_token ? 0 : hb->waits.notifies[condition->first + n];
        if (is_token || notify_is_for_one(&hb->trace->events.at[notify])) {
            struct clause c = {0};
            say(&c, solve_at_most(a, (int64_t)n - 1));
            say(&c, solve_at_least(a, (int64_t)n + 1));
            say(&c, solve_at_most(b, (int64_t)n - 1));
            say(&c, solve_at_least(b, (int64_t)n + 1));
            add(p, &c);
        }
    }
}

/* A signal or a post serves one wait. */
static void add_signals(struct prefix *p, uint32_t first_choice, size_t clause_max)
{
    const struct waits *waits = &p->relevant->d->hb->waits;
    for (uint32_t i = 0; i < p->relevant->waits.count; i++) {
        const uint32_t condition = waits->list[p->relevant->waits.at[i]].condition;
        for (uint32_t k = 0; k < i && !is_full(p, clause_max); k++) {
            if (waits->list[p->relevant->waits.at[k]].condition == condition) {
                add_signals_of(p, &waits->conditions[condition], first_choice + i,
                               first_choice + k);
            }
        }
    }
}

static void add_waits(struct prefix *p, size_t clause_max)
{
    const struct waits *waits = &p->relevant->d->hb->waits;
    const uint32_t count = (uint32_t)p->relevant->waits.count;
    const uint32_t first_choice = problem_variables(&p->problem, count);
    for (uint32_t i = 0; i < count && !is_full(p, clause_max); i++) {
        add_wait(p, &waits->list[p->relevant->waits.at[i]], first_choice + i);
    }
    add_signals(p, first_choice, clause_max);
}

/* ---- all of it ---- */

static int compare_events(const void *left, const void *right, const void *context)
{
    (void)context;
    const event_id a = *(const event_id *)left;
    const event_id b = *(const event_id *)right;
    return (a > b) - (a < b);
}

/* The values that the solver begins with rise with the numbers of the variables, and the list is
 * nearly an order that solves the problem. */
static void number_as_listed(struct prefix *p)
{
    dependency_list listed = {0};
    vec_each (&p->relevant->events, id) {
        vec_push(&listed, *id);
    }
    sort_stable(listed.at, listed.count, sizeof *listed.at, compare_events, NULL);
    const uint32_t first = problem_variables(&p->problem, (uint32_t)listed.count);
    for (uint32_t i = 0; i < listed.count; i++) {
        p->variable[listed.at[i]] = first + i;
    }
    p->end = problem_variables(&p->problem, 1);
    vec_release(&listed);
}

bool prefix_build(struct prefix *p, const struct relevant_events *s, size_t clause_max)
{
    problem_release(&p->problem);
    p->problem = (struct problem){0};
    p->relevant = s;
    number_as_listed(p);
    /* The events in question stand at the end of the prefix. */
    vec_each (&s->next, next) {
        p->variable[*next] = p->end;
    }
    add_demands(p);
    vec_each (&s->barred, id) {
        problem_add(&p->problem, solve_not_after(p->end, p->variable[*id]));
    }
    /* Clauses of needs do not count: they leave the solver no choice. */
    const size_t limit = p->problem.clauses.count + clause_max;
    add_sections(p, limit);
    add_handlers(p, limit);
    add_reads(p, limit);
    add_sends(p, limit);
    /* The notify of a wait may be among the events that the window excludes. */
    if (s->window.floor == 0) {
        add_routines(p, limit);
        add_waits(p, limit);
    }
    return !is_full(p, limit);
}

/* An event and where it stands. */
struct placed {
    int64_t at;
    event_id event;
};

static int compare_placed(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct placed *a = left;
    const struct placed *b = right;
    const int order = (a->at > b->at) - (a->at < b->at);
    return order != 0 ? order : (a->event > b->event) - (a->event < b->event);
}

void prefix_order(const struct prefix *p, const int64_t *model, sound_order *order)
{
    VEC(struct placed) placed = {0};
    vec_each (&p->relevant->events, id) {
        const int64_t at = model[p->variable[*id]];
        if (at < model[p->end]) {
            const struct placed event = {.at = at, .event = *id};
            vec_push(&placed, event);
        }
    }
    sort_stable(placed.at, placed.count, sizeof *placed.at, compare_placed, NULL);
    vec_clear(order);
    vec_each (&placed, event) {
        vec_push(order, event->event);
    }
    vec_release(&placed);
}
