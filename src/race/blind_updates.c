#include "race/blind_updates.h"

#include "order/hb.h"
#include "order/object_key.h"
#include "race/lockset.h"
#include "trace/kind_table.h"
#include "wire/must.h"

#define RUN_NONE UINT32_MAX

/* The updates of one variable in one context. */
struct run {
    uint32_t context;
    uint32_t next;       /* of the variable; RUN_NONE: the last */
    event_id read;       /* of the update under way; EVENT_NONE: none is */
    event_id first_read; /* of all its updates; EVENT_NONE: it has none */
    event_id last_write; /* of those that are complete */
};

struct variable {
    uint32_t first_run;
    bool is_dropped; /* its marks do not hold */
    bool has_locks;
    VEC(uint32_t) locks; /* held exclusively in all updates so far */
};

/* A write that is no update. */
struct other_write {
    uint32_t variable;
    event_id event;
};

struct settling {
    const struct trace *t;
    struct hb hb;
    struct held held;
    struct map number_of; /* of variables with marks */
    VEC(struct variable) variables;
    struct map run_of; /* (variable, context) to its number */
    VEC(struct run) runs;
    VEC(struct other_write) writes;
    struct arena arena;
};

static bool is_marked(const struct event *e)
{
    return (e->kind == EVENT_READ && event_is_blind(e)) ||
           (e->kind == EVENT_WRITE && event_is_update(e));
}

