#include "race/prune.h"

#include "base/map.h"
#include "base/names.h"
#include "wire/kind.h"

/* ---- surroundings ---- */

/* Events that others may wait for: moving them later is not free. */
static struct bits find_releases(const struct hb *hb, struct arena *scratch)
{
    struct bits releases = bits_take(scratch, hb->trace->events.count + 1);
    vec_each (&hb->edges.list, edge) {
        bits_add(releases, edge->from);
    }
    for (uint32_t i = 0; i < hb->sections.count; i++) {
        bits_add(releases, hb->sections.list[i].end);
    }
    for (uint32_t i = 0; i < hb->waits.count; i++) {
        if (hb->waits.list[i].begin != EVENT_NONE) {
            bits_add(releases, hb->waits.list[i].begin);
        }
    }
    for (event_id id = 0; id < hb->trace->events.count; id++) {
        const uint16_t kind = hb->trace->events.at[id].kind;
        if (kind == EVENT_SIGNAL || kind == EVENT_BROADCAST || kind == EVENT_SEM_POST) {
            bits_add(releases, id);
        }
    }
    return releases;
}

/* A number per event: the stretch of its context between two releases. */
static const uint32_t *number_stretches(const struct hb *hb, struct arena *scratch)
{
    const struct contexts *c = &hb->contexts;
    const struct bits releases = find_releases(hb, scratch);
    uint32_t *stretch_of = arena_array(scratch, uint32_t, hb->trace->events.count + 1);
    uint32_t stretch = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        stretch++;
        for (uint32_t position = 0; position < c->list[i].count; position++) {
            const event_id id = context_event(c, i, position);
            stretch_of[id] = stretch;
            stretch += bits_has(releases, id);
        }
    }
    return stretch_of;
}

/* Interns the set of events after an event on its node, without its own task. */
struct futures {
    const struct hb *hb;
    struct names rows;
    struct map
        number_of; /* (group, row of `after`) to number, with the task's own column left out */
};

static uint32_t future_of(struct futures *f, event_id id, uint32_t *buffer)
{
    const struct reach *after = &f->hb->after;
    const uint32_t task = f->hb->trace->events.at[id].task;
    const struct reach_group *group = &after->groups[after->group_of[task]];
    bool is_new = false;
    uint32_t *number = map_slot(&f->number_of, map_pair(task, after->row[id]), 0, &is_new);
    if (is_new) {
        const uint32_t *row = group->counts.at + (size_t)after->row[id] * group->width;
        for (uint32_t i = 0; i < group->width; i++) {
            buffer[i] = i == after->slot_of[task] ? 0 : row[i];
        }
        *number = names_intern(&f->rows, (const char *)buffer, group->width * sizeof *buffer);
    }
    return *number;
}

static const uint32_t *number_futures(const struct hb *hb, const struct accesses *a,
                                      struct arena *scratch)
{
    struct futures f = {.hb = hb};
    names_init(&f.rows);
    uint32_t *buffer = arena_array(scratch, uint32_t, (size_t)hb->contexts.task_count + 1);
    uint32_t *future = arena_array(scratch, uint32_t, hb->trace->events.count + 1);
    for (size_t i = 0; i < a->count; i++) {
        future[a->events[i]] = future_of(&f, a->events[i], buffer);
    }
    names_release(&f.rows);
    map_release(&f.number_of);
    return future;
}

/* ---- handlers and tasks without accesses ---- */

/* Whether an event, once its access is pruned, orders nothing: it may be pruned with its
 * neighbours. */
static bool is_idle(const struct hb *hb, const struct pruned *p, event_id id)
{
    switch (trace_at(hb->trace, id)->kind) {
    case EVENT_READ:
    case EVENT_WRITE: return bits_has(p->events, id);
    case EVENT_LOCK:
    case EVENT_UNLOCK: /* sections lie within handlers or tasks, or keep them as they are */
    case EVENT_LOG:
    case EVENT_HANDLER_BEGIN:
    case EVENT_HANDLER_END:
    case EVENT_THREAD_START:
    case EVENT_THREAD_END: return true;
    default: return false;
    }
}

static bool context_is_idle(const struct hb *hb, const struct pruned *p, uint32_t context)
{
    const struct contexts *c = &hb->contexts;
    for (uint32_t i = 0; i < c->list[context].count; i++) {
        if (!is_idle(hb, p, context_event(c, context, i))) {
            return false;
        }
    }
    return c->list[context].count > 0;
}

/* Marks the contexts that sections begin in but do not end in. */
static struct bits find_crossed(const struct hb *hb, struct arena *scratch)
{
    const struct contexts *c = &hb->contexts;
    struct bits crossed = bits_take(scratch, (size_t)c->count + 1);
    for (uint32_t i = 0; i < hb->sections.count; i++) {
        const struct section *s = &hb->sections.list[i];
        if (c->of[s->begin] != c->of[s->end]) {
            bits_add(crossed, c->of[s->begin]);
            bits_add(crossed, c->of[s->end]);
        }
    }
    return crossed;
}

/* Counts the accesses, and all events of contexts in which nothing else is left. */
static uint64_t count_pruned(const struct hb *hb, const struct pruned *p, uint64_t access_count,
                             struct arena *scratch)
{
    const struct contexts *c = &hb->contexts;
    const struct bits crossed = find_crossed(hb, scratch);
    uint64_t count = access_count;
    for (uint32_t i = 0; i < c->count; i++) {
        if (!bits_has(crossed, i) && context_is_idle(hb, p, i)) {
            for (uint32_t k = 0; k < c->list[i].count; k++) {
                count += !bits_has(p->events, context_event(c, i, k));
            }
        }
    }
    return count;
}

/* ---- pruning ---- */

void prune(struct pruned *p, const struct hb *hb, const struct accesses *a, bool is_plain,
           struct arena *arena)
{
    struct arena scratch = {0};
    *p = (struct pruned){.events = bits_take(arena, hb->trace->events.count + 1)};
    const uint32_t *surroundings = is_plain && hb->contexts.count == hb->contexts.task_count
                                       ? number_futures(hb, a, &scratch)
                                       : number_stretches(hb, &scratch);
    uint64_t count = 0;
    struct map seen = {0}; /* (class, surroundings) */
    for (uint32_t class = 0; class < a->class_count; class ++) {
        const struct access_class *k = &a->classes[class];
        for (uint32_t i = 0; i < k->count; i++) {
            const event_id id = a->events[k->first + i];
            bool is_new = false;
            (void)map_slot(&seen, map_pair(class, surroundings[id]), 0, &is_new);
            if (!is_new) {
                bits_add(p->events, id);
                count++;
            }
        }
    }
    p->count = count_pruned(hb, p, count, &scratch);
    map_release(&seen);
    arena_release(&scratch);
}
