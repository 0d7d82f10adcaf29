#include "race/strict/lock_free.h"

#include "order/descendants.h"
#include "order/saturate.h"
#include "race/worker_pool.h"
#include "wire/must.h"

bool plain_applies(const struct hb *hb)
{
    if (hb->is_contradictory || hb->dropped > 0 || pool_is_there(hb)) {
        return false;
    }
    for (uint32_t i = 0; i < hb->sections.lock_count; i++) {
        if (hb->sections.locks[i].is_contended) {
            return false;
        }
    }
    for (uint32_t i = 0; i < hb->waits.count; i++) {
        if (wait_is_strict(&hb->waits.list[i])) {
            return false;
        }
    }
    for (uint32_t i = hb->contexts.task_count; i < hb->contexts.count; i++) {
        if (saturate_handler_is_joined(hb, i)) {
            return false;
        }
    }
    return true;
}

/* ---- one pair ---- */

static bool is_on_main(const struct hb *hb, event_id id)
{
    return !context_is_handler(&hb->contexts, hb->contexts.of[id]);
}

/* The events of a task's main chain that neither come before nor after an event: from .. to-1. */
struct gap {
    uint32_t from, to;
};

static struct gap gap_on(const struct hb *hb, uint32_t task, event_id id)
{
    const uint32_t after = reach_count(&hb->after, id, task);
    must(after <= hb->contexts.list[task].count);
    must(reach_count(&hb->before, id, task) <= hb->contexts.list[task].count);
    return (struct gap){.from = reach_count(&hb->before, id, task),
                        .to = hb->contexts.list[task].count - after};
}

static bool is_in_gap(const struct hb *hb, event_id on_main, struct gap gap)
{
    const uint32_t position = hb->contexts.position[on_main];
    return position >= gap.from && position < gap.to;
}

/* ---- accesses in handlers ---- */

/* Accesses of one class. */
struct side {
    const event_id *events;
    uint32_t count;
};

/* The bit of a pair; is_back: `from` is of the second class. */
static size_t bit_of(const struct plain_pair *p, bool is_back, uint32_t from, uint32_t to)
{
    return is_back ? (size_t)to * p->second_count + from : (size_t)from * p->second_count + to;
}

/* An access in a handler comes before all events that come after a main event which the handler
 * ends before. / */
static void mark_next(struct plain_pair *p, event_id id, uint32_t from, struct side to,
                      bool is_back)
{
    const struct contexts *c = &p->hb->contexts;
    const struct context *handler = &c->list[c->of[id]];
    for (uint32_t k = 0; handler->next != EVENT_NONE && k < to.count; k++) {
        if (!is_on_main(p->hb, to.events[k]) &&
            c->position[handler->next] < reach_count(&p->hb->before, to.events[k], handler->task)) {
            bits_add(p->ordered, bit_of(p, is_back, from, k));
        }
    }
}

static void mark_some(struct plain_pair *p, struct ancestors *x, const uint32_t *from,
                      uint32_t count, bool is_back)
{
    const struct side source = is_back ? (struct side){p->second, p->second_count}
                                       : (struct side){p->first, p->first_count};
    const struct side to = is_back ? (struct side){p->first, p->first_count}
                                   : (struct side){p->second, p->second_count};
    event_id events[ANCESTORS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        events[i] = source.events[from[i]];
    }
    ancestors_run(x, events, count);
    for (uint32_t k = 0; k < to.count; k++) {
        for (uint64_t left = is_on_main(p->hb, to.events[k]) ? 0 : ancestors_of(x, to.events[k]);
             left != 0; left &= left - 1) {
            bits_add(p->ordered, bit_of(p, is_back, from[__builtin_ctzll(left)], k));
        }
    }
}

/* False when the access comes before more than a few events. */
static bool mark_descendants(struct plain_pair *p, event_id id, uint32_t from, struct side to,
                             bool is_back)
{
    struct descendants d;
    if (!descendants_find(&d, p->hb, id)) {
        return false;
    }
    for (uint32_t k = 0; k < to.count; k++) {
        if (descendants_have(&d, p->hb, to.events[k])) {
            bits_add(p->ordered, bit_of(p, is_back, from, k));
        }
    }
    return true;
}

static void mark_ordered(struct plain_pair *p, struct ancestors *x, bool is_back)
{
    const struct side from = is_back ? (struct side){p->second, p->second_count}
                                     : (struct side){p->first, p->first_count};
    const struct side to = is_back ? (struct side){p->first, p->first_count}
                                   : (struct side){p->second, p->second_count};
    uint32_t some[ANCESTORS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < from.count; i++) {
        if (is_on_main(p->hb, from.events[i])) {
            continue;
        }
        mark_next(p, from.events[i], i, to, is_back);
        if (mark_descendants(p, from.events[i], i, to, is_back)) {
            continue;
        }
        some[count++] = i;
        if (count == ANCESTORS_MAX) {
            mark_some(p, x, some, count, is_back);
            count = 0;
        }
    }
    if (count > 0) {
        mark_some(p, x, some, count, is_back);
    }
}

