#include "race/strict/lock_spans.h"

#include "base/bits.h"
#include "base/map.h"
#include "wire/must.h"

bool lock_spans_apply(const struct hb *hb)
{
    if (!hb->follows_list || hb->is_contradictory ||
        hb->contexts.count != hb->contexts.task_count || hb->scope != REACH_ALL) {
        return false;
    }
    for (uint32_t i = 0; i < hb->waits.count; i++) {
        if (wait_is_strict(&hb->waits.list[i])) {
            return false;
        }
    }
    return true;
}

struct build {
    const struct hb *hb;
    const struct held *held;
    struct arena scratch;
    struct bits is_locked;  /* per event: behind it a contended section is open */
    struct bits is_clear;   /* per event */
    uint32_t *signature_of; /* per event */
    struct map number_of;   /* hash of a signature to the last with it, UINT32_MAX: none */
    VEC(uint32_t) next;     /* per signature: another with the same hash, UINT32_MAX: none */
    VEC(struct lock_signature) signatures;
    VEC(struct lock_mode) modes;
    VEC(struct lock_mode) span; /* of the span at hand */
};

/* ---- sections open after an event ---- */

static bool ends_all(const struct build *b, uint32_t set, event_id id)
{
    for (uint32_t i = b->held->first[set]; i < b->held->first[set + 1]; i++) {
        if (b->hb->sections.list[b->held->sections[i]].end != id) {
            return false;
        }
    }
    return true;
}

static void find_locked(struct build *b)
{
    const size_t count = b->hb->trace->events.count;
    b->is_locked = bits_take(&b->scratch, count + 1);
    for (event_id id = 0; id < count; id++) {
        const uint32_t set = b->held->set_of[id];
        if (set != 0 && !ends_all(b, set, id)) {
            bits_add(b->is_locked, id);
        }
    }
}

/* ---- clear events ---- */

/* Whether the events that a row counts of each other task end outside of the task's spans. */
static bool is_row_clear(const struct build *b, const uint32_t *row, uint32_t own)
{
    const struct contexts *c = &b->hb->contexts;
    for (uint32_t task = 0; task < c->task_count; task++) {
        if (task != own && row[task] > 0 &&
            bits_has(b->is_locked, context_event(c, task, row[task] - 1))) {
            return false;
        }
    }
    return true;
}

/* Events up to the next join share a row, so it is looked at once. */
static void find_clear(struct build *b)
{
    b->is_clear = bits_take(&b->scratch, b->hb->trace->events.count + 1);
    const struct contexts *c = &b->hb->contexts;
    for (uint32_t task = 0; task < c->task_count; task++) {
        bool is_row_good = true;
        for (uint32_t i = 0; i < c->list[task].count; i++) {
            const event_id id = context_event(c, task, i);
            const bool is_new =
                i == 0 || b->hb->before.row[id] != b->hb->before.row[context_event(c, task, i - 1)];
            is_row_good =
                is_new ? is_row_clear(b, reach_row(&b->hb->before, id), task) : is_row_good;
            if (is_row_good) {
                bits_add(b->is_clear, id);
            }
        }
    }
}

/* ---- signatures ---- */

static uint64_t hash_more(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

/* Sorted by lock; a lock held twice is exclusive when it is once. */
static void add_mode(struct build *b, uint32_t first, struct lock_mode mode)
{
    size_t at = b->modes.count;
    while (at > first && b->modes.at[at - 1].lock > mode.lock) {
        at--;
    }
    if (at > first && b->modes.at[at - 1].lock == mode.lock) {
        b->modes.at[at - 1].is_shared = b->modes.at[at - 1].is_shared && mode.is_shared;
        return;
    }
    vec_push(&b->modes, mode);
    for (size_t i = b->modes.count - 1; i > at; i--) {
        b->modes.at[i] = b->modes.at[i - 1];
    }
    must(at >= first);
    b->modes.at[at] = mode;
}

static void add_set(struct build *b, uint32_t first, uint32_t set)
{
    for (uint32_t i = b->held->first[set]; set != 0 && i < b->held->first[set + 1]; i++) {
        const struct section *s = &b->hb->sections.list[b->held->sections[i]];
        add_mode(b, first, (struct lock_mode){.lock = s->lock, .is_shared = s->is_shared});
    }
}

static bool modes_are_equal(const struct build *b, uint32_t a, uint32_t other, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (b->modes.at[a + i].lock != b->modes.at[other + i].lock ||
            b->modes.at[a + i].is_shared != b->modes.at[other + i].is_shared) {
            return false;
        }
    }
    return true;
}

