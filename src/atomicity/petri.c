#include "atomicity/petri.h"

#include <stdio.h>
#include <string.h>

#include "atomicity/sync_skeleton.h"
#include "atomicity/version.h"
#include "base/map.h"
#include "base/names.h"
#include "base/sort.h"
#include "trace/kind_table.h"
#include "wire/kind.h"

void net_release(struct net *n)
{
    vec_release(&n->tasks);
    vec_release(&n->places);
    vec_release(&n->transitions);
    vec_release(&n->arcs);
    arena_release(&n->arena);
}

/* ---- building ---- */

/* A net in the making: which place is whose. */
struct build {
    struct net *net;
    struct names variables; /* names of variables ... */
    VEC(uint32_t) place_of; /* ... and by their numbers, their places */
    struct names tasks;     /* their numbers are one more than in net.tasks */
    VEC(uint32_t) at;       /* by task: the place where it stands */
};

static const char *joined(struct arena *a, const char *one, const char *between, const char *other)
{
    const size_t size = strlen(one) + strlen(between) + strlen(other) + 1;
    char *text = arena_array(a, char, size);
    (void)snprintf(text, size, "%s%s%s", one, between, other);
    return text;
}

static uint32_t add_place(struct build *b, struct net_place place)
{
    vec_push(&b->net->places, place);
    return (uint32_t)b->net->places.count - 1;
}

static uint32_t variable_place(struct build *b, const char *name)
{
    const uint32_t number = names_intern_text(&b->variables, name);
    while (b->place_of.count <= number) {
        vec_push(&b->place_of, UINT32_MAX);
    }
    if (b->place_of.at[number] == UINT32_MAX) {
        b->place_of.at[number] =
            add_place(b, (struct net_place){.kind = NET_VARIABLE,
                                            .name = arena_text(&b->net->arena, name, strlen(name)),
                                            .tokens = 1});
    }
    return b->place_of.at[number];
}

static uint32_t task_number(struct build *b, const char *name)
{
    const uint32_t number = names_intern_text(&b->tasks, name) - 1;
    if (number == b->net->tasks.count) {
        const char *kept = arena_text(&b->net->arena, name, strlen(name));
        vec_push(&b->net->tasks, kept);
        vec_push(&b->at,
                 add_place(b, (struct net_place){.name = kept, .tokens = 1, .task = number}));
    }
    return number;
}

/* Adds a transition between these places of its task. */
static uint32_t add_transition(struct build *b, struct net_transition t)
{
    must(t.from < b->net->places.count);
    must(t.to < b->net->places.count);
    vec_push(&b->net->transitions, t);
    return (uint32_t)b->net->transitions.count - 1;
}

static void add_arc(struct build *b, uint32_t transition, uint32_t place, enum net_arc_kind kind,
                    uint32_t weight)
{
    must(transition < b->net->transitions.count);
    must(place < b->net->places.count);
    must(weight > 0);
    vec_push(
        &b->net->arcs,
        (struct net_arc){.transition = transition, .place = place, .weight = weight, .kind = kind});
}

static void add_access(struct build *b, uint32_t transition, const char *variable, bool is_write)
{
    const uint32_t place = variable_place(b, variable);
    if (is_write) {
        add_arc(b, transition, place, NET_TAKES, 1);
        add_arc(b, transition, place, NET_GIVES, 1);
    } else {
        add_arc(b, transition, place, NET_TESTS, 1);
    }
}

/* The place behind the one where the task stands; it then stands there. */
static uint32_t go_on(struct build *b, uint32_t task)
{
    char step[24];
    (void)snprintf(step, sizeof step, "%zu", b->net->places.count);
    b->at.at[task] = add_place(
        b, (struct net_place){.name = joined(&b->net->arena, b->net->tasks.at[task], ".", step),
                              .task = task});
    return b->at.at[task];
}

static void build_begin(struct build *b, struct net *n)
{
    *b = (struct build){.net = n};
    names_init(&b->variables);
    names_init(&b->tasks);
}

static void build_end(struct build *b)
{
    names_release(&b->variables);
    names_release(&b->tasks);
    vec_release(&b->place_of);
    vec_release(&b->at);
}

