#include "order/saturate.h"

#include "base/map.h"
#include "base/sort.h"
#include "order/ancestors.h"
#include "order/bucket.h"
#include "order/descendants.h"

bool saturate_handler_is_joined(const struct hb *hb, uint32_t context)
{
    const struct graph_span in = graph_into(&hb->graph, context);
    return graph_span_from(in, 1).count > 0;
}

bool saturate_leads_out(const struct hb *hb, event_id id)
{
    const struct contexts *c = &hb->contexts;
    const struct graph_span out =
        graph_span_from(graph_out_of(&hb->graph, c->of[id]), c->position[id]);
    for (size_t i = 0; i < out.count; i++) {
        if (out.at[i].kind != EDGE_HANDLED) {
            return true;
        }
    }
    return false;
}

/* One pass over all intervals. */
struct pass {
    struct hb *hb;
    struct limit_watch *watch;
    bool has_new; /* an order was found */
};

static bool is_not_after(const struct hb *hb, event_id a, event_id b)
{
    return a == b || hb_is_before(hb, a, b);
}

/* Two intervals that must not overlap: when the beginning of the first is not after the end of the
 * second, it is over before the second begins. */
static void exclude(struct pass *p, event_id first_end, event_id second_begin)
{
    edges_add(&p->hb->edges, first_end, second_begin, EDGE_EXCLUSION);
    p->has_new = true;
}

/* ---- handlers of one task ---- */

/* A handler of a task, among those that hang off the same main event. */
struct sibling {
    uint32_t context;
    uint32_t node;        /* of its first event, ANCESTORS_NONE: it precedes nothing outside */
    VEC(uint32_t) before; /* siblings that must end before it, the last ones only */
};

typedef VEC(struct sibling) sibling_vec;

/* The queries about one run of siblings. */
struct siblings {
    struct pass *p;
    struct ancestors *ancestors;
    sibling_vec all;
    VEC(uint32_t) sources; /* those that precede something outside, by node */
};

static int by_node(const void *left, const void *right, const void *context)
{
    const struct sibling *all = context;
    const uint32_t a = all[*(const uint32_t *)left].node;
    const uint32_t b = all[*(const uint32_t *)right].node;
    return (a > b) - (a < b);
}

static event_id sibling_first(const struct siblings *b, uint32_t sibling)
{
    return context_first(&b->p->hb->contexts, b->all.at[sibling].context);
}

static event_id sibling_last(const struct siblings *b, uint32_t sibling)
{
    return context_last(&b->p->hb->contexts, b->all.at[sibling].context);
}

/* Whether the end of one is known to come before the beginning of the other. Most often an edge
 * says so. */
static bool is_excluded(const struct hb *hb, event_id end, event_id begin)
{
    const struct contexts *c = &hb->contexts;
    const struct graph_span out =
        graph_span_at(graph_out_of(&hb->graph, c->of[end]), c->position[end]);
    for (size_t i = 0; i < out.count; i++) {
        if (out.at[i].event == begin) {
            return true;
        }
    }
    return hb->scope == REACH_ALL && hb_is_before(hb, end, begin);
}

/* Of the sources from `first` on in the last run, finds those whose beginning is not after the end
 * of a sibling: they end before it begins. The maximal ones suffice. */
static void exclude_before(struct siblings *b, uint32_t sibling, uint32_t first)
{
    const struct ancestors *x = b->ancestors;
    uint64_t left = ancestors_of(x, sibling_last(b, sibling));
    vec_each (&b->all.at[sibling].before, known) {
        left &= ~ancestors_of(x, sibling_last(b, *known));
    }
    while (left != 0) {
        const uint32_t bit = 63 - (uint32_t)__builtin_clzll(left);
        const uint32_t earlier = b->sources.at[first + bit];
        left &= ~(UINT64_C(1) << bit);
        if (earlier == sibling) {
            continue;
        }
        left &= ~ancestors_of(x, sibling_last(b, earlier));
        vec_push(&b->all.at[sibling].before, earlier);
        const event_id end = sibling_last(b, earlier);
        const event_id begin = sibling_first(b, sibling);
        if (!is_excluded(b->p->hb, end, begin)) {
            exclude(b->p, end, begin);
        }
    }
}

/* Visits the sources from the last to the first, so that a predecessor of one of them is dropped
 * from the earlier sources. */
