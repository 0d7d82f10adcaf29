#include "order/once.h"

#include "base/map.h"
#include "base/vec.h"
#include "order/object_key.h"
#include "trace/kind_table.h"

#define NONE UINT32_MAX

/* A routine that may turn out to be movable. */
struct routine {
    struct once once;
    uint32_t begin_count;  /* ONCE_BEGINs of the object */
    event_id once_first;   /* ONCE of the object */
    bool is_fixed;         /* no other task can run it with the same effect ... */
    bool is_relaxed;       /* ... which does not matter */
    VEC(uint32_t) callers; /* tasks with a ONCE of the object */
};

/* How one routine uses one variable. */
struct use {
    uint32_t routine;
    uint32_t next; /* use of the same variable by another routine */
    bool reads;    /* a value written before it */
    bool writes;
};

struct build {
    const struct trace *t;
    const struct contexts *c;
    struct map routine_of; /* object to routine */
    struct map caller_of;  /* (task, routine) to the task's first ONCE */
    struct map use_of;     /* variable to its first use */
    struct map limit_of;   /* (task, routine) to limit_for */
    VEC(struct routine) routines;
    VEC(struct use) uses;
    event_id *created; /* per task: the event that made it, EVENT_NONE */
    uint32_t *number;  /* per ONCE and ONCE_BEGIN: routine */
    uint32_t *inside;  /* per event: routine */
};

/* ---- routines ---- */

static void note_creation(struct build *b, const struct event *e, event_id id)
{
    const bool creates = e->kind == EVENT_THREAD_CREATE || e->kind == EVENT_PROCESS_FORK;
    if (creates && (e->has & HAS_PEER) != 0 && b->created[e->peer] == EVENT_NONE) {
        b->created[e->peer] = id;
    }
}

static void note_call(struct build *b, const struct event *e, event_id id)
{
    const uint64_t scoped = scope_name(b->t, e, e->object);
    bool is_new = false;
    const uint32_t number = *map_slot(&b->routine_of, scoped, (uint32_t)b->routines.count, &is_new);
    if (is_new) {
        vec_push(
            &b->routines,
            (struct routine){.once = {.scoped = scoped, .begin = EVENT_NONE, .end = EVENT_NONE},
                             .once_first = EVENT_NONE});
    }
    struct routine *r = &b->routines.at[number];
    b->number[id] = number;
    r->is_relaxed |= e->mode == ONCE_BY_ANY_CALLER;
    if (e->kind == EVENT_ONCE_BEGIN) {
        r->begin_count++;
        r->once.task = e->task;
        r->once.begin = id;
        return;
    }
    if (r->once_first == EVENT_NONE) {
        r->once_first = id;
    }
    if (r->once.begin != EVENT_NONE && r->once.end == EVENT_NONE && r->once.task == e->task) {
        r->once.end = id;
    }
    (void)map_slot(&b->caller_of, map_pair(e->task, number), id, &is_new);
    if (is_new) {
        vec_push(&r->callers, e->task);
    }
}

static bool is_whole(const struct build *b, const struct routine *r)
{
    return r->begin_count == 1 && r->once.end != EVENT_NONE && r->once_first == r->once.end &&
           b->c->of[r->once.begin] == b->c->of[r->once.end];
}

/* ---- the events of a routine ---- */

static bool reads(const struct event *e)
{
    return e->kind == EVENT_ATOMIC_LOAD ||
           ((e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_RMW) && !event_is_blind(e));
}