static bool is_write(const struct event *e)
{
    return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

static bool is_access(const struct event *e)
{
    return e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_LOAD || is_write(e);
}

static void number_variables(struct settling *s)
{
    trace_each (s->t, e) {
        bool is_new = false;
        if (is_marked(e)) {
            (void)map_slot(&s->number_of, scope_name(s->t, e, e->object),
                           (uint32_t)s->variables.count, &is_new);
        }
        if (is_new) {
            vec_push(&s->variables, (struct variable){.first_run = RUN_NONE});
        }
    }
}

/* ---- locks ---- */

static bool is_held(const struct settling *s, event_id id, uint32_t lock)
{
    const uint32_t set = s->held.set_of[id];
    for (uint32_t i = s->held.first[set]; i < s->held.first[set + 1]; i++) {
        const struct section *section = &s->hb.sections.list[s->held.sections[i]];
        if (section->lock == lock && !section->is_shared) {
            return true;
        }
    }
    return false;
}

static void keep_locks(const struct settling *s, struct variable *v, event_id id)
{
    const uint32_t set = s->held.set_of[id];
    for (uint32_t i = s->held.first[set]; i < s->held.first[set + 1] && !v->has_locks; i++) {
        const struct section *section = &s->hb.sections.list[s->held.sections[i]];
        if (!section->is_shared) {
            vec_push(&v->locks, section->lock);
        }
    }
    size_t kept = 0;
    vec_each (&v->locks, lock) {
        if (is_held(s, id, *lock)) {
            v->locks.at[kept++] = *lock;
        }
    }
    must(kept <= v->locks.count);
    v->locks.count = kept;
    v->has_locks = true;
    v->is_dropped |= kept == 0;
}

/* ---- updates ---- */

static struct run *run_at(struct settling *s, uint32_t variable, event_id id)
{
    const uint32_t context = s->hb.contexts.of[id];
    bool is_new = false;
    const uint32_t number =
        *map_slot(&s->run_of, map_pair(variable, context), (uint32_t)s->runs.count, &is_new);
    if (is_new) {
        vec_push(&s->runs, (struct run){.context = context,
                                        .next = s->variables.at[variable].first_run,
                                        .read = EVENT_NONE,
                                        .first_read = EVENT_NONE,
                                        .last_write = EVENT_NONE});
        s->variables.at[variable].first_run = number;
    }
    return &s->runs.at[number];
}

/* Whether the write completes the update that the read began: by the same operation, and without
 * a lock taken or released in between. */
static bool completes(const struct settling *s, event_id read, event_id write)
{
    const struct event *r = trace_at(s->t, read);
    const struct event *w = trace_at(s->t, write);
    return is_marked(w) && w->kind == EVENT_WRITE && w->mode == r->mode && w->size == r->size &&
           s->held.set_of[read] == s->held.set_of[write];
}

static void take_access(struct settling *s, event_id id)
{
    const struct event *e = trace_at(s->t, id);
    const uint32_t *number = map_get(&s->number_of, scope_name(s->t, e, e->object));
    if (number == NULL) {
        return;
    }
    struct variable *v = &s->variables.at[*number];
    struct run *run = run_at(s, *number, id);
    const event_id read = run->read;
    run->read = EVENT_NONE;
    if (read != EVENT_NONE && !completes(s, read, id)) {
        v->is_dropped = true;
    } else if (!is_marked(e)) {
        if (is_write(e)) {
            vec_push(&s->writes, (struct other_write){.variable = *number, .event = id});
        }
    } else if (e->kind == EVENT_READ) {
        run->read = id;
        run->first_read = run->first_read == EVENT_NONE ? id : run->first_read;
        keep_locks(s, v, id);
    } else {
        v->is_dropped |= read == EVENT_NONE;
        run->last_write = id;
    }
}

/* ---- other writes ---- */

static bool is_locked(const struct settling *s, const struct other_write *w)
{
    vec_each (&s->variables.at[w->variable].locks, lock) {
        if (is_held(s, w->event, *lock)) {
            return true;
        }
    }
    return false;
}

/* Whether the write comes before or after all updates of the run in every schedule. */
static bool is_apart(const struct settling *s, event_id write, const struct run *run)
{
    return run->first_read == EVENT_NONE || run->context == s->hb.contexts.of[write] ||
           hb_is_before(&s->hb, write, run->first_read) ||
           hb_is_before(&s->hb, run->last_write, write);
}

static void judge_writes(struct settling *s)
{
    bool has_scope = false;
    vec_each (&s->writes, w) {
        struct variable *v = &s->variables.at[w->variable];
        if (v->is_dropped || is_locked(s, w)) {
            continue;
        }
        if (!has_scope) {
            hb_rescope(&s->hb, REACH_ALL, HB_BEFORE);
            has_scope = true;
        }
        for (uint32_t i = v->first_run; i != RUN_NONE && !v->is_dropped; i = s->runs.at[i].next) {
            v->is_dropped = !is_apart(s, w->event, &s->runs.at[i]);
        }
    }
}

/* ---- all of it ---- */

static bool judge(struct settling *s)
{
    struct notes notes = {0};
    struct err e;
    const struct hb_options options = {.model = HB_STRICT, .scope = REACH_NONE};
    const int built = hb_build(&s->hb, s->t, &options, &notes, &e);
    must(built == 0); /* it fails on given orders only */
    held_build(&s->held, &s->hb, HELD_ALL, &s->arena);
    const bool is_odd = s->hb.is_contradictory || s->hb.has_dropped;
    for (event_id id = 0; id < s->t->events.count; id++) {
        if (is_access(trace_at(s->t, id))) {
            take_access(s, id);
        }
    }
    vec_each (&s->variables, v) {
        for (uint32_t i = v->first_run; i != RUN_NONE; i = s->runs.at[i].next) {
            v->is_dropped |= s->runs.at[i].read != EVENT_NONE; /* its value may go elsewhere */
        }
    }
    judge_writes(s);
    bool is_any = false;
    vec_each (&s->variables, v) {
        v->is_dropped |= is_odd;
        is_any |= v->is_dropped;
    }
    hb_release(&s->hb);
    notes_release(&notes);
    return is_any;
}

static void copy_without(const struct settling *s, struct trace *settled)
{
    *settled = (struct trace){.tables = s->t->tables, .is_sealed = true};
    trace_each (s->t, e) {
        struct event copy = *e;
        if (is_marked(e)) {
            const uint32_t number = *map_get(&s->number_of, scope_name(s->t, e, e->object));
            copy.mode = s->variables.at[number].is_dropped ? MODE_UNSAID : e->mode;
        }
        vec_push(&settled->events, copy);
    }
    must(settled->events.count == s->t->events.count);
}

const struct trace *plain_updates_settle(const struct trace *t, struct trace *settled)
{
    struct settling s = {.t = t};
    *settled = (struct trace){0};
    must(t->is_sealed);
    number_variables(&s);
    const bool is_changed = s.variables.count > 0 && judge(&s);
    if (is_changed) {
        copy_without(&s, settled);
    }
    vec_each (&s.variables, v) {
        vec_release(&v->locks);
    }
    vec_release(&s.variables);
    vec_release(&s.runs);
    vec_release(&s.writes);
    map_release(&s.number_of);
    map_release(&s.run_of);
    arena_release(&s.arena);
    return is_changed ? settled : t;
}

void plain_updates_release(struct trace *settled)
{
    vec_release(&settled->events);
}