static void saturate_batch(struct siblings *b)
{
    sort_stable(b->sources.at, b->sources.count, sizeof *b->sources.at, by_node, b->all.at);
    for (size_t end = b->sources.count; end > 0;) {
        const size_t first = end > ANCESTORS_MAX ? end - ANCESTORS_MAX : 0;
        event_id events[ANCESTORS_MAX];
        for (size_t i = first; i < end; i++) {
            events[i - first] = sibling_first(b, b->sources.at[i]);
        }
        ancestors_run(b->ancestors, events, (uint32_t)(end - first));
        for (uint32_t i = 0; i < b->all.count; i++) {
            exclude_before(b, i, (uint32_t)first);
        }
        if (limit_is_over(b->p->watch, (uint32_t)b->all.count + b->ancestors->node_count)) {
            return;
        }
        end = first;
    }
}

static void batch_clear(struct siblings *b)
{
    vec_each (&b->all, sibling) {
        vec_release(&sibling->before);
    }
    vec_clear(&b->all);
    vec_clear(&b->sources);
}

/* Orders a handler before the siblings among its successors; false when these are not few. */
static bool exclude_descendants(struct pass *p, uint32_t context)
{
    const struct hb *hb = p->hb;
    const struct contexts *c = &hb->contexts;
    struct descendants d;
    if (!descendants_find(&d, hb, context_first(c, context))) {
        return false;
    }
    for (uint32_t i = 0; i < d.count; i++) {
        const uint32_t other = d.list[i].context;
        const event_id end = context_last(c, context);
        if (other != context && context_is_handler(c, other) &&
            c->list[other].task == c->list[context].task &&
            !is_excluded(hb, end, context_first(c, other))) {
            exclude(p, end, context_first(c, other));
        }
    }
    return true;
}

static void batch_add(struct siblings *b, uint32_t context)
{
    const struct hb *hb = b->p->hb;
    const event_id first = context_first(&hb->contexts, context);
    if (saturate_leads_out(hb, first) && !exclude_descendants(b->p, context)) {
        vec_push(&b->sources, (uint32_t)b->all.count);
    }
    const struct sibling s = {.context = context, .node = ancestors_node(b->ancestors, first)};
    vec_push(&b->all, s);
}

/* Handlers that hang off different main events are ordered by the main chain. */
static void order_handlers_of(struct siblings *b, struct bucket handlers)
{
    const struct context *list = b->p->hb->contexts.list;
    for (uint32_t i = 0; i < handlers.count;) {
        const event_id hang = list[handlers.at[i]].hang;
        for (; i < handlers.count && list[handlers.at[i]].hang == hang; i++) {
            batch_add(b, handlers.at[i]);
        }
        if (b->all.count > 1 && !limit_is_over(b->p->watch, 1)) {
            saturate_batch(b);
        }
        batch_clear(b);
    }
}

static void order_handlers(struct pass *p)
{
    const struct contexts *c = &p->hb->contexts;
    if (c->count == c->task_count) {
        return;
    }
    struct arena scratch = {0};
    struct ancestors ancestors;
    struct bucket_items items = {0};
    for (uint32_t i = c->task_count; i < c->count; i++) {
        bucket_add(&items, c->list[i].task, i);
    }
    const struct buckets of_task = buckets_sort(&items, c->task_count, &scratch);
    ancestors_build(&ancestors, p->hb, &scratch);
    struct siblings b = {.p = p, .ancestors = &ancestors};
    for (uint32_t task = 0; task < c->task_count; task++) {
        order_handlers_of(&b, bucket_at(&of_task, task));
    }
    vec_release(&b.all);
    vec_release(&b.sources);
    vec_release(&items.list);
    arena_release(&scratch);
}

/* ---- sections of one lock ---- */

/* The sections of a lock by one task: on its main chain, in order; and elsewhere. */
struct holder {
    uint32_t task;
    VEC(const struct section *) exclusive; /* begin and end on the main chain */
    VEC(const struct section *) any;       /* the same, and shared ones between */
    VEC(const struct section *) apart;     /* those in handlers, or across contexts */
};

typedef VEC(struct holder) holder_vec;

static bool is_on_main(const struct contexts *c, const struct section *s)
{
    return c->of[s->begin] == s->task && c->of[s->end] == s->task;
}

/* The last of these sections, which are in order on their task's main chain, that begins among the
 * first `count` events of the chain; NULL when there is none. */
static const struct section *last_begun(const struct contexts *c,
                                        const struct section *const *sections, size_t section_count,
                                        uint32_t count)
{
    size_t low = 0;
    size_t high = section_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->position[sections[middle]->begin] < count) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? NULL : sections[low - 1];
}

/* Finds the sections of another task that come before this one. On a main chain the last one stands
 * for all before. */