static bool writes(const struct event *e)
{
    return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

/* Whether the event neither waits for others nor depends on them, except through the values that it
 * reads. */
static bool is_independent(const struct event *e)
{
    const enum event_class class = event_class(e);
    return class == CLASS_ACCESS || class == CLASS_MEMORY || class == CLASS_REPORT ||
           class == CLASS_REGION || e->kind == EVENT_ATOMIC_STORE;
}

static void note_use(struct build *b, uint32_t routine, const struct event *e)
{
    uint32_t *first = map_slot(&b->use_of, scope_name(b->t, e, e->object), NONE, NULL);
    uint32_t number = *first;
    while (number != NONE && b->uses.at[number].routine != routine) {
        number = b->uses.at[number].next;
    }
    if (number == NONE) {
        number = (uint32_t)b->uses.count;
        vec_push(&b->uses, (struct use){.routine = routine, .next = *first});
        *first = number;
    }
    struct use *use = &b->uses.at[number];
    use->reads |= reads(e) && !use->writes;
    use->writes |= writes(e);
}

static void read_routine(struct build *b, uint32_t number)
{
    struct routine *r = &b->routines.at[number];
    const uint32_t context = b->c->of[r->once.begin];
    const uint32_t last = b->c->position[r->once.end];
    for (uint32_t i = b->c->position[r->once.begin]; i <= last; i++) {
        const event_id id = context_event(b->c, context, i);
        const struct event *e = trace_at(b->t, id);
        const bool is_border = id == r->once.begin || id == r->once.end;
        r->is_fixed |= !is_border && !is_independent(e);
        b->inside[id] = number;
        if (!is_border && (reads(e) || writes(e))) {
            note_use(b, number, e);
        }
    }
}

/* ---- accesses of others to its variables ---- */

/* The creation of the task, or of the one that created it and so on, by `ancestor`; 0 when there is
 * none. */
static event_id creation_by(const struct build *b, uint32_t task, uint32_t ancestor)
{
    for (size_t i = 0; i < b->t->tables.tasks.count && b->created[task] != EVENT_NONE; i++) {
        const event_id create = b->created[task];
        if (trace_at(b->t, create)->task == ancestor) {
            return create;
        }
        task = trace_at(b->t, create)->task;
    }
    return 0;
}

/* Events of the task listed before this one are before every call, because they are before the
 * creation of every other task that calls. */
static event_id limit_for(struct build *b, uint32_t task, uint32_t routine)
{
    bool is_new = false;
    uint32_t *limit = map_slot(&b->limit_of, map_pair(task, routine), EVENT_NONE, &is_new);
    const struct routine *r = &b->routines.at[routine];
    for (size_t i = 0; is_new && i < r->callers.count; i++) {
        const event_id create =
            r->callers.at[i] == task ? EVENT_NONE : creation_by(b, r->callers.at[i], task);
        *limit = create < *limit ? create : *limit;
    }
    return *limit;
}

/* Checks an access outside the routine: the routine is fixed when its place decides the values that
 * it reads, or when the access could observe that it has run. */
static void check_access(struct build *b, const struct use *use, event_id id)
{
    struct routine *r = &b->routines.at[use->routine];
    const struct event *e = trace_at(b->t, id);
    const uint32_t *call = map_get(&b->caller_of, map_pair(e->task, use->routine));
    const bool has_called = call != NULL && *call < id;
    const bool is_before = id < r->once.begin;
    if (use->reads && writes(e)) {
        r->is_fixed |= is_before ? id >= limit_for(b, e->task, use->routine) : !has_called;
    }
    if (use->writes && reads(e)) {
        r->is_fixed |= id < r->once.end;
    }
    if (use->writes && writes(e)) {
        r->is_fixed |= !is_before && !has_called;
    }
}

static void check_accesses(struct build *b)
{
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = trace_at(b->t, id);
        if (!reads(e) && !writes(e)) {
            continue;
        }
        const uint32_t *first = map_get(&b->use_of, scope_name(b->t, e, e->object));
        for (uint32_t i = first == NULL ? NONE : *first; i != NONE; i = b->uses.at[i].next) {
            if (b->uses.at[i].routine != b->inside[id]) {
                check_access(b, &b->uses.at[i], id);
            }
        }
    }
}

/* ---- all together ---- */

static void collect(struct build *b, struct arena *scratch)
{
    b->created = arena_array(scratch, event_id, b->t->tables.tasks.count + 1);
    for (size_t i = 0; i < b->t->tables.tasks.count; i++) {
        b->created[i] = EVENT_NONE;
    }
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = trace_at(b->t, id);
        b->number[id] = b->inside[id] = NONE;
        note_creation(b, e, id);
        if (e->kind == EVENT_ONCE || e->kind == EVENT_ONCE_BEGIN) {
            note_call(b, e, id);
        }
    }
}

/* Keeps the movable routines and renumbers all references to them. */
static void keep_movable(struct onces *o, struct build *b, struct arena *scratch, struct arena *a)
{
    const uint32_t count = (uint32_t)b->routines.count;
    struct once *list = arena_array(a, struct once, count + 1);
    uint32_t *kept = arena_array(scratch, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct routine *r = &b->routines.at[i];
        const bool is_movable =
            is_whole(b, r) && (!r->is_fixed || r->is_relaxed) && r->callers.count > 1;
        kept[i] = is_movable ? o->count : NONE;
        if (is_movable) {
            must(r->once.begin < r->once.end);
            list[o->count++] = r->once;
        }
    }
    for (event_id id = 0; id < b->t->events.count; id++) {
        b->number[id] = b->number[id] == NONE ? NONE : kept[b->number[id]];
        b->inside[id] = b->inside[id] == NONE ? NONE : kept[b->inside[id]];
    }
    o->list = list;
    o->of = o->count == 0 ? NULL : b->number;
    o->inside = o->count == 0 ? NULL : b->inside;
}

static bool has_routines(const struct trace *t)
{
    trace_each (t, e) {
        if (e->kind == EVENT_ONCE_BEGIN) {
            return true;
        }
    }
    return false;
}

void onces_build(struct onces *o, const struct trace *t, const struct contexts *c, struct arena *a)
{
    *o = (struct onces){0};
    if (!has_routines(t)) {
        return;
    }
    struct arena scratch = {0};
    struct build b = {
        .t = t,
        .c = c,
        .number = arena_array(a, uint32_t, t->events.count + 1),
        .inside = arena_array(a, uint32_t, t->events.count + 1),
    };
    collect(&b, &scratch);
    for (uint32_t i = 0; i < b.routines.count; i++) {
        if (is_whole(&b, &b.routines.at[i])) {
            read_routine(&b, i);
        }
    }
    check_accesses(&b);
    keep_movable(o, &b, &scratch, a);
    vec_each (&b.routines, r) {
        vec_release(&r->callers);
    }
    vec_release(&b.routines);
    vec_release(&b.uses);
    map_release(&b.routine_of);
    map_release(&b.caller_of);
    map_release(&b.use_of);
    map_release(&b.limit_of);
    arena_release(&scratch);
}
