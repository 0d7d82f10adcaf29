#include "order/descendants.h"

/* The largest number of edges that a walk follows. */
enum { EDGES_MAX = 64 };

/* Adds the event with its successors in its context; false when the list is full. */
static bool add(struct descendants *d, const struct contexts *c, event_id id)
{
    const struct descendant found = {.context = c->of[id], .position = c->position[id]};
    must(found.position < c->list[found.context].count);
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->list[i].context == found.context && d->list[i].position <= found.position) {
            return true;
        }
    }
    if (d->count == DESCENDANTS_MAX) {
        return false;
    }
    d->list[d->count++] = found; /* perhaps a second time, from an earlier position */
    return true;
}

/* Adds the targets of the edges from here on. */
static bool follow(struct descendants *d, const struct hb *hb, struct descendant from,
                   bool is_start, size_t *edge_count)
{
    const struct graph_span out =
        graph_span_from(graph_out_of(&hb->graph, from.context), from.position);
    *edge_count += out.count;
    bool has_room = *edge_count <= EDGES_MAX;
    for (size_t i = 0; i < out.count && has_room; i++) {
        if (!is_start || out.at[i].kind != EDGE_HANDLED) {
            has_room = add(d, &hb->contexts, out.at[i].event);
        }
    }
    return has_room;
}

bool descendants_find(struct descendants *d, const struct hb *hb, event_id id)
{
    const struct contexts *c = &hb->contexts;
    size_t edge_count = 0;
    must(context_is_handler(c, c->of[id]));
    d->count = 0;
    bool has_room =
        follow(d, hb, (struct descendant){c->of[id], c->position[id]}, true, &edge_count);
    for (uint32_t i = 0; i < d->count && has_room; i++) {
        has_room = follow(d, hb, d->list[i], false, &edge_count);
    }
    return has_room;
}

bool descendants_have(const struct descendants *d, const struct hb *hb, event_id id)
{
    const struct contexts *c = &hb->contexts;
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->list[i].context == c->of[id] && d->list[i].position <= c->position[id]) {
            return true;
        }
    }
    return false;
}