void net_of_finding(struct net *n, const struct finding *finding)
{
    struct build b;
    build_begin(&b, n);
    for (size_t i = 0; i < finding->event_count; i++) {
        const struct finding_event *e = &finding->events[i];
        const bool is_write = strcmp(e->access, "W") == 0;
        if (!is_write && strcmp(e->access, "R") != 0) {
            continue;
        }
        const uint32_t task = task_number(
            &b, e->node[0] == '\0' ? e->task : joined(&n->arena, e->task, "@", e->node));
        const uint32_t from = b.at.at[task];
        const struct net_transition t = {
            .name = joined(&n->arena, is_write ? "W " : "R ", "", e->object),
            .where = arena_text(&n->arena, e->location, strlen(e->location)),
            .event = EVENT_NONE,
            .is_non_atomic = strcmp(e->task, finding->events[0].task) == 0,
            .task = task,
            .from = from,
            .to = go_on(&b, task)};
        add_access(&b, add_transition(&b, t), e->object, is_write);
    }
    build_end(&b);
}

/* ---- a whole trace ---- */

/* The sections that one event begins and ends. */
struct doing {
    VEC(uint32_t) locks, unlocks; /* sections of locks */
    VEC(uint32_t) passes;         /* of versions: a write of its own */
    VEC(uint32_t) begins, ends;   /* of versions: read, and asked for */
    bool has_point;
};

struct whole {
    struct build b;
    const struct frame *f;
    struct map lock_place; /* lock to its place */
    struct map ask_place;  /* section of a version check to the place of its holder */
    struct map first_of;   /* event to its first transition plus one ... */
    struct map count_of;   /* ... and how many it has */
    struct map is_torn;    /* accesses that nothing holds together with their other half */
    VEC(uint32_t) open;    /* sections of version checks that the task is in */
    struct doing doing;
};

static const char *task_text(struct arena *a, const struct trace *t, uint32_t number)
{
    const struct task *task = &t->tables.tasks.at[number];
    const char *name = trace_name(t, task->name);
    const char *node = trace_name(t, task->node);
    return node[0] == '\0' ? name : joined(a, name, "@", node);
}

/* Memory counts when it is shared, resources always. */
static bool counts(const struct frame *f, const struct access *a)
{
    const struct variable *v = &f->variables.list.at[a->variable];
    return variable_is_shared(v) || variable_is_resource(trace_name(f->trace, v->name));
}

static size_t count_accesses(const struct frame *f)
{
    size_t count = 0;
    vec_each (&f->variables.accesses, access) {
        count += counts(f, access);
    }
    return count;
}

/* Whether something is held without a break from one event of a task to another. */
static bool is_covered(const struct frame *f, uint32_t task, event_id first, event_id last)
{
    struct held held = {0};
    uint32_t i = f->first[task];
    for (; i < f->first[task + 1] && f->marks[i].event <= first; i++) {
        held_pass(&held, &f->marks[i]);
    }
    for (; i < f->first[task + 1] && f->marks[i].event < last; i++) {
        if (f->marks[i].kind == MARK_UNLOCK) {
            held_pass(&held, &f->marks[i]);
        }
    }
    const bool is_covered = held.sections.count > 0;
    vec_release(&held.sections);
    return is_covered;
}

/* Finds reads that a write of the same variable follows in their task, with nothing held between.
 */
static void find_torn(struct whole *w)
{
    const struct variables *v = &w->f->variables;
    struct arena scratch = {0};
    uint32_t *last = arena_array(&scratch, uint32_t, w->f->trace->tables.tasks.count + 1);
    for (uint32_t i = 0; i < v->accesses.count; i++) {
        const struct access *a = &v->accesses.at[i];
        if (!counts(w->f, a)) {
            continue;
        }
        const struct access *before =
            last[a->task] == 0 ? NULL : &v->accesses.at[last[a->task] - 1];
        if (before != NULL && a->is_write && !before->is_write && before->variable == a->variable &&
            !is_covered(w->f, a->task, before->event, a->event)) {
            map_put(&w->is_torn, a->event, 1);
            map_put(&w->is_torn, before->event, 1);
        }
        last[a->task] = i + 1;
    }
    arena_release(&scratch);
}

/* ---- locks ---- */

