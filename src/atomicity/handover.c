#include "atomicity/handover.h"

#include <string.h>

#include "atomicity/sketch.h"

/* A question walks the list back from b, and knows of every task up to which event it comes before
 * b. Each event passed adds what must come before it; all of that is listed before it. */

enum { STEPS_MAX = 200000000 };

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

void handover_build(struct handover *h, const struct frame *f)
{
    const struct access *accesses = f->variables.accesses.at;
    *h = (struct handover){.f = f, .step_left = STEPS_MAX};
    event_id *writer = arena_array(&h->arena, event_id, f->trace->events.count + 1);
    for (event_id id = 0; id < f->trace->events.count; id++) {
        const uint32_t number = f->access_of[id];
        const uint32_t write = number == ACCESS_NONE ? ACCESS_NONE : f->writer[number];
        writer[id] = EVENT_NONE;
        if (write != ACCESS_NONE && !accesses[number].is_write &&
            accesses[write].task != accesses[number].task && have_common_lock(f, number, write) &&
            !is_counter(f, id)) {
            writer[id] = accesses[write].event;
        }
    }
    h->writer = writer;
    h->upto = arena_array(&h->arena, event_id, f->trace->tables.tasks.count + 1);
}

void handover_release(struct handover *h)
{
    arena_release(&h->arena);
}

/* ---- asking ---- */

/* "bank.c:42#3+8" and "bank.c:42#3" are parts of blocks. */
bool handover_concerns(const struct frame *f, uint32_t variable)
{
    return strchr(trace_name(f->trace, f->variables.list.at[variable].name), '#') != NULL;
}

static void add_before(struct handover *h, event_id id)
{
    event_id *upto = &h->upto[trace_at(h->f->trace, id)->task];
    *upto = *upto == EVENT_NONE || *upto < id ? id : *upto;
}

/* Adds what must come before an event. */
static void pass(struct handover *h, event_id id, const uint32_t variables[2])
{
    const struct frame *f = h->f;
    const struct contexts *c = &f->hb.contexts;
    const struct graph_span in =
        graph_span_at(graph_into(&f->hb.graph, c->of[id]), c->position[id]);
    for (size_t i = 0; i < in.count; i++) {
        add_before(h, in.at[i].event);
    }
    if (h->writer[id] != EVENT_NONE) {
        const uint32_t variable = f->variables.accesses.at[f->access_of[id]].variable;
        if (variable != variables[0] && variable != variables[1]) {
            add_before(h, h->writer[id]);
        }
    }
}

bool handover_is_before(struct handover *h, event_id a, event_id b, const uint32_t variables[2])
{
    const struct frame *f = h->f;
    const uint32_t task = trace_at(f->trace, a)->task;
    if (a > b || b - a > h->step_left) {
        return false;
    }
    for (size_t i = 0; i < f->trace->tables.tasks.count; i++) {
        h->upto[i] = EVENT_NONE;
    }
    add_before(h, b);
    for (event_id id = b; id > a; id--, h->step_left--) {
        const event_id upto = h->upto[trace_at(f->trace, id)->task];
        if (upto != EVENT_NONE && id <= upto) {
            pass(h, id, variables);
        }
        if (h->upto[task] != EVENT_NONE && h->upto[task] >= a) {
            return true;
        }
    }
    return false;
}
