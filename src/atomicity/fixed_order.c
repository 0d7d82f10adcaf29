#include "atomicity/fixed_order.h"

#include <string.h>

#include "base/map.h"
#include "order/object_key.h"
#include "trace/kind_table.h"

/* ---- creation and joining ---- */

static void add_creations(struct settled *s, const struct hb *hb)
{
    vec_each (&hb->edges.list, edge) {
        if (edge->kind == EDGE_FORK || edge->kind == EDGE_JOIN) {
            edges_add(&s->edges, edge->from, edge->to, edge->kind);
        }
    }
}

/* ---- publication ---- */

/* The latest life of a block. */
struct block_life {
    event_id alloc; /* EVENT_NONE: it was freed */
    uint32_t task;
};

struct publication {
    const struct trace *t;
    struct map number_of;          /* scoped name of a block to its number */
    VEC(struct block_life) lives;  /* per block */
    VEC(uint32_t) block_of;        /* per name: the name of its block, UINT32_MAX: not known yet */
    event_id *released_at;         /* per task: its last release, EVENT_NONE: none */
    bool *is_private, *is_freeing; /* per event */
};

/* Whether other tasks may know the earlier accesses of the task from here on. Every event that
 * orders tasks counts, except those that only acquire. */
static bool is_release(const struct event *e)
{
    switch (event_class(e)) {
    case CLASS_PROCESS:
    case CLASS_THREAD:
    case CLASS_NET:
    case CLASS_TIMER:
    case CLASS_FILE:
    case CLASS_HTTP:
    case CLASS_ANNOTATION: return e->kind != EVENT_HAPPENS_AFTER && e->kind != EVENT_THREAD_START;
    case CLASS_SYNC:
        return e->kind != EVENT_LOCK && e->kind != EVENT_SEM_WAIT && e->kind != EVENT_WAIT_END &&
               e->kind != EVENT_BARRIER_EXIT && e->kind != EVENT_ONCE_BEGIN;
    case CLASS_ATOMIC: return e->kind != EVENT_ATOMIC_LOAD;
    case CLASS_ACCESS:
    case CLASS_MEMORY:
    case CLASS_HANDLER:
    case CLASS_REPORT:
    case CLASS_REGION:
    case CLASS_CONTROL: return false;
    case CLASS_COUNT: break;
    }
    bug("event class");
}

/* "bank.c:42#3+8" is part of the block "bank.c:42#3". */
static uint32_t block_name(struct publication *p, uint32_t name)
{
    while (p->block_of.count <= name) {
        vec_push(&p->block_of, UINT32_MAX);
    }
    if (p->block_of.at[name] == UINT32_MAX) {
        const char *text = trace_name(p->t, name);
        const char *plus = strrchr(text, '+');
        const uint32_t block =
            plus == NULL ? 0 : names_find(&p->t->tables.names, text, (size_t)(plus - text));
        p->block_of.at[name] = block == 0 ? name : block;
    }
    return p->block_of.at[name];
}

static void begin_life(struct publication *p, const struct event *e, event_id id)
{
    const uint32_t number =
        *map_slot(&p->number_of, scope_name(p->t, e, e->object), (uint32_t)p->lives.count, NULL);
    if (number == p->lives.count) {
        vec_push(&p->lives, (struct block_life){0});
    }
    p->lives.at[number] =
        (struct block_life){.alloc = e->kind == EVENT_ALLOC ? id : EVENT_NONE, .task = e->task};
}

/* Whether the access is by the task that allocated the block, which has released nothing since. */
static bool is_unpublished(struct publication *p, const struct event *e)
{
    const uint32_t *number = map_get(&p->number_of, scope_name(p->t, e, block_name(p, e->object)));
    if (number == NULL) {
        return false;
    }
    const struct block_life *life = &p->lives.at[*number];
    const event_id released = p->released_at[e->task];
    return life->alloc != EVENT_NONE && life->task == e->task &&
           (released == EVENT_NONE || released < life->alloc);
}

/* Marks the writes in front of a FREE that stand for it: at its place, of its block. */
static void mark_freeing(struct publication *p, const struct contexts *c, event_id freed)
{
    const struct event *end = trace_at(p->t, freed);
    for (uint32_t at = c->position[freed]; at-- > 0;) {
        const event_id id = context_event(c, c->of[freed], at);
        const struct event *e = trace_at(p->t, id);
        if (e->kind == EVENT_OPERATION || e->kind == EVENT_SCOPE || e->kind == EVENT_LOST) {
            continue;
        }
        if (e->kind != EVENT_WRITE || e->location != end->location ||
            block_name(p, e->object) != end->object) {
            return;
        }
        must(e->task == end->task);
        p->is_freeing[id] = true;
    }
}

static void find_private(struct settled *s, const struct trace *t)
{
    struct arena scratch = {0};
    struct publication p = {.t = t};
    p.is_private = arena_array(&s->arena, bool, t->events.count + 1);
    p.is_freeing = arena_array(&s->arena, bool, t->events.count + 1);
    p.released_at = arena_array(&scratch, event_id, t->tables.tasks.count + 1);
    for (size_t i = 0; i < t->tables.tasks.count; i++) {
        p.released_at[i] = EVENT_NONE;
    }
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        if (e->kind == EVENT_ALLOC || e->kind == EVENT_FREE) {
            begin_life(&p, e, id);
            if (e->kind == EVENT_FREE) {
                mark_freeing(&p, s->contexts, id);
            }
        } else if ((event_class(e) == CLASS_ACCESS || e->kind == EVENT_LOST) && e->object != 0) {
            p.is_private[id] = is_unpublished(&p, e);
        } else if (is_release(e)) {
            p.released_at[e->task] = id;
        }
    }
    s->is_private = p.is_private;
    s->is_freeing = p.is_freeing;
    map_release(&p.number_of);
    vec_release(&p.lives);
    vec_release(&p.block_of);
    arena_release(&scratch);
}

/* ---- the whole ---- */

void settled_build(struct settled *s, const struct trace *t, const struct hb *hb)
{
    *s = (struct settled){.contexts = &hb->contexts};
    add_creations(s, hb);
    graph_build(&s->graph, &hb->contexts, &s->edges, &s->arena);
    const event_id blocked =
        reach_build(&s->before, &s->graph, t, REACH_BEFORE, REACH_ALL, &s->arena);
    must(blocked == EVENT_NONE);
    must(s->edges.list.count <= hb->edges.list.count);
    find_private(s, t);
}

void settled_release(struct settled *s)
{
    reach_release(&s->before);
    edges_release(&s->edges);
    arena_release(&s->arena);
}

enum settled_by settled_order(const struct settled *s, event_id a, event_id b)
{
    const struct contexts *c = s->contexts;
    must(c->of[a] != c->of[b]);
    if (s->edges.list.count > 0 && c->position[a] < reach_count(&s->before, b, c->of[a])) {
        return SETTLED_CREATION;
    }
    return s->is_private[a] ? SETTLED_PUBLICATION : SETTLED_NOT;
}