/* A lock that is only ever held alone has one token; one that is shared, one per task that uses it,
 * all of which are taken to hold it alone. */
static uint32_t lock_tokens(const struct frame *f, uint32_t lock)
{
    const struct sections *s = &f->hb.sections;
    bool is_shared = false;
    struct map tasks = {0};
    for (uint32_t i = 0; i < s->locks[lock].count; i++) {
        const struct section *section = &s->list[s->by_lock[s->locks[lock].first + i]];
        is_shared |= section->is_shared;
        map_put(&tasks, section->task, 1);
    }
    const uint32_t count = (uint32_t)tasks.entries.count;
    map_release(&tasks);
    must(count > 0);
    return is_shared ? count : 1;
}

static uint32_t lock_place(struct whole *w, uint32_t lock)
{
    const uint32_t *known = map_get(&w->lock_place, lock);
    if (known != NULL) {
        return *known;
    }
    const bool is_version = lock >= w->f->version_first;
    const uint32_t place = add_place(
        &w->b,
        (struct net_place){.kind = is_version ? NET_VERSION : NET_LOCK,
                           .name = trace_name(w->f->trace, w->f->hb.sections.locks[lock].name),
                           .tokens = is_version ? 1 : lock_tokens(w->f, lock)});
    map_put(&w->lock_place, lock, place);
    return place;
}

static uint32_t ask_place(struct whole *w, uint32_t section)
{
    const uint32_t *known = map_get(&w->ask_place, section);
    if (known != NULL) {
        return *known;
    }
    const uint32_t lock = w->f->hb.sections.list[section].lock;
    const uint32_t place = add_place(
        &w->b,
        (struct net_place){.kind = NET_ASK,
                           .name = trace_name(w->f->trace, w->f->hb.sections.locks[lock].name)});
    map_put(&w->ask_place, section, place);
    return place;
}

static void add_lock_arcs(struct whole *w, uint32_t transition)
{
    const struct section *list = w->f->hb.sections.list;
    for (int gives = 0; gives < 2; gives++) {
        const size_t count = gives ? w->doing.unlocks.count : w->doing.locks.count;
        for (size_t i = 0; i < count; i++) {
            const struct section *s = &list[gives ? w->doing.unlocks.at[i] : w->doing.locks.at[i]];
            const uint32_t place = lock_place(w, s->lock);
            add_arc(&w->b, transition, place, gives ? NET_GIVES : NET_TAKES,
                    s->is_shared ? 1 : w->b.net->places.at[place].tokens);
        }
    }
}

/* ---- versions ---- */

/* A section of a list on the same version, UINT32_MAX: none. */
static uint32_t same_version(const struct whole *w, const uint32_t *list, size_t count,
                             uint32_t section)
{
    const struct section *sections = w->f->hb.sections.list;
    for (size_t i = 0; i < count; i++) {
        if (sections[list[i]].lock == sections[section].lock) {
            return list[i];
        }
    }
    return UINT32_MAX;
}

/* The arcs of an event to versions when it takes those of `begins` that have a bit in `choice`. A
 * write of a task that holds the version itself, by another bit, does not need it free. */
static void add_version_arcs(struct whole *w, uint32_t transition, uint32_t choice)
{
    struct doing *d = &w->doing;
    const struct section *list = w->f->hb.sections.list;
    struct map is_kept = {0}; /* versions that are passed on, or taken by this write */
    vec_each (&d->ends, end) {
        add_arc(&w->b, transition, ask_place(w, *end), NET_TAKES, 1);
    }
    vec_each (&d->begins, begin) {
        const bool takes = choice & 1;
        choice >>= 1;
        if (!takes) {
            continue;
        }
        if (same_version(w, d->ends.at, d->ends.count, *begin) == UINT32_MAX) {
            add_arc(&w->b, transition, lock_place(w, list[*begin].lock), NET_TAKES, 1);
        }
        map_put(&is_kept, list[*begin].lock, 1);
        add_arc(&w->b, transition, ask_place(w, *begin), NET_GIVES, 1);
    }
    vec_each (&d->ends, end) {
        if (map_get(&is_kept, list[*end].lock) == NULL) {
            add_arc(&w->b, transition, lock_place(w, list[*end].lock), NET_GIVES, 1);
        }
    }
    vec_each (&d->passes, pass) {
        const uint32_t own = same_version(w, w->open.at, w->open.count, *pass);
        const bool holds = own != UINT32_MAX && (choice & 1) != 0;
        choice >>= own != UINT32_MAX;
        if (map_get(&is_kept, list[*pass].lock) == NULL) {
            add_arc(&w->b, transition, holds ? ask_place(w, own) : lock_place(w, list[*pass].lock),
                    NET_TESTS, 1);
        }
    }
    map_release(&is_kept);
}