static bool signatures_are_equal(const struct build *b, const struct lock_signature *x,
                                 const struct lock_signature *y)
{
    return x->is_sure == y->is_sure && x->held_count == y->held_count &&
           x->span_count == y->span_count &&
           modes_are_equal(b, x->held_first, y->held_first, x->held_count) &&
           modes_are_equal(b, x->span_first, y->span_first, x->span_count);
}

/* The number of the signature; its modes are the last, and are taken back when it is known. */
static uint32_t signature_number(struct build *b, const struct lock_signature *fresh)
{
    uint64_t hash = hash_more(fresh->is_sure, fresh->held_count);
    for (size_t i = fresh->span_first; i < b->modes.count; i++) {
        hash = hash_more(hash, (uint64_t)b->modes.at[i].lock << 1 | b->modes.at[i].is_shared);
    }
    bool is_new = false;
    uint32_t *first = map_slot(&b->number_of, hash, UINT32_MAX, &is_new);
    for (uint32_t i = *first; i != UINT32_MAX; i = b->next.at[i]) {
        if (signatures_are_equal(b, &b->signatures.at[i], fresh)) {
            b->modes.count = fresh->span_first;
            return i;
        }
    }
    vec_push(&b->next, *first);
    *first = (uint32_t)b->signatures.count;
    vec_push(&b->signatures, *fresh);
    return *first;
}

/* ---- spans ---- */

/* Positions of a task: from the first event of a span to its last. */
struct span {
    uint32_t task, from, to;
    bool is_inside; /* false: an event outside of any */
};

/* Whether edges touch the span at its ends only. */
static bool is_isolated(const struct build *b, const struct span *s)
{
    const struct graph_span in = graph_span_from(graph_into(&b->hb->graph, s->task), s->from + 1);
    const struct graph_span out = graph_span_from(graph_out_of(&b->hb->graph, s->task), s->from);
    return (in.count == 0 || in.at[0].position > s->to) &&
           (out.count == 0 || out.at[0].position >= s->to);
}

/* The locks of the whole span, at the end of b->modes. */
static void add_span(struct build *b, const struct span *s)
{
    const size_t first = b->modes.count;
    uint32_t last = 0;
    for (uint32_t i = s->from; i <= s->to; i++) {
        const uint32_t set = b->held->set_of[context_event(&b->hb->contexts, s->task, i)];
        if (set != last) {
            add_set(b, (uint32_t)first, set);
        }
        last = set;
    }
}

/* The signature of events of the span at hand (b->span) that hold this set. */
static uint32_t sign(struct build *b, uint32_t set, bool is_sure)
{
    struct lock_signature fresh = {.is_sure = is_sure, .span_first = (uint32_t)b->modes.count};
    vec_each (&b->span, mode) {
        vec_push(&b->modes, *mode);
    }
    fresh.span_count = (uint32_t)b->span.count;
    fresh.held_first = (uint32_t)b->modes.count;
    add_set(b, fresh.held_first, set);
    fresh.held_count = (uint32_t)b->modes.count - fresh.held_first;
    return signature_number(b, &fresh);
}

