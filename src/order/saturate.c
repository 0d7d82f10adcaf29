#include "order/saturate.h"

#include "base/map.h"
#include "base/sort.h"

bool saturate_handler_is_joined(const struct hb *hb, uint32_t context)
{
    const struct contexts *c = &hb->contexts;
    const struct graph_span in = graph_into(&hb->graph, context);
    for (size_t i = 0; i < in.count; i++) {
        const uint32_t from = c->of[in.at[i].event];
        const bool is_sibling = in.at[i].kind == EDGE_EXCLUSION && in.at[i].position == 0 &&
                                context_is_handler(c, from) &&
                                c->list[from].task == c->list[context].task;
        if (in.at[i].kind != EDGE_HANDLER && !is_sibling) {
            return true;
        }
    }
    return false;
}

/* One go over all intervals. */
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

struct sibling {
    uint32_t context;
    uint32_t at;      /* position of its receive */
    uint32_t reached; /* the first position of the main chain that its beginning comes before */
    uint32_t next;    /* position of the main event its end comes before, POSITION_NONE: none */
};

typedef VEC(struct sibling) sibling_vec;

static int by_reached(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct sibling *a = left;
    const struct sibling *b = right;
    return (a->reached > b->reached) - (a->reached < b->reached);
}

/* Forgets those of the frontier that the main chain, or `later`, already comes after. */
static void frontier_prune(sibling_vec *frontier, uint32_t at)
{
    size_t kept = 0;
    vec_each (frontier, f) {
        if (f->next > at) {
            frontier->at[kept++] = *f;
        }
    }
    frontier->count = kept;
}

static void frontier_add(sibling_vec *frontier, const struct sibling *s)
{
    size_t kept = 0;
    vec_each (frontier, f) {
        if (f->reached > s->at) {
            frontier->at[kept++] = *f;
        }
    }
    frontier->count = kept;
    vec_push(frontier, *s);
}

/* Who comes before a handler that is entered only by its receive: all whose beginning reaches the
 * main chain up to there. Of those it is enough to name the last ones. */
static void saturate_siblings(struct pass *p, const sibling_vec *all)
{
    const struct hb *hb = p->hb;
    struct arena scratch = {0};
    struct sibling *sorted = arena_array(&scratch, struct sibling, all->count + 1);
    for (size_t i = 0; i < all->count; i++) {
        sorted[i] = all->at[i];
    }
    sort_stable(sorted, all->count, sizeof *sorted, by_reached, NULL);
    sibling_vec frontier = {0};
    size_t reached_count = 0;
    vec_each (all, s) {
        while (reached_count < all->count && sorted[reached_count].reached <= s->at) {
            frontier_add(&frontier, &sorted[reached_count++]);
        }
        frontier_prune(&frontier, s->at);
        if (limit_is_over(p->watch, (uint32_t)frontier.count + 1)) {
            break;
        }
        if (saturate_handler_is_joined(hb, s->context)) {
            continue;
        }
        const event_id begin = context_first(&hb->contexts, s->context);
        vec_each (&frontier, f) {
            const event_id end = context_last(&hb->contexts, f->context);
            if (hb->scope != REACH_ALL || !hb_is_before(hb, end, begin)) {
                exclude(p, end, begin);
            }
        }
    }
    vec_release(&frontier);
    arena_release(&scratch);
}

/* A handler that is entered elsewhere too is compared with each other one. */
static void saturate_joined(struct pass *p, const sibling_vec *all, uint32_t joined)
{
    const struct hb *hb = p->hb;
    const struct contexts *c = &hb->contexts;
    vec_each (all, s) {
        if (limit_is_over(p->watch, 1)) {
            return;
        }
        if (s->context != joined &&
            hb_is_before(hb, context_first(c, s->context), context_last(c, joined)) &&
            !hb_is_before(hb, context_last(c, s->context), context_first(c, joined))) {
            exclude(p, context_last(c, s->context), context_first(c, joined));
        }
    }
}

static void order_handlers(struct pass *p)
{
    const struct hb *hb = p->hb;
    const struct contexts *c = &hb->contexts;
    struct arena scratch = {0};
    sibling_vec *of_task = arena_array(&scratch, sibling_vec, (size_t)c->task_count + 1);
    for (uint32_t i = c->task_count; i < c->count; i++) {
        const struct context *handler = &c->list[i];
        const uint32_t length = c->list[handler->task].count;
        const struct sibling s = {
            .context = i,
            .at = c->position[handler->receive],
            .reached = length - reach_count(&hb->after, context_first(c, i), handler->task),
            .next = handler->next == EVENT_NONE ? POSITION_NONE : c->position[handler->next],
        };
        vec_push(&of_task[handler->task], s);
    }
    for (uint32_t task = 0; task < c->task_count; task++) {
        if (of_task[task].count > 1) {
            saturate_siblings(p, &of_task[task]);
        }
    }
    for (uint32_t i = c->task_count; i < c->count; i++) {
        if (saturate_handler_is_joined(hb, i)) {
            saturate_joined(p, &of_task[c->list[i].task], i);
        }
    }
    for (uint32_t task = 0; task < c->task_count; task++) {
        vec_release(&of_task[task]);
    }
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

/* Who of another task's sections comes before this one. On a main chain the last one says it for
 * all before. */
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

/* ---- until nothing changes ---- */

/* Takes in the new edges. False when they make a cycle; they are then taken back. */
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

/* An order of two handlers leads from the end of one to the beginning of one whose receive the
 * first one's beginning reached already. Where handlers are entered by their receives only, a way
 * along such orders therefore has one along what was there before beside it, from beginning to
 * beginning: no further order is forced, and no cycle closed. */
void saturate_handlers(struct hb *hb, enum hb_sides sides)
{
    must(hb->model == HB_STRICT);
    hb_rescope(hb, REACH_NODE, HB_AFTER);
    order_handlers(&(struct pass){.hb = hb});
    hb->sides = sides;
    const event_id blocked = hb_rebuild(hb);
    must(blocked == EVENT_NONE);
}
