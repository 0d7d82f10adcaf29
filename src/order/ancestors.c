#include "order/ancestors.h"

#include "base/bits.h"
#include "base/vec.h"

/* ---- nodes ---- */

/* The nodes of each context by position, numbered by place among all contexts. */
struct draft {
    const struct contexts *c;
    const struct graph *g;
    uint32_t count;
    uint32_t *first;    /* per context, and one more */
    event_id *events;   /* per draft node */
    uint32_t *of_event; /* per event: its draft node, ANCESTORS_NONE */
};

static void draft_nodes(struct draft *d, size_t event_count, struct arena *scratch)
{
    struct bits has_edge = bits_take(scratch, event_count + 1);
    for (size_t i = 0; i < d->g->edge_count; i++) {
        bits_add(has_edge, d->g->in[i].event);
        bits_add(has_edge, d->g->out[i].event);
    }
    d->of_event = arena_array(scratch, uint32_t, event_count + 1);
    d->events = arena_array(scratch, event_id, event_count + 1);
    for (uint32_t context = 0; context < d->c->count; context++) {
        d->first[context] = d->count;
        for (uint32_t i = 0; i < d->c->list[context].count; i++) {
            const event_id id = context_event(d->c, context, i);
            d->of_event[id] = ANCESTORS_NONE;
            if (bits_has(has_edge, id)) {
                d->of_event[id] = d->count;
                d->events[d->count++] = id;
            }
        }
    }
    d->first[d->c->count] = d->count;
}

/* ---- an order of them ---- */

static struct graph_span edges_at(const struct draft *d, event_id id, bool is_in)
{
    const uint32_t context = d->c->of[id];
    return graph_span_at(is_in ? graph_into(d->g, context) : graph_out_of(d->g, context),
                         d->c->position[id]);
}

static bool is_first_node(const struct draft *d, uint32_t node)
{
    return d->first[d->c->of[d->events[node]]] == node;
}

/* Numbers the draft nodes so that every edge goes up; O(nodes + edges). */
static uint32_t *number_nodes(const struct draft *d, struct arena *scratch)
{
    uint32_t *number = arena_array(scratch, uint32_t, (size_t)d->count + 1);
    uint32_t *missing = arena_array(scratch, uint32_t, (size_t)d->count + 1);
    VEC(uint32_t) ready = {0};
    for (uint32_t node = d->count; node-- > 0;) {
        missing[node] = (uint32_t)edges_at(d, d->events[node], true).count;
        missing[node] += !is_first_node(d, node);
        if (missing[node] == 0) {
            vec_push(&ready, node);
        }
    }
    uint32_t count = 0;
    while (ready.count > 0) {
        const uint32_t node = vec_pop(&ready);
        number[node] = count++;
        const struct graph_span out = edges_at(d, d->events[node], false);
        for (size_t i = 0; i < out.count; i++) {
            const uint32_t target = d->of_event[out.at[i].event];
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
    return number;
}

void ancestors_build(struct ancestors *x, const struct hb *hb, struct arena *a)
{
    struct arena scratch = {0};
    const struct contexts *c = &hb->contexts;
    uint32_t *node_first = arena_array(a, uint32_t, (size_t)c->count + 1);
    struct draft d = {.c = c, .g = &hb->graph, .first = node_first};
    draft_nodes(&d, hb->trace->events.count, &scratch);
    const uint32_t *number = number_nodes(&d, &scratch);

    const size_t size = (size_t)d.count + 1;
    event_id *nodes = arena_array(a, event_id, size);
    uint32_t *node_before = arena_array(a, uint32_t, size);
    uint32_t *node_at = arena_array(a, uint32_t, size);
    uint32_t *source = arena_array(a, uint32_t, hb->graph.edge_count + 1);
    *x = (struct ancestors){.hb = hb, .node_count = d.count, .node_first = node_first};
    x->in_first = arena_array(a, uint32_t, size);
    x->in_count = arena_array(a, uint32_t, size);
    for (uint32_t i = 0; i < d.count; i++) {
        const uint32_t node = number[i];
        const struct graph_span in = edges_at(&d, d.events[i], true);
        nodes[node] = d.events[i];
        node_at[i] = node;
        node_before[node] = is_first_node(&d, i) ? ANCESTORS_NONE : number[i - 1];
        x->in_first[node] = in.count == 0 ? 0 : (uint32_t)(in.at - hb->graph.in);
        x->in_count[node] = (uint32_t)in.count;
        for (size_t k = 0; k < in.count; k++) {
            source[x->in_first[node] + k] = number[d.of_event[in.at[k].event]];
            must(source[x->in_first[node] + k] < node);
        }
    }
    x->nodes = nodes;
    x->node_before = node_before;
    x->node_at = node_at;
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