static bool has_handled(const struct hb *hb, const event_id *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!is_on_main(hb, events[i])) {
            return true;
        }
    }
    return false;
}

struct plain_pair plain_pair_of(const struct hb *hb, struct ancestors *x, const struct accesses *a,
                                const struct access_class *const classes[2], struct arena *arena)
{
    struct plain_pair p = {
        .hb = hb,
        .first = a->events + classes[0]->first,
        .second = a->events + classes[1]->first,
        .first_count = classes[0]->count,
        .second_count = classes[1]->count,
        .first_task = classes[0]->task,
        .second_task = classes[1]->task,
    };
    p.has_handled =
        has_handled(hb, p.first, p.first_count) && has_handled(hb, p.second, p.second_count);
    if (p.has_handled) {
        p.ordered = bits_take(arena, (size_t)p.first_count * p.second_count);
        mark_ordered(&p, x, false);
        mark_ordered(&p, x, true);
    }
    return p;
}

bool plain_races(const struct plain_pair *p, uint32_t i, uint32_t k)
{
    must(i < p->first_count);
    must(k < p->second_count);
    const event_id a = p->first[i];
    const event_id b = p->second[k];
    if (is_on_main(p->hb, a)) {
        return is_in_gap(p->hb, a, gap_on(p->hb, p->first_task, b));
    }
    if (is_on_main(p->hb, b)) {
        return is_in_gap(p->hb, b, gap_on(p->hb, p->second_task, a));
    }
    return !bits_has(p->ordered, bit_of(p, false, i, k));
}

/* ---- counting ---- */

/* The race whose later access is listed first, and of those the one whose earlier one is. */
struct found {
    uint64_t count;
    event_id a, b; /* EVENT_NONE: none yet */
};

static void find(struct found *f, event_id a, event_id b)
{
    const event_id later = a > b ? a : b;
    const event_id earlier = a > b ? b : a;
    const event_id best_later = f->a > f->b ? f->a : f->b;
    const event_id best_earlier = f->a > f->b ? f->b : f->a;
    if (f->a == EVENT_NONE || later < best_later ||
        (later == best_later && earlier < best_earlier)) {
        f->a = a;
        f->b = b;
    }
}

/* The accesses of a class on its task's main chain: their indices, as listed. */
struct chain {
    uint32_t task;
    const event_id *events;
    VEC(uint32_t) at;
};

static struct chain chain_of(const struct hb *hb, uint32_t task, struct side side)
{
    struct chain chain = {.task = task, .events = side.events};
    for (uint32_t i = 0; i < side.count; i++) {
        if (is_on_main(hb, side.events[i])) {
            vec_push(&chain.at, i);
        }
    }
    return chain;
}

/* How many of them stand before this position. */
static size_t count_before(const struct hb *hb, const struct chain *chain, uint32_t position)
{
    size_t low = 0;
    size_t high = chain->at.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (hb->contexts.position[chain->events[chain->at.at[middle]]] < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Counts the pairs of accesses on a main chain with those of another class: all, or those in
 * handlers. The neighbours that race with an access are in listed order, so that the first of them
 * is the one to report. */
static struct found count_on_main(const struct hb *hb, const struct chain *chain,
                                  struct side others, bool is_handled_only)
{
    struct found f = {.a = EVENT_NONE, .b = EVENT_NONE};
    for (uint32_t i = 0; i < others.count && chain->at.count > 0; i++) {
        if (is_handled_only && is_on_main(hb, others.events[i])) {
            continue;
        }
        const struct gap gap = gap_on(hb, chain->task, others.events[i]);
        const size_t from = count_before(hb, chain, gap.from);
        const size_t to = count_before(hb, chain, gap.to);
        if (from < to) {
            f.count += to - from;
            find(&f, chain->events[chain->at.at[from]], others.events[i]);
        }
    }
    return f;
}

static void count_handled(const struct plain_pair *p, struct found *f)
{
    for (uint32_t i = 0; i < p->first_count; i++) {
        for (uint32_t k = 0; !is_on_main(p->hb, p->first[i]) && k < p->second_count; k++) {
            if (!is_on_main(p->hb, p->second[k]) && plain_races(p, i, k)) {
                f->count++;
                find(f, p->first[i], p->second[k]);
            }
        }
    }
}

uint64_t plain_count(const struct plain_pair *p, event_id *a, event_id *b)
{
    const struct side first = {p->first, p->first_count};
    const struct side second = {p->second, p->second_count};
    struct chain of_first = chain_of(p->hb, p->first_task, first);
    struct chain of_second = chain_of(p->hb, p->second_task, second);
    struct found f = count_on_main(p->hb, &of_first, second, false);
    const struct found back = count_on_main(p->hb, &of_second, first, true);
    f.count += back.count;
    if (back.count > 0) {
        find(&f, back.b, back.a);
    }
    if (p->has_handled) {
        count_handled(p, &f);
    }
    vec_release(&of_first.at);
    vec_release(&of_second.at);
    must((f.count == 0) == (f.a == EVENT_NONE));
    *a = f.a;
    *b = f.b;
    return f.count;
}
