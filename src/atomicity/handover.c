#include "atomicity/handover.h"

#include <string.h>

#include "atomicity/variable_accesses.h"
#include "base/map.h"
#include "order/object_key.h"
#include "trace/kind_table.h"

/* A question walks the edges back from b, and knows of every task up to which event it comes before
 * b. Each edge passed adds the events that must come before it, all of which are listed before it.
 */

#define STEPS_MAX UINT64_C(1000000000)

/* ---- building ---- */

/* Whether two accesses are in sections of one lock that exclude each other. */
static bool have_common_lock(const struct frame *f, uint32_t one, uint32_t other)
{
    const struct frame_span a = f->held_at[one];
    const struct frame_span b = f->held_at[other];
    for (uint32_t i = 0; i < a.count; i++) {
        const struct section *first = &f->hb.sections.list[f->held[a.first + i]];
        for (uint32_t k = 0; k < b.count; k++) {
            const struct section *second = &f->hb.sections.list[f->held[b.first + k]];
            if (first->lock == second->lock && !(first->is_shared && second->is_shared)) {
                return true;
            }
        }
    }
    return false;
}

/* A read whose value the task only adds to: its next event writes the variable at the same place.
 */
static bool is_counter(const struct frame *f, event_id id)
{
    const struct contexts *c = &f->hb.contexts;
    const uint32_t next = c->position[id] + 1;
    if (next == c->list[c->of[id]].count) {
        return false;
    }
    const struct event *read = trace_at(f->trace, id);
    const struct event *write = trace_at(f->trace, context_event(c, c->of[id], next));
    return write->kind == EVENT_WRITE && write->object == read->object &&
           write->location == read->location;
}

static void add_edge(struct handover *h, event_id from, event_id to, uint32_t variable)
{
    must(from != to);
    must(h->edges.count == 0 || vec_last(&h->edges)->to <= to);
    vec_push(&h->edges, (struct handover_edge){.from = from, .to = to, .variable = variable});
}

/* Adds the events of other tasks that must come before an event: by happens-before, or as the write
 * that a read has seen. */
static void add_edges(struct handover *h, event_id id)
{
    const struct frame *f = h->f;
    const struct contexts *c = &f->hb.contexts;
    const struct access *accesses = f->variables.accesses.at;
    const struct graph_span in =
        graph_span_at(graph_into(&f->hb.graph, c->of[id]), c->position[id]);
    for (size_t i = 0; i < in.count; i++) {
        add_edge(h, in.at[i].event, id, VARIABLE_NONE);
    }
    const uint32_t number = f->access_of[id];
    const uint32_t write = number == ACCESS_NONE ? ACCESS_NONE : f->writer[number];
    if (write != ACCESS_NONE && !accesses[number].is_write &&
        accesses[write].task != accesses[number].task && have_common_lock(f, number, write) &&
        !is_counter(f, id)) {
        add_edge(h, accesses[write].event, id, accesses[number].variable);
    }
}

/* A descriptor's number is given out again only after it was closed: the data of the descriptor go
 * from the task that closed it to the one that got the number. */
static void add_observed(struct handover *h, struct map *closed, event_id id)
{
    const struct event *e = trace_at(h->f->trace, id);
    if (e->mode != ANNOTATION_OBSERVED) {
        return;
    }
    const uint64_t key = scope_name(h->f->trace, e, e->object);
    const uint32_t *from = map_get(closed, key);
    if (e->kind == EVENT_HAPPENS_BEFORE) {
        map_put(closed, key, (uint32_t)id);
    } else if (e->kind == EVENT_HAPPENS_AFTER && from != NULL &&
               trace_at(h->f->trace, *from)->task != e->task) {
        add_edge(h, *from, id, VARIABLE_NONE);
    }
}

void handover_build(struct handover *h, const struct frame *f)
{
    struct map closed = {0};
    *h = (struct handover){.f = f, .step_left = STEPS_MAX};
    for (event_id id = 0; id < f->trace->events.count; id++) {
        add_edges(h, id);
        if (event_class(trace_at(f->trace, id)) == CLASS_ANNOTATION) {
            add_observed(h, &closed, id);
        }
    }
    map_release(&closed);
    h->upto = arena_array(&h->arena, event_id, f->trace->tables.tasks.count + 1);
}

void handover_release(struct handover *h)
{
    vec_release(&h->edges);
    arena_release(&h->arena);
}

/* ---- asking ---- */

/* "bank.c:42#3+8" and "bank.c:42#3" are parts of blocks, "jobs[3].next" of an element. */
bool handover_concerns(const struct frame *f, uint32_t variable)
{
    return strpbrk(trace_name(f->trace, f->variables.list.at[variable].name), "#[") != NULL;
}

static void add_before(struct handover *h, event_id id)
{
    event_id *upto = &h->upto[trace_at(h->f->trace, id)->task];
    *upto = *upto == EVENT_NONE || *upto < id ? id : *upto;
}

/* The first edge to an event behind this one. O(log). */
static size_t first_edge_behind(const struct handover *h, event_id id)
{
    size_t low = 0;
    size_t high = h->edges.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (h->edges.at[middle].to <= id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool handover_is_before(struct handover *h, event_id a, event_id b, const uint32_t variables[2])
{
    const uint32_t task = trace_at(h->f->trace, a)->task;
    must(trace_at(h->f->trace, b)->task != task);
    if (a > b) {
        return false;
    }
    for (size_t i = 0; i < h->f->trace->tables.tasks.count; i++) {
        h->upto[i] = EVENT_NONE;
    }
    add_before(h, b);
    for (size_t i = first_edge_behind(h, b); i-- > 0 && h->step_left > 0; h->step_left--) {
        const struct handover_edge *edge = &h->edges.at[i];
        if (edge->to <= a || (h->upto[task] != EVENT_NONE && h->upto[task] >= a)) {
            break;
        }
        const event_id upto = h->upto[trace_at(h->f->trace, edge->to)->task];
        const bool is_asked = edge->variable != VARIABLE_NONE &&
                              (edge->variable == variables[0] || edge->variable == variables[1]);
        if (upto != EVENT_NONE && edge->to <= upto && !is_asked) {
            add_before(h, edge->from);
        }
    }
    return h->upto[task] != EVENT_NONE && h->upto[task] >= a;
}
