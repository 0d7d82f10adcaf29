/* Both sides merged into one order. A node of a graph is a pair, or an unpaired act of one side;
 * edges lead to predecessors: on the strand, and the cause. In a cycle a pair precedes another on
 * one side and follows it on the other (rule 3). Tarjan's algorithm finds the cycles, and orders
 * all other nodes as both sides allow. */
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "order/align_parts.h"

/* Nodes are acts of the first side, then those of the second that are no pairs. */
struct merger {
    struct alignment *alignment;
    uint32_t first_count;
    uint32_t node_count;
    uint32_t *number;     /* the order of discovery of nodes, from 1; 0: undiscovered */
    uint32_t *lowest;     /* of the nodes that it leads to and that are on the path */
    uint8_t *edges_taken; /* of a node on the path */
    bool *is_open;        /* it may be part of a cycle with the current node */
    VEC(uint32_t) way;
    VEC(uint32_t) open;
    VEC(uint32_t) order; /* nodes, predecessors first */
    VEC(uint32_t) ends;  /* of each cycle in it; a node in no cycle has its own */
    uint32_t met;
    bool is_apart;  /* pairs are two nodes */
    bool *is_round; /* of each node: it is its own indirect cause, as may be in a log, and that is
                       no edge */
};

static uint32_t node_of(const struct merger *m, int side, uint32_t act)
{
    if (act == ALIGN_NONE || side == ALIGN_FIRST) {
        return act;
    }
    const uint32_t partner = m->alignment->sides[ALIGN_SECOND].partner_of[act];
    return m->is_apart || partner == ALIGN_NONE ? m->first_count + act : partner;
}

/* The act of the node on a side; ALIGN_NONE: none there. */
static uint32_t act_of(const struct merger *m, int side, uint32_t node)
{
    const bool is_of_first = node < m->first_count;
    if (side == ALIGN_FIRST) {
        return is_of_first ? node : ALIGN_NONE;
    }
    if (!is_of_first) {
        return node - m->first_count;
    }
    return m->is_apart ? ALIGN_NONE : m->alignment->sides[ALIGN_FIRST].partner_of[node];
}

enum { EDGES = 4 };

/* The direct predecessors of the node: two on each side. */
static uint32_t before(const struct merger *m, uint32_t node, uint32_t edge)
{
    const int side = edge < EDGES / 2 ? ALIGN_FIRST : ALIGN_SECOND;
    const struct align_acts *acts = &m->alignment->sides[side];
    const uint32_t act = act_of(m, side, node);
    if (act == ALIGN_NONE) {
        return ALIGN_NONE;
    }
    if (edge % 2 == 0) {
        return node_of(m, side, acts->previous[act]);
    }
    const bool is_round = m->is_round[side == ALIGN_FIRST ? act : m->first_count + act];
    return is_round ? ALIGN_NONE : node_of(m, side, acts->list.at[act].cause);
}

static void meet(struct merger *m, uint32_t node)
{
    m->number[node] = m->lowest[node] = ++m->met;
    m->is_open[node] = true;
    vec_push(&m->open, node);
    vec_push(&m->way, node);
}

static void lower(struct merger *m, uint32_t node, uint32_t number)
{
    m->lowest[node] = number < m->lowest[node] ? number : m->lowest[node];
}

/* All successors of the node were visited. */
static void leave(struct merger *m, uint32_t node)
{
    (void)vec_pop(&m->way);
    if (m->way.count > 0) {
        lower(m, *vec_last(&m->way), m->lowest[node]);
    }
    if (m->lowest[node] != m->number[node]) {
        return;
    }
    uint32_t closed = ALIGN_NONE;
    while (closed != node) {
        closed = vec_pop(&m->open);
        m->is_open[closed] = false;
        vec_push(&m->order, closed);
    }
    vec_push(&m->ends, (uint32_t)m->order.count);
}

static void walk_from(struct merger *m, uint32_t root)
{
    if (m->number[root] != 0) {
        return;
    }
    meet(m, root);
    while (m->way.count > 0) {
        const uint32_t node = *vec_last(&m->way);
        if (m->edges_taken[node] == EDGES) {
            leave(m, node);
            continue;
        }
        const uint32_t next = before(m, node, m->edges_taken[node]++);
        if (next == ALIGN_NONE) {
            continue;
        }
        if (m->number[next] == 0) {
            meet(m, next);
        } else if (m->is_open[next]) {
            lower(m, node, m->number[next]);
        }
    }
}

static void walk(struct merger *m)
{
    const struct align_acts *second = &m->alignment->sides[ALIGN_SECOND];
    memset(m->number, 0, m->node_count * sizeof *m->number);
    memset(m->edges_taken, 0, m->node_count * sizeof *m->edges_taken);
    vec_clear(&m->order);
    vec_clear(&m->ends);
    m->met = 0;
    for (uint32_t i = 0; i < m->first_count; i++) {
        walk_from(m, i);
    }
    for (uint32_t i = 0; i < second->list.count; i++) {
        walk_from(m, node_of(m, ALIGN_SECOND, i));
    }
    must(m->open.count == 0); /* every component is closed */
}

/* Walks each side by itself: causes that form a cycle there are dropped. */
static void walk_apart(struct merger *m)
{
    m->is_apart = true;
    walk(m);
    m->is_apart = false;
    uint32_t from = 0;
    vec_each (&m->ends, end) {
        const bool is_cycle = *end - from > 1;
        for (uint32_t i = from; i < *end && is_cycle; i++) {
            m->is_round[m->order.at[i]] = true;
        }
        from = *end;
    }
}