/* How many ways the event has to deal with versions, a bit each. */
static uint32_t choice_count(const struct whole *w)
{
    uint32_t bits = (uint32_t)w->doing.begins.count;
    vec_each (&w->doing.passes, pass) {
        bits += same_version(w, w->open.at, w->open.count, *pass) != UINT32_MAX;
    }
    return bits;
}

/* ---- events ---- */

static void clear_doing(struct doing *d)
{
    vec_clear(&d->locks);
    vec_clear(&d->unlocks);
    vec_clear(&d->passes);
    vec_clear(&d->begins);
    vec_clear(&d->ends);
    d->has_point = false;
}

static void gather_mark(struct whole *w, const struct mark *m)
{
    struct doing *d = &w->doing;
    d->has_point |= m->kind == MARK_POINT;
    if (m->kind == MARK_POINT) {
        return;
    }
    const struct section *s = &w->f->hb.sections.list[m->section];
    if (!w->f->hb.sections.locks[s->lock].is_contended) {
        return;
    }
    if (s->lock < w->f->version_first) {
        if (m->kind == MARK_LOCK) {
            vec_push(&d->locks, m->section);
        } else {
            vec_push(&d->unlocks, m->section);
        }
    } else if (!version_is_awaited(s, w->f->version_first)) {
        if (m->kind == MARK_LOCK) {
            vec_push(&d->passes, m->section);
        }
    } else if (m->kind == MARK_LOCK) {
        vec_push(&d->begins, m->section);
    } else {
        vec_push(&d->ends, m->section);
    }
}

/* Versions that the task is in from now on, for its later writes. */
static void pass_versions(struct whole *w)
{
    vec_each (&w->doing.ends, end) {
        for (size_t i = 0; i < w->open.count; i++) {
            if (w->open.at[i] == *end) {
                w->open.at[i] = vec_pop(&w->open);
                break;
            }
        }
    }
    vec_each (&w->doing.begins, begin) {
        vec_push(&w->open, *begin);
    }
}

static const char *transition_name(const struct whole *w, event_id id, bool is_access)
{
    const struct trace *t = w->f->trace;
    const struct event *e = trace_at(t, id);
    struct arena *a = &w->b.net->arena;
    const char *object = trace_name(t, e->object);
    if (is_access) {
        return joined(a, e->kind == EVENT_WRITE ? "W" : "R", " ", object);
    }
    return joined(a, kind_of(e->kind)->name, object[0] == '\0' ? "" : " ", object);
}

static void add_event(struct whole *w, event_id id)
{
    struct build *b = &w->b;
    const struct trace *t = w->f->trace;
    const struct event *e = trace_at(t, id);
    const uint32_t number = w->f->access_of[id];
    const bool is_access =
        number != ACCESS_NONE && counts(w->f, &w->f->variables.accesses.at[number]);
    const struct doing *d = &w->doing;
    if (!is_access && !d->has_point && d->locks.count + d->unlocks.count + d->passes.count == 0 &&
        d->begins.count + d->ends.count == 0) {
        return;
    }
    const uint32_t task = task_number(b, task_text(&b->net->arena, t, e->task));
    const struct net_transition transition = {.name = transition_name(w, id, is_access),
                                              .where = trace_name(t, e->location),
                                              .event = id,
                                              .is_non_atomic = map_get(&w->is_torn, id) != NULL,
                                              .task = task,
                                              .from = b->at.at[task],
                                              .to = go_on(b, task)};
    const uint32_t count = UINT32_C(1) << choice_count(w);
    map_put(&w->first_of, id, (uint32_t)b->net->transitions.count);
    map_put(&w->count_of, id, count);
    for (uint32_t choice = 0; choice < count; choice++) {
        const bool takes = (choice & ((UINT32_C(1) << d->begins.count) - 1)) != 0;
        struct net_transition variant = transition;
        variant.name =
            takes ? joined(&b->net->arena, transition.name, "", " (guarded)") : transition.name;
        const uint32_t added = add_transition(b, variant);
        if (is_access) {
            add_access(b, added, trace_name(t, e->object), e->kind == EVENT_WRITE);
        }
        add_lock_arcs(w, added);
        add_version_arcs(w, added, choice);
    }
    pass_versions(w);
}