static void saturate_section(struct pass *p, const struct section *s, const struct holder *other)
{
    const struct hb *hb = p->hb;
    const uint32_t known = reach_count(&hb->before, s->end, other->task);
    const struct section *last =
        s->is_shared ? last_begun(&hb->contexts, other->exclusive.at, other->exclusive.count, known)
                     : last_begun(&hb->contexts, other->any.at, other->any.count, known);
    if (last != NULL && !hb_is_before(hb, last->end, s->begin)) {
        exclude(p, last->end, s->begin);
    }
    vec_each (&other->apart, apart) {
        const struct section *earlier = *apart;
        if (sections_exclude(earlier, s) && is_not_after(hb, earlier->begin, s->end) &&
            !hb_is_before(hb, earlier->end, s->begin)) {
            exclude(p, earlier->end, s->begin);
        }
    }
}

static void saturate_lock(struct pass *p, const struct lock *lock)
{
    const struct hb *hb = p->hb;
    const uint32_t *numbers = hb->sections.by_lock + lock->first;
    struct map holder_of = {0}; /* task to number */
    holder_vec holders = {0};
    for (uint32_t i = 0; i < lock->count; i++) {
        const struct section *s = &hb->sections.list[numbers[i]];
        bool is_new = false;
        const uint32_t number = *map_slot(&holder_of, s->task, (uint32_t)holders.count, &is_new);
        if (is_new) {
            vec_push(&holders, (struct holder){.task = s->task});
        }
        struct holder *h = vec_at(&holders, number);
        if (!is_on_main(&hb->contexts, s)) {
            vec_push(&h->apart, s);
            continue;
        }
        vec_push(&h->any, s);
        if (!s->is_shared) {
            vec_push(&h->exclusive, s);
        }
    }
    for (uint32_t i = 0; i < lock->count; i++) {
        const struct section *s = &hb->sections.list[numbers[i]];
        vec_each (&holders, other) {
            if (other->task != s->task &&
                !limit_is_over(p->watch, (uint32_t)other->apart.count + 1)) {
                saturate_section(p, s, other);
            }
        }
    }
    vec_each (&holders, h) {
        vec_release(&h->exclusive);
        vec_release(&h->any);
        vec_release(&h->apart);
    }
    vec_release(&holders);
    map_release(&holder_of);
}

/* ---- waits ---- */

/* A wait on a condition that is notified once leaves no choice. */
static void force_waits(struct pass *p)
{
    struct hb *hb = p->hb;
    for (uint32_t i = 0; i < hb->waits.count; i++) {
        const struct wait *w = &hb->waits.list[i];
        const struct condition *condition = &hb->waits.conditions[w->condition];
        if (!wait_is_strict(w) || condition->count > 1) {
            continue;
        }
        if (w->begin != EVENT_NONE) {
            edges_add(&hb->edges, w->begin, w->notify, EDGE_NOTIFY);
        }
        edges_add(&hb->edges, w->notify, w->end, EDGE_NOTIFY);
        p->has_new = true;
    }
}

/* ---- fixpoint ---- */

/* Adds the new edges to the graph. False when they form a cycle; they are then removed again. */
static bool settle(struct hb *hb, size_t edge_count)
{
    if (hb_rebuild(hb) == EVENT_NONE) {
        return true;
    }
    hb->is_contradictory = true;
    hb->edges.list.count = edge_count;
    const event_id blocked = hb_rebuild(hb);
    must(blocked == EVENT_NONE);
    return false;
}

static void saturate_once(struct pass *p)
{
    p->has_new = false;
    order_handlers(p);
    for (uint32_t i = 0; i < p->hb->sections.lock_count; i++) {
        if (p->hb->sections.locks[i].is_contended) {
            saturate_lock(p, &p->hb->sections.locks[i]);
        }
    }
}

bool saturate(struct hb *hb, struct limit_watch *w)
{
    must(hb->model == HB_STRICT);
    struct pass p = {.hb = hb, .watch = w};
    size_t edge_count = hb->edges.list.count;
    hb_rescope(hb, REACH_ALL, HB_BOTH);
    force_waits(&p);
    if (hb->is_contradictory || (p.has_new && !settle(hb, edge_count))) {
        return true;
    }
    do {
        edge_count = hb->edges.list.count;
        saturate_once(&p);
        if (limit_is_over(w, LIMIT_STEPS)) {
            hb->edges.list.count = edge_count;
            return false;
        }
    } while (p.has_new && settle(hb, edge_count));
    return true;
}

/* An order of two handlers leads from the end of one to the beginning of another that the first
 * one's beginning already reached. Where edges enter handlers only at their first events, each path
 * along such orders has a parallel path along earlier edges, from beginning to beginning. So no
 * further order is forced, and no cycle closed. */
void saturate_handlers(struct hb *hb)
{
    must(hb->model == HB_STRICT);
    hb_rescope(hb, REACH_NONE, HB_BOTH);
    order_handlers(&(struct pass){.hb = hb});
    hb->scope = REACH_NODE;
    const event_id blocked = hb_rebuild(hb);
    must(blocked == EVENT_NONE);
}
