#include "order/ancestors.h"

#include "base/bits.h"
#include "base/vec.h"

/* ---- nodes ---- */

/* The nodes of each context by position, counted through all contexts. Edges of the graph lie in
 * the same order, so those of a node end where those of the next begin. */
struct draft {
    const struct contexts *c;
    const struct graph *g;
    uint32_t count;
    uint32_t *first;     /* per context, and one more */
    event_id *events;    /* per draft node */
    uint32_t *in_first;  /* per draft node, and one more: its edges in graph.in ... */
    uint32_t *out_first; /* ... and in graph.out */
    uint32_t *of_event;  /* per event that is a node: its draft node */
    struct bits is_node; /* events */
    bool is_forward;     /* every edge leads to a later event of the trace, and so do contexts */
};

/* Takes the edges of the next node of a context, whose edges end here. */
static void draft_node(struct draft *d, uint32_t context, uint32_t in_end, uint32_t out_end)
{
    const struct graph_end *in = d->g->in;
    const struct graph_end *out = d->g->out;
    uint32_t in_at = d->in_first[d->count];
    uint32_t out_at = d->out_first[d->count];
    const uint32_t in_position = in_at < in_end ? in[in_at].position : UINT32_MAX;
    const uint32_t out_position = out_at < out_end ? out[out_at].position : UINT32_MAX;
    const uint32_t position = in_position < out_position ? in_position : out_position;
    const event_id id = context_event(d->c, context, position);
    for (; in_at < in_end && in[in_at].position == position; in_at++) {
        d->is_forward = d->is_forward && in[in_at].event < id;
    }
    while (out_at < out_end && out[out_at].position == position) {
        out_at++;
    }
    must(in_at > d->in_first[d->count] || out_at > d->out_first[d->count]);
    d->is_forward =
        d->is_forward && (d->count == d->first[context] || d->events[d->count - 1] < id);
    d->of_event[id] = d->count;
    bits_add(d->is_node, id);
    d->events[d->count++] = id;
    d->in_first[d->count] = in_at;
    d->out_first[d->count] = out_at;
}

static void draft_nodes(struct draft *d, size_t event_count, struct arena *scratch)
{
    const size_t size = event_count + 2;
    d->is_node = bits_take(scratch, size);
    d->of_event = arena_array(scratch, uint32_t, size);
    d->events = arena_array(scratch, event_id, size);
    d->in_first = arena_array(scratch, uint32_t, size);
    d->out_first = arena_array(scratch, uint32_t, size);
    d->is_forward = true;
    for (uint32_t context = 0; context < d->c->count; context++) {
        const uint32_t in_end = d->g->in_first[context + 1];
        const uint32_t out_end = d->g->out_first[context + 1];
        d->first[context] = d->count;
        while (d->in_first[d->count] < in_end || d->out_first[d->count] < out_end) {
            draft_node(d, context, in_end, out_end);
        }
    }
    d->first[d->c->count] = d->count;
}

/* ---- a topological order ---- */

static bool is_first_node(const struct draft *d, uint32_t node)
{
    return d->first[d->c->of[d->events[node]]] == node;
}

/* Numbers the draft nodes in the order of the trace, in which every edge leads to a later event.
 * O(events). */
static void number_forward(const struct draft *d, uint32_t *number)
{
    uint32_t count = 0;
    for (size_t i = 0; i < (d->is_node.count + 63) / 64; i++) {
        for (uint64_t word = d->is_node.words[i]; word != 0; word &= word - 1) {
            number[d->of_event[i * 64 + (size_t)__builtin_ctzll(word)]] = count++;
        }
    }
    must(count == d->count);
}

/* Numbers the draft nodes so that every edge goes up; O(nodes + edges). */
static void number_by_edges(const struct draft *d, uint32_t *number, struct arena *scratch)
{
    uint32_t *missing = arena_array(scratch, uint32_t, (size_t)d->count + 1);
    VEC(uint32_t) ready = {0};
    for (uint32_t node = d->count; node-- > 0;) {
        missing[node] = d->in_first[node + 1] - d->in_first[node] + !is_first_node(d, node);
        if (missing[node] == 0) {
            vec_push(&ready, node);
        }
    }
    uint32_t count = 0;
    while (ready.count > 0) {
        const uint32_t node = vec_pop(&ready);
        number[node] = count++;
        for (uint32_t i = d->out_first[node]; i < d->out_first[node + 1]; i++) {
            const uint32_t target = d->of_event[d->g->out[i].event];
            if (--missing[target] == 0) {
                vec_push(&ready, target);
            }
        }
        if (node + 1 < d->count && !is_first_node(d, node + 1) && --missing[node + 1] == 0) {
            vec_push(&ready, node + 1);
        }
    }
    must(count == d->count);
    vec_release(&ready);
}