static void add_task(struct whole *w, uint32_t task, size_t max)
{
    const struct frame *f = w->f;
    const struct context *c = &f->hb.contexts.list[task];
    uint32_t next = f->first[task];
    vec_clear(&w->open);
    for (uint32_t i = 0; i < c->count && w->b.net->transitions.count <= max; i++) {
        const event_id id = context_event(&f->hb.contexts, task, i);
        clear_doing(&w->doing);
        for (; next < f->first[task + 1] && f->marks[next].event == id; next++) {
            gather_mark(w, &f->marks[next]);
        }
        add_event(w, id);
    }
}

/* Adds an arc of each transition of the event. */
static void add_order_arcs(struct whole *w, event_id id, uint32_t place, enum net_arc_kind kind)
{
    const uint32_t first = *map_get(&w->first_of, id);
    const uint32_t count = *map_get(&w->count_of, id);
    for (uint32_t i = 0; i < count; i++) {
        add_arc(&w->b, first + i, place, kind, 1);
    }
}

/* A place for each order between tasks. */
static void add_orders(struct whole *w)
{
    const struct trace *t = w->f->trace;
    struct map is_known = {0};
    vec_each (&w->f->hb.edges.list, edge) {
        const uint64_t key = map_pair(edge->from, edge->to);
        if (trace_at(t, edge->from)->task == trace_at(t, edge->to)->task ||
            map_get(&is_known, key) != NULL) {
            continue;
        }
        map_put(&is_known, key, 1);
        const uint32_t place =
            add_place(&w->b, (struct net_place){.kind = NET_ORDER, .name = "before"});
        add_order_arcs(w, edge->from, place, NET_GIVES);
        add_order_arcs(w, edge->to, place, NET_TAKES);
    }
    map_release(&is_known);
}

static int compare_arcs(const void *left, const void *right, const void *context)
{
    (void)context;
    const uint32_t a = ((const struct net_arc *)left)->transition;
    const uint32_t b = ((const struct net_arc *)right)->transition;
    return (a > b) - (a < b);
}

/* Names are the trace's, which need not outlive the net. */
static void keep_names(struct net *n)
{
    vec_each (&n->places, p) {
        p->name = arena_text(&n->arena, p->name, strlen(p->name));
    }
    vec_each (&n->transitions, t) {
        t->where = arena_text(&n->arena, t->where, strlen(t->where));
    }
}

bool net_of_trace(struct net *n, const struct trace *t, size_t transition_max, struct notes *notes,
                  struct err *e)
{
    struct frame f;
    if (frame_build(&f, t, notes, e) < 0) {
        return false;
    }
    struct whole w = {.f = &f};
    build_begin(&w.b, n);
    bool fits = count_accesses(&f) <= transition_max;
    if (fits) {
        find_torn(&w);
        for (uint32_t task = 0; task < f.hb.contexts.task_count; task++) {
            add_task(&w, task, transition_max);
        }
        fits = n->transitions.count <= transition_max;
    }
    if (fits) {
        add_orders(&w);
        sort_stable(n->arcs.at, n->arcs.count, sizeof *n->arcs.at, compare_arcs, NULL);
        keep_names(n);
    }
    build_end(&w.b);
    map_release(&w.lock_place);
    map_release(&w.ask_place);
    map_release(&w.first_of);
    map_release(&w.count_of);
    map_release(&w.is_torn);
    vec_release(&w.open);
    vec_release(&w.doing.locks);
    vec_release(&w.doing.unlocks);
    vec_release(&w.doing.passes);
    vec_release(&w.doing.begins);
    vec_release(&w.doing.ends);
    frame_release(&f);
    return fits;
}
