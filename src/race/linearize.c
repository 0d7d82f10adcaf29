#include "race/linearize.h"

#include "base/map.h"
#include "base/vec.h"
#include "race/feasible/dependencies.h"
#include "wire/must.h"

/* The nodes as queues, and which of them may be able to go on. */
struct merge {
    const struct hb *hb;
    uint32_t *queue_of; /* per task: the queue of its node */
    event_id *queued;   /* all events, queue by queue */
    uint32_t *first;    /* per queue, and one more */
    uint32_t *at;       /* per queue: its next event in `queued` */
    bool *is_done;      /* per event */
    VEC(uint32_t) ready;
    event_id *line;
    size_t count;
};

static void sort_into_queues(struct merge *m, struct arena *a)
{
    const struct trace *t = m->hb->trace;
    const size_t task_count = t->tables.tasks.count;
    struct map queue_of_node = {0};
    m->queue_of = arena_array(a, uint32_t, task_count + 1);
    for (size_t i = 0; i < task_count; i++) {
        const uint32_t fresh = (uint32_t)queue_of_node.entries.count;
        m->queue_of[i] = *map_slot(&queue_of_node, t->tables.tasks.at[i].node, fresh, NULL);
    }
    const size_t queue_count = queue_of_node.entries.count;
    map_release(&queue_of_node);
    m->queued = arena_array(a, event_id, t->events.count + 1);
    m->first = arena_array(a, uint32_t, queue_count + 2);
    m->at = arena_array(a, uint32_t, queue_count + 1);
    trace_each (t, e) {
        m->first[m->queue_of[e->task] + 1]++;
    }
    for (size_t i = 0; i < queue_count; i++) {
        m->first[i + 1] += m->first[i];
        m->at[i] = m->first[i];
        vec_push(&m->ready, (uint32_t)i);
    }
    must(m->first[queue_count] == t->events.count);
    for (event_id id = 0; id < t->events.count; id++) {
        m->queued[m->at[m->queue_of[t->events.at[id].task]]++] = id;
    }
    for (size_t i = 0; i < queue_count; i++) {
        m->at[i] = m->first[i];
    }
}

static bool is_enabled(const struct merge *m, event_id id)
{
    const struct contexts *c = &m->hb->contexts;
    const struct graph_span in =
        graph_span_at(graph_into(&m->hb->graph, c->of[id]), c->position[id]);
    for (size_t i = 0; i < in.count; i++) {
        if (dependency_is_edge(in.at[i].kind) && !m->is_done[in.at[i].event]) {
            return false;
        }
    }
    return true;
}

/* Those that waited for this event may go on. */
static void wake(struct merge *m, event_id id)
{
    const struct contexts *c = &m->hb->contexts;
    const struct graph_span out =
        graph_span_at(graph_out_of(&m->hb->graph, c->of[id]), c->position[id]);
    for (size_t i = 0; i < out.count; i++) {
        vec_push(&m->ready, m->queue_of[m->hb->trace->events.at[out.at[i].event].task]);
    }
}

static void run_queue(struct merge *m, uint32_t queue)
{
    while (m->at[queue] < m->first[queue + 1] && is_enabled(m, m->queued[m->at[queue]])) {
        const event_id id = m->queued[m->at[queue]++];
        m->is_done[id] = true;
        m->line[m->count++] = id;
        must(m->count <= m->hb->trace->events.count);
        wake(m, id);
    }
}

struct line line_build(const struct hb *hb, struct arena *a)
{
    const size_t count = hb->trace->events.count;
    if (hb->follows_list) {
        return (struct line){.count = count};
    }
    struct arena scratch = {0};
    struct merge m = {.hb = hb, .line = arena_array(a, event_id, count + 1)};
    m.is_done = arena_array(&scratch, bool, count + 1);
    sort_into_queues(&m, &scratch);
    while (m.ready.count > 0) {
        run_queue(&m, vec_pop(&m.ready));
    }
    vec_release(&m.ready);
    arena_release(&scratch);
    return (struct line){.events = m.line, .count = m.count};
}

struct line_places line_places_build(const struct line *l, const struct trace *t, struct arena *a)
{
    const size_t task_count = t->tables.tasks.count;
    struct arena scratch = {0};
    uint32_t *first = arena_array(a, uint32_t, task_count + 2);
    uint32_t *at = arena_array(a, uint32_t, l->count + 1);
    uint32_t *next = arena_array(&scratch, uint32_t, task_count + 1);
    for (size_t i = 0; i < l->count; i++) {
        first[t->events.at[line_at(l, i)].task + 1]++;
    }
    for (size_t i = 0; i < task_count; i++) {
        first[i + 1] += first[i];
        next[i] = first[i];
    }
    for (size_t i = 0; i < l->count; i++) {
        at[next[t->events.at[line_at(l, i)].task]++] = (uint32_t)i;
    }
    must(first[task_count] == l->count);
    arena_release(&scratch);
    return (struct line_places){.at = at, .first = first};
}

uint32_t line_places_before(const struct line_places *p, uint32_t task, size_t place)
{
    uint32_t low = p->first[task];
    uint32_t high = p->first[task + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->at[middle] < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    must(low <= p->first[task + 1]);
    return low - p->first[task];
}
