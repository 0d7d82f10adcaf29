#include "order/order_graph.h"

void edges_add(struct edges *e, event_id from, event_id to, enum edge_kind kind)
{
    must(from != to);
    vec_push(&e->list, (struct edge){.from = from, .to = to, .kind = kind});
}

void edges_release(struct edges *e)
{
    vec_release(&e->list);
}

/* Lays out the edges by the end that `is_source` picks: a stable counting sort by the slot of the
 * event among the members of all contexts, that is by context and then by position. Sets place[i]
 * to the new place of edge i. */
static struct graph_end *lay_out(const struct contexts *c, const struct edges *e, bool is_source,
                                 uint32_t *first, uint32_t *place, struct arena *a)
{
    const struct context *final = &c->list[c->count];
    const size_t event_count = c->count == 0 ? 0 : final[-1].first + final[-1].count;
    struct arena scratch = {0};
    uint32_t *next = arena_array(&scratch, uint32_t, event_count + 1);
    vec_each (&e->list, edge) {
        const event_id id = is_source ? edge->from : edge->to;
        next[c->list[c->of[id]].first + c->position[id] + 1]++;
    }
    for (size_t slot = 0; slot < event_count; slot++) {
        next[slot + 1] += next[slot];
    }
    must(next[event_count] == e->list.count);
    for (uint32_t i = 0; i < c->count; i++) {
        first[i] = next[c->list[i].first];
    }
    first[c->count] = (uint32_t)e->list.count;

    struct graph_end *ends = arena_array(a, struct graph_end, e->list.count + 1);
    for (size_t i = 0; i < e->list.count; i++) {
        const struct edge *edge = &e->list.at[i];
        const event_id id = is_source ? edge->from : edge->to;
        place[i] = next[c->list[c->of[id]].first + c->position[id]]++;
        ends[place[i]] = (struct graph_end){
            .position = c->position[id],
            .event = is_source ? edge->to : edge->from,
            .kind = edge->kind,
        };
    }
    arena_release(&scratch);
    return ends;
}

void graph_build(struct graph *g, const struct contexts *c, const struct edges *e, struct arena *a)
{
    const size_t edge_count = e->list.count;
    must(edge_count < UINT32_MAX);
    struct arena scratch = {0};
    uint32_t *in_place = arena_array(&scratch, uint32_t, edge_count + 1);
    uint32_t *out_place = arena_array(&scratch, uint32_t, edge_count + 1);
    uint32_t *in_first = arena_array(a, uint32_t, (size_t)c->count + 1);
    uint32_t *out_first = arena_array(a, uint32_t, (size_t)c->count + 1);
    struct graph_end *in = lay_out(c, e, false, in_first, in_place, a);
    struct graph_end *out = lay_out(c, e, true, out_first, out_place, a);
    for (size_t i = 0; i < edge_count; i++) {
        in[in_place[i]].twin = out_place[i];
        out[out_place[i]].twin = in_place[i];
        must(in[in_place[i]].event == e->list.at[i].from);
        must(out[out_place[i]].event == e->list.at[i].to);
    }
    must(in_first[c->count] == edge_count);
    must(out_first[c->count] == edge_count);
    arena_release(&scratch);
    *g = (struct graph){
        .contexts = c,
        .edge_count = edge_count,
        .in = in,
        .out = out,
        .in_first = in_first,
        .out_first = out_first,
    };
}

struct graph_span graph_span_from(struct graph_span s, uint32_t position)
{
    size_t low = 0;
    size_t high = s.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s.at[middle].position < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    must(low == s.count || s.at[low].position >= position);
    return (struct graph_span){s.at + low, s.count - low};
}

struct graph_span graph_span_at(struct graph_span s, uint32_t position)
{
    struct graph_span from = graph_span_from(s, position);
    size_t count = 0;
    while (count < from.count && from.at[count].position == position) {
        count++;
    }
    from.count = count;
    return from;
}