static int compare_counts(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct map_entry *a = left;
    const struct map_entry *b = right;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* Of many strands with pairs in a cycle this many are separated at once: each time the whole graph
 * is walked again. */
enum { STRANDS_LEFT = 8 };

/* Of the strands with pairs in the cycle, that with the fewest; of many, some. */
static void find_least_strands(const struct merger *m, uint32_t from, uint32_t end,
                               struct map *least)
{
    const struct align_acts *first = &m->alignment->sides[ALIGN_FIRST];
    struct map counts = {0};
    for (uint32_t i = from; i < end; i++) {
        const uint32_t node = m->order.at[i];
        if (act_of(m, ALIGN_FIRST, node) != ALIGN_NONE &&
            act_of(m, ALIGN_SECOND, node) != ALIGN_NONE) {
            ++*map_slot(&counts, first->list.at[node].strand, 0, NULL);
        }
    }
    must(counts.entries.count > 0); /* neither side has a cycle by itself */
    sort_stable(counts.entries.at, counts.entries.count, sizeof *counts.entries.at, compare_counts,
                NULL);
    map_clear(least);
    for (size_t i = 0; i < 1 + counts.entries.count / STRANDS_LEFT; i++) {
        map_put(least, counts.entries.at[i].key, 1);
    }
    map_release(&counts);
}

/* Separates pairs of some strands in each cycle; true when there were any. */
static bool part_cycles(struct merger *m)
{
    struct alignment *a = m->alignment;
    struct map least = {0};
    bool is_any = false;
    uint32_t from = 0;
    vec_each (&m->ends, end) {
        const bool is_cycle = *end - from > 1;
        if (is_cycle) {
            find_least_strands(m, from, *end, &least);
        }
        for (uint32_t i = from; i < *end && is_cycle; i++) {
            const uint32_t act = act_of(m, ALIGN_FIRST, m->order.at[i]);
            if (act != ALIGN_NONE &&
                map_get(&least, a->sides[ALIGN_FIRST].list.at[act].strand) != NULL) {
                alignment_part(a, act);
                is_any = true;
            }
        }
        from = *end;
    }
    map_release(&least);
    return is_any;
}

/* The next pair on the strand from an act on, in either direction. */
struct meetings {
    struct meeting *after;
    struct meeting *before;
};

static struct meeting meeting_of(const struct alignment *a, int side, uint32_t act)
{
    struct meeting meeting = {{ALIGN_NONE, ALIGN_NONE}};
    const uint32_t partner = a->sides[side].partner_of[act];
    must(partner != ALIGN_NONE);
    meeting.index[side] = a->sides[side].list.at[act].index;
    meeting.index[!side] = a->sides[!side].list.at[partner].index;
    return meeting;
}

static void find_meetings(const struct alignment *a, int side, struct meetings *meetings)
{
    static const struct meeting nowhere = {{ALIGN_NONE, ALIGN_NONE}};
    const struct align_acts *acts = &a->sides[side];
    meetings->after = mem_zero(acts->list.count + 1, sizeof *meetings->after);
    meetings->before = mem_zero(acts->list.count + 1, sizeof *meetings->before);
    vec_each (&acts->strands, strand) {
        struct meeting last = nowhere;
        vec_each (&strand->list, act) {
            meetings->after[*act] = last;
            last = acts->partner_of[*act] == ALIGN_NONE ? last : meeting_of(a, side, *act);
        }
        last = nowhere;
        for (size_t i = strand->list.count; i-- > 0;) {
            const uint32_t act = strand->list.at[i];
            meetings->before[act] = last;
            last = acts->partner_of[act] == ALIGN_NONE ? last : meeting_of(a, side, act);
        }
    }
}

static void list_differences(const struct merger *m)
{
    struct alignment *a = m->alignment;
    struct meetings meetings[2];
    find_meetings(a, ALIGN_FIRST, &meetings[ALIGN_FIRST]);
    find_meetings(a, ALIGN_SECOND, &meetings[ALIGN_SECOND]);
    vec_each (&m->order, node) {
        const enum align_side side = *node < m->first_count ? ALIGN_FIRST : ALIGN_SECOND;
        const uint32_t act = act_of(m, side, *node);
        if (act_of(m, !side, *node) == ALIGN_NONE) {
            vec_push(&a->differences, (struct difference){.side = side,
                                                          .act = a->sides[side].list.at[act],
                                                          .after = meetings[side].after[act],
                                                          .before = meetings[side].before[act]});
        }
    }
    for (int side = 0; side < 2; side++) {
        mem_free(meetings[side].after);
        mem_free(meetings[side].before);
    }
}

void alignment_merge(struct alignment *a)
{
    struct merger m = {.alignment = a, .first_count = (uint32_t)a->sides[ALIGN_FIRST].list.count};
    m.node_count = m.first_count + (uint32_t)a->sides[ALIGN_SECOND].list.count + 1;
    m.number = mem_zero(m.node_count, sizeof *m.number);
    m.lowest = mem_zero(m.node_count, sizeof *m.lowest);
    m.edges_taken = mem_zero(m.node_count, sizeof *m.edges_taken);
    m.is_open = mem_zero(m.node_count, sizeof *m.is_open);
    m.is_round = mem_zero(m.node_count, sizeof *m.is_round);
    walk_apart(&m);
    do {
        walk(&m);
    } while (part_cycles(&m));
    list_differences(&m);
    mem_free(m.number);
    mem_free(m.lowest);
    mem_free(m.edges_taken);
    mem_free(m.is_open);
    mem_free(m.is_round);
    vec_release(&m.way);
    vec_release(&m.open);
    vec_release(&m.order);
    vec_release(&m.ends);
}