void ancestors_build(struct ancestors *x, const struct hb *hb, struct arena *a)
{
    struct arena scratch = {0};
    const struct contexts *c = &hb->contexts;
    uint32_t *node_first = arena_array(a, uint32_t, (size_t)c->count + 1);
    struct draft d = {.c = c, .g = &hb->graph, .first = node_first};
    draft_nodes(&d, hb->trace->events.count, &scratch);
    const size_t size = (size_t)d.count + 1;
    uint32_t *number = arena_array(a, uint32_t, size);
    if (d.is_forward) {
        number_forward(&d, number);
    } else {
        number_by_edges(&d, number, &scratch);
    }

    event_id *nodes = arena_array(a, event_id, size);
    uint32_t *node_before = arena_array(a, uint32_t, size);
    uint32_t *source = arena_array(a, uint32_t, hb->graph.edge_count + 1);
    *x = (struct ancestors){.hb = hb, .node_count = d.count, .node_first = node_first};
    x->in_first = arena_array(a, uint32_t, size);
    x->in_count = arena_array(a, uint32_t, size);
    for (uint32_t i = 0; i < d.count; i++) {
        const uint32_t node = number[i];
        nodes[node] = d.events[i];
        node_before[node] = is_first_node(&d, i) ? ANCESTORS_NONE : number[i - 1];
        must(node < d.count);
        must(node_before[node] == ANCESTORS_NONE || node_before[node] < node);
        x->in_first[node] = d.in_first[i];
        x->in_count[node] = d.in_first[i + 1] - d.in_first[i];
        for (uint32_t k = d.in_first[i]; k < d.in_first[i + 1]; k++) {
            source[k] = number[d.of_event[hb->graph.in[k].event]];
            must(source[k] < node);
        }
    }
    x->nodes = nodes;
    x->node_before = node_before;
    x->node_at = number;
    x->source = source;
    x->before = arena_array(a, uint64_t, size);
    x->after = arena_array(a, uint64_t, size);
    x->enter = arena_array(a, uint64_t, size);
    arena_release(&scratch);
}

/* ---- sweeping ---- */

/* How many nodes of its context stand before the event, or at it with `and_at`. */
static uint32_t nodes_before(const struct ancestors *x, event_id id, bool and_at)
{
    const struct contexts *c = &x->hb->contexts;
    const uint32_t context = c->of[id];
    const uint32_t limit = c->position[id] + and_at;
    uint32_t low = x->node_first[context];
    uint32_t high = x->node_first[context + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->position[x->nodes[x->node_at[middle]]] < limit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - x->node_first[context];
}

uint32_t ancestors_node(const struct ancestors *x, event_id id)
{
    const uint32_t context = x->hb->contexts.of[id];
    const uint32_t place = x->node_first[context] + nodes_before(x, id, false);
    return place < x->node_first[context + 1] ? x->node_at[place] : ANCESTORS_NONE;
}

void ancestors_run(struct ancestors *x, const event_id *events, uint32_t count)
{
    must(count <= ANCESTORS_MAX);
    uint32_t places[ANCESTORS_MAX];
    x->begin = x->node_count;
    for (uint32_t i = 0; i < count; i++) {
        places[i] = ancestors_node(x, events[i]);
        if (places[i] != ANCESTORS_NONE) {
            x->enter[places[i]] |= UINT64_C(1) << i;
            x->begin = places[i] < x->begin ? places[i] : x->begin;
        }
    }
    for (uint32_t node = x->begin; node < x->node_count; node++) {
        const uint32_t before = x->node_before[node];
        uint64_t known = before != ANCESTORS_NONE && before >= x->begin ? x->after[before] : 0;
        const uint32_t *source = x->source + x->in_first[node];
        for (uint32_t i = 0; i < x->in_count[node]; i++) {
            known |= source[i] >= x->begin ? x->after[source[i]] : 0;
        }
        x->before[node] = known;
        x->after[node] = known | x->enter[node];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (places[i] == ANCESTORS_NONE) {
            continue;
        }
        x->enter[places[i]] = 0;
        if (x->nodes[places[i]] != events[i]) {
            x->before[places[i]] |= UINT64_C(1) << i;
        }
    }
}

uint64_t ancestors_of(const struct ancestors *x, event_id id)
{
    const uint32_t count = nodes_before(x, id, true);
    if (count == 0) {
        return 0;
    }
    const uint32_t node = x->node_at[x->node_first[x->hb->contexts.of[id]] + count - 1];
    if (node < x->begin) {
        return 0;
    }
    return x->nodes[node] == id ? x->before[node] : x->after[node];
}