/* Gives the events of a span, or one outside of any, their signatures. */
static void sign_span(struct build *b, const struct span *s)
{
    const bool is_apart = !s->is_inside || is_isolated(b, s);
    const size_t mode_count = b->modes.count;
    vec_clear(&b->span);
    add_span(b, s);
    for (size_t i = mode_count; i < b->modes.count; i++) {
        vec_push(&b->span, b->modes.at[i]);
    }
    b->modes.count = mode_count;
    must(s->from <= s->to);
    uint32_t set_before = UINT32_MAX;
    bool was_sure = false;
    uint32_t number = 0;
    for (uint32_t i = s->from; i <= s->to; i++) {
        const event_id id = context_event(&b->hb->contexts, s->task, i);
        const uint32_t set = b->held->set_of[id];
        const bool is_sure = is_apart && bits_has(b->is_clear, id);
        if (set != set_before || is_sure != was_sure) {
            number = sign(b, set, is_sure);
        }
        set_before = set;
        was_sure = is_sure;
        b->signature_of[id] = number;
    }
}

static void sign_task(struct build *b, uint32_t task)
{
    const struct contexts *c = &b->hb->contexts;
    const uint32_t count = c->list[task].count;
    for (uint32_t from = 0, to = 0; from < count; from = to) {
        const bool is_inside = b->held->set_of[context_event(c, task, from)] != 0;
        /* An event outside of spans stands by itself; a span ends where nothing is open. */
        to = from + 1;
        while (is_inside && to < count && bits_has(b->is_locked, context_event(c, task, to - 1))) {
            to++;
        }
        sign_span(b,
                  &(struct span){.task = task, .from = from, .to = to - 1, .is_inside = is_inside});
    }
}

void lock_spans_build(struct lock_spans *s, const struct hb *hb, const struct held *held,
                      struct arena *a)
{
    must(lock_spans_apply(hb));
    struct build b = {.hb = hb, .held = held};
    const size_t event_count = hb->trace->events.count;
    b.signature_of = arena_array(a, uint32_t, event_count + 1);
    find_locked(&b);
    find_clear(&b);
    for (uint32_t task = 0; task < hb->contexts.task_count; task++) {
        sign_task(&b, task);
    }
    must(b.next.count == b.signatures.count);
    struct lock_signature *signatures =
        arena_array(a, struct lock_signature, b.signatures.count + 1);
    struct lock_mode *modes = arena_array(a, struct lock_mode, b.modes.count + 1);
    for (size_t i = 0; i < b.signatures.count; i++) {
        signatures[i] = b.signatures.at[i];
    }
    for (size_t i = 0; i < b.modes.count; i++) {
        modes[i] = b.modes.at[i];
    }
    *s = (struct lock_spans){.signature_of = b.signature_of,
                             .signatures = signatures,
                             .signature_count = (uint32_t)b.signatures.count,
                             .modes = modes};
    map_release(&b.number_of);
    vec_release(&b.next);
    vec_release(&b.signatures);
    vec_release(&b.modes);
    vec_release(&b.span);
    arena_release(&b.scratch);
}

/* ---- asking ---- */

/* Whether two sorted lists have a lock in common, not for reading in both. */
static bool modes_exclude(const struct lock_mode *a, uint32_t a_count, const struct lock_mode *b,
                          uint32_t b_count)
{
    for (uint32_t i = 0, k = 0; i < a_count && k < b_count;) {
        if (a[i].lock == b[k].lock && !(a[i].is_shared && b[k].is_shared)) {
            return true;
        }
        const bool is_behind = a[i].lock <= b[k].lock;
        k += a[i].lock >= b[k].lock;
        i += is_behind;
    }
    return false;
}

enum lock_relation lock_spans_relate(const struct lock_spans *s, uint32_t a, uint32_t b)
{
    must(a < s->signature_count);
    must(b < s->signature_count);
    const struct lock_signature *x = &s->signatures[a];
    const struct lock_signature *y = &s->signatures[b];
    const struct lock_mode *modes = s->modes;
    if (modes_exclude(modes + x->held_first, x->held_count, modes + y->held_first, y->held_count)) {
        return LOCKS_EXCLUDE;
    }
    const bool is_sure =
        x->is_sure && y->is_sure &&
        !modes_exclude(modes + x->span_first, x->span_count, modes + y->span_first, y->span_count);
    return is_sure ? LOCKS_ALLOW : LOCKS_OPEN;
}
