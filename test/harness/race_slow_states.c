#include "race_slow.h"

#include <string.h>

#include "base/mem.h"
#include "wire/kind.h"
#include "wire/prng.h"

/* A state is the part of the past on which the future depends. Every step adds one event, so the
 * states form layers, and a list of them in order of discovery is in order of layers. */

enum { VARIABLES_MAX = 16, STATES_MAX = 150000 };

struct state {
    uint64_t done;                     /* events that have happened */
    uint64_t served;                   /* waits that a notify has served */
    uint64_t updates;                  /* blind ones that no other write has replaced */
    uint8_t last_write[VARIABLES_MAX]; /* per variable: 1 + the event, 0 for none */
};

struct step {
    uint32_t from, to;
};

struct walk {
    const struct rules *r;
    enum slow_model model;
    struct arena arena;
    uint64_t *needs;      /* per event: the events that must have happened */
    uint64_t *spoiled_by; /* per event: the events that must not have happened */
    uint8_t *variable_of; /* per event: index of the variable it touches */
    VEC(struct state) states;
    VEC(struct step) steps;
    uint32_t *slots; /* 1 + index of a state */
    size_t slot_count;
    bool is_too_large;
};

static uint64_t bit(event_id id)
{
    return UINT64_C(1) << id;
}

static bool has(const struct state *s, event_id id)
{
    return (s->done & bit(id)) != 0;
}

/* ---- the set of states ---- */

static uint64_t state_hash(const struct state *s)
{
    uint64_t words[sizeof *s / sizeof(uint64_t)];
    memcpy(words, s, sizeof *s);
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        uint64_t seed = hash ^ words[i];
        hash = prng_splitmix(&seed);
    }
    return hash;
}

/* The slot that holds the state, or the free one where it would be. */
static uint32_t *state_slot(const struct walk *w, const struct state *s)
{
    size_t at = (size_t)state_hash(s) & (w->slot_count - 1);
    while (w->slots[at] != 0 && memcmp(&w->states.at[w->slots[at] - 1], s, sizeof *s) != 0) {
        at = (at + 1) & (w->slot_count - 1);
    }
    return &w->slots[at];
}

static void grow_slots(struct walk *w)
{
    mem_free(w->slots);
    w->slot_count = w->slot_count == 0 ? 1024 : 2 * w->slot_count;
    w->slots = mem_zero(w->slot_count, sizeof *w->slots);
    for (size_t i = 0; i < w->states.count; i++) {
        *state_slot(w, &w->states.at[i]) = (uint32_t)(i + 1);
    }
}

static void reach(struct walk *w, uint32_t from, const struct state *s)
{
    if (2 * w->states.count >= w->slot_count) {
        grow_slots(w);
    }
    uint32_t *slot = state_slot(w, s);
    if (*slot == 0) {
        if (w->states.count == STATES_MAX) {
            w->is_too_large = true;
            return;
        }
        vec_push(&w->states, *s);
        *slot = (uint32_t)w->states.count;
    }
    vec_push(&w->steps, (struct step){.from = from, .to = *slot - 1});
}

/* ---- enabled events ---- */

/* A handler of the task, other than the one that would begin, is not over. */
static bool handler_is_open(const struct walk *w, const struct state *s, event_id begin)
{
    const struct rules *r = w->r;
    vec_each (&r->handlers, h) {
        if (h->first != begin && h->task == trace_at(r->t, begin)->task && has(s, h->first) &&
            !has(s, h->last)) {
            return true;
        }
    }
    return false;
}

static bool begins_handler(const struct rules *r, event_id id)
{
    return r->handler_of[id] != RULES_NONE && r->handlers.at[r->handler_of[id]].first == id;
}

static bool lock_is_taken(const struct walk *w, const struct state *s, event_id first)
{
    vec_each (&w->r->sections, own) {
        vec_each (&w->r->sections, other) {
            if (own->first == first && rules_exclude(own, other) && has(s, other->first) &&
                !has(s, other->last)) {
                return true;
            }
        }
    }
    return false;
}

static bool lacks_notify(const struct walk *w, const struct state *s, event_id end)
{
    for (size_t i = 0; i < w->r->waits.count; i++) {
        const struct rules_wait *wait = &w->r->waits.at[i];
        if (wait->end == end && wait->server != EVENT_NONE && (s->served >> i & 1) == 0) {
            return true;
        }
    }
    return false;
}

/* No unit is left of the semaphore. */
static bool semaphore_is_zero(const struct walk *w, const struct state *s, event_id id)
{
    vec_each (&w->r->semaphore_waits, wait) {
        if (wait->wait != id || w->model == SLOW_STRICT) {
            continue;
        }
        uint32_t units = wait->initial;
        for (event_id other = 0; other < w->r->count; other++) {
            if (has(s, other) && rules_same_semaphore(w->r, other, id)) {
                units += trace_at(w->r->t, other)->kind == EVENT_SEM_POST;
                units -= trace_at(w->r->t, other)->kind == EVENT_SEM_WAIT;
            }
        }
        return units == 0;
    }
    return false;
}

/* All demands except the writes that reads must see. */
static bool is_enabled(const struct walk *w, const struct state *s, event_id id)
{
    if (has(s, id) || (w->needs[id] & ~s->done) != 0 || (w->spoiled_by[id] & s->done) != 0) {
        return false;
    }
    if (begins_handler(w->r, id) && handler_is_open(w, s, id)) {
        return false;
    }
    return !lock_is_taken(w, s, id) && !lacks_notify(w, s, id) && !semaphore_is_zero(w, s, id);
}

/* The blind updates of the event's variable that no other write has replaced. */
static uint64_t updates_of(const struct walk *w, const struct state *s, event_id id)
{
    uint64_t updates = 0;
    for (event_id other = 0; other < w->r->count; other++) {
        const bool is_update = rules_event_updates(trace_at(w->r->t, other));
        if (is_update && w->variable_of[other] == w->variable_of[id]) {
            updates |= s->updates & bit(other);
        }
    }
    return updates;
}

/* A read sees the write and the blind updates that it saw in the list; a blind update does not come
 * after one that is listed later and does not commute with it. */
static bool keeps_its_write(const struct walk *w, const struct state *s, event_id id)
{
    const struct event *e = trace_at(w->r->t, id);
    uint64_t seen = 0;
    if (w->model == SLOW_STRICT) {
        return true;
    }
    for (event_id other = 0; other < w->r->count; other++) {
        if (other > id && has(s, other) && rules_updates_conflict(w->r, id, other)) {
            return false;
        }
        seen |= rules_event_reads(e) && rules_saw_update(w->r, id, other) ? bit(other) : 0;
    }
    const event_id writer = w->r->writer[id];
    return !rules_event_reads(e) ||
           (s->last_write[w->variable_of[id]] == (writer == EVENT_NONE ? 0 : writer + 1) &&
            updates_of(w, s, id) == seen);
}

static bool notify_may_serve(const struct walk *w, const struct state *s, event_id notify, size_t i)
{
    const struct rules_wait *wait = &w->r->waits.at[i];
    const struct event *e = trace_at(w->r->t, notify);
    return wait->condition == rules_object(w->r->t, e, e->object) && (s->served >> i & 1) == 0 &&
           wait->server != EVENT_NONE && !has(s, wait->end) && wait->begin != notify &&
           (wait->begin == EVENT_NONE || has(s, wait->begin));
}

/* A signal serves one wait, whichever; serving none is never better. */
static void take_signal(struct walk *w, uint32_t from, const struct state *next, event_id id)
{
    bool is_heard = false;
    for (size_t i = 0; i < w->r->waits.count; i++) {
        if (notify_may_serve(w, next, id, i)) {
            struct state served = *next;
            served.served |= UINT64_C(1) << i;
            reach(w, from, &served);
            is_heard = true;
        }
    }
    if (!is_heard) {
        reach(w, from, next);
    }
}

static void take(struct walk *w, uint32_t from, event_id id)
{
    struct state next = w->states.at[from];
    const struct event *e = trace_at(w->r->t, id);
    next.done |= bit(id);
    if (w->model != SLOW_STRICT && rules_event_updates(e)) {
        next.updates |= bit(id);
    } else if (w->model != SLOW_STRICT && rules_event_writes(e)) {
        next.last_write[w->variable_of[id]] = (uint8_t)(id + 1);
        next.updates &= ~updates_of(w, &next, id);
    }
    if (e->kind == EVENT_SIGNAL) {
        take_signal(w, from, &next, id);
        return;
    }
    for (size_t i = 0; e->kind == EVENT_BROADCAST && i < w->r->waits.count; i++) {
        if (notify_may_serve(w, &next, id, i)) {
            next.served |= UINT64_C(1) << i;
        }
    }
    reach(w, from, &next);
}

/* ---- setting up ---- */

static void need_edges(struct walk *w, const rules_edges *edges)
{
    vec_each (edges, edge) {
        w->needs[edge->to] |= bit(edge->from);
    }
}

static void keep_order(struct walk *w)
{
    const struct rules *r = w->r;
    vec_each (&r->sections, s) {
        vec_each (&r->sections, later) {
            if (rules_exclude(s, later) && s->first < later->first) {
                w->spoiled_by[s->first] |= bit(later->first);
            }
        }
    }
    vec_each (&r->semaphore_waits, wait) {
        if (wait->taken != EVENT_NONE && !wait->is_lock) {
            w->needs[wait->wait] |= bit(wait->taken);
        }
    }
    vec_each (&r->handlers, h) {
        vec_each (&r->handlers, later) {
            if (h->task == later->task && h->first < later->first) {
                w->spoiled_by[h->first] |= bit(later->first);
            }
        }
    }
}

/* False when there are more variables than a state has room for. */
static bool number_variables(struct walk *w)
{
    const struct rules *r = w->r;
    uint64_t variables[VARIABLES_MAX];
    size_t count = 0;
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if (!rules_event_accesses(e)) {
            continue;
        }
        const uint64_t variable = rules_object(r->t, e, e->object);
        size_t at = 0;
        while (at < count && variables[at] != variable) {
            at++;
        }
        if (at == VARIABLES_MAX) {
            return false;
        }
        variables[at] = variable;
        count = at == count ? count + 1 : count;
        w->variable_of[id] = (uint8_t)at;
    }
    return true;
}

static bool walk_init(struct walk *w, const struct rules *r, enum slow_model model)
{
    *w = (struct walk){.r = r, .model = model};
    if (r->count > SLOW_EVENTS_MAX || r->waits.count > 64) {
        return false;
    }
    w->needs = arena_array(&w->arena, uint64_t, r->count + 1);
    w->spoiled_by = arena_array(&w->arena, uint64_t, r->count + 1);
    w->variable_of = arena_array(&w->arena, uint8_t, r->count + 1);
    need_edges(w, &r->program);
    need_edges(w, &r->cross);
    if (model != SLOW_STRICT) {
        need_edges(w, &r->stream);
        vec_each (&r->lined_up, edge) {
            w->spoiled_by[edge->from] |= bit(edge->to);
        }
    }
    if (model == SLOW_SYNC_PRESERVING) {
        keep_order(w);
    }
    return number_variables(w);
}

static void walk_release(struct walk *w)
{
    vec_release(&w->states);
    vec_release(&w->steps);
    mem_free(w->slots);
    arena_release(&w->arena);
}

static void walk_all(struct walk *w)
{
    vec_push(&w->states, (struct state){0});
    grow_slots(w);
    for (uint32_t i = 0; i < w->states.count && !w->is_too_large; i++) {
        for (event_id id = 0; id < w->r->count; id++) {
            const struct state *s = &w->states.at[i];
            if (is_enabled(w, s, id) && keeps_its_write(w, s, id)) {
                take(w, i, id);
            }
        }
    }
}

/* ---- answers ---- */

/* Which states all events can still happen from. */
static bool *find_finishing(struct walk *w)
{
    const uint64_t all = w->r->count == 64 ? UINT64_MAX : bit((event_id)w->r->count) - 1;
    bool *finishes = arena_array(&w->arena, bool, w->states.count);
    for (size_t i = 0; i < w->states.count; i++) {
        finishes[i] = w->states.at[i].done == all;
    }
    for (size_t i = w->steps.count; i-- > 0;) {
        finishes[w->steps.at[i].from] |= finishes[w->steps.at[i].to];
    }
    return finishes;
}

static bool finishes_after(const struct walk *w, const bool *finishes, const struct state *s,
                           struct rules_pair pair)
{
    struct state after = *s;
    after.done |= bit(pair.a) | bit(pair.b);
    const uint32_t *slot = state_slot(w, &after);
    return *slot != 0 && finishes[*slot - 1];
}

static void answer_from(const struct walk *w, const bool *finishes, const struct state *s,
                        struct slow_answer *answer)
{
    const bool is_strict = w->model == SLOW_STRICT;
    const struct rules *r = w->r;
    for (size_t i = 0; i < r->data_candidates.count; i++) {
        const struct rules_pair pair = r->data_candidates.at[i];
        if (!answer->data[i] && is_enabled(w, s, pair.a) && is_enabled(w, s, pair.b)) {
            answer->data[i] = !is_strict || finishes_after(w, finishes, s, pair);
        }
    }
    for (size_t i = 0; i < r->message_candidates.count; i++) {
        const struct rules_pair pair = r->message_candidates.at[i];
        if (!answer->message[i] && has(s, pair.a) && !has(s, pair.b)) {
            answer->message[i] = is_strict || is_enabled(w, s, pair.b);
        }
    }
}

static bool decide(const struct rules *r, enum slow_model model, struct slow_answer *answer)
{
    struct walk w;
    bool is_decided = walk_init(&w, r, model);
    if (is_decided) {
        walk_all(&w);
        is_decided = !w.is_too_large;
    }
    if (is_decided) {
        const bool *finishes = find_finishing(&w);
        answer->has_order = model != SLOW_STRICT || finishes[0];
        for (size_t i = 0; i < w.states.count; i++) {
            if (model != SLOW_STRICT || finishes[i]) {
                answer_from(&w, finishes, &w.states.at[i], answer);
            }
        }
    }
    walk_release(&w);
    return is_decided;
}

/* In a strict order an access of a routine is made by the task that ran it. */
static bool decide_routines(const struct rules *r, struct slow_answer *answer)
{
    struct rules fixed;
    struct arena arena = {0};
    rules_read_fixed(&fixed, r->t);
    struct slow_answer other = slow_answer_take(&arena, &fixed);
    const bool is_decided = decide(&fixed, SLOW_STRICT, &other);
    for (size_t i = 0; i < r->data_candidates.count; i++) {
        if (rules_is_about_routine(r, r->data_candidates.at[i])) {
            answer->data[i] = other.data[i];
        }
    }
    arena_release(&arena);
    rules_release(&fixed);
    return is_decided;
}

bool slow_by_states(const struct rules *r, enum slow_model model, struct slow_answer *answer)
{
    return decide(r, model, answer) &&
           (model != SLOW_STRICT || r->routines.count == 0 || decide_routines(r, answer));
}

/* ---- deadlocks ---- */

/* All demands of the request are met, but that its lock may be taken. */
static bool is_requested(const struct walk *w, const struct state *s, event_id id)
{
    return !has(s, id) && (w->needs[id] & ~s->done) == 0 && !lacks_notify(w, s, id);
}

static bool is_deadlocked(const struct walk *w, const struct state *s,
                          const struct slow_deadlock *d)
{
    for (size_t i = 0; i < d->count; i++) {
        const struct rules_section *hold = &w->r->sections.at[d->holds[i]];
        if (!is_requested(w, s, d->requests[i]) || !has(s, hold->first) || has(s, hold->last)) {
            return false;
        }
    }
    return true;
}

bool slow_reach_deadlocks(const struct rules *r, enum slow_model model, slow_deadlocks *list)
{
    struct walk w;
    bool is_decided = walk_init(&w, r, model);
    if (is_decided) {
        walk_all(&w);
        is_decided = !w.is_too_large;
    }
    vec_each (list, d) {
        d->is_reached = false;
        for (size_t i = 0; is_decided && i < w.states.count && !d->is_reached; i++) {
            d->is_reached = is_deadlocked(&w, &w.states.at[i], d);
        }
    }
    walk_release(&w);
    return is_decided;
}

/* ---- witnesses ---- */

/* The state lets the race happen next. */
static bool shows(const struct walk *w, const struct state *s, struct slow_claim claim)
{
    const struct rules_pair pair = claim.pair;
    return is_enabled(w, s, pair.b) &&
           (claim.is_message ? has(s, pair.a) : is_enabled(w, s, pair.a));
}

/* The step that first reached each state is the first in the list: so the path is a shortest one.
 */
static const event_id *path_to(const struct walk *w, uint32_t state, struct slow_claim claim,
                               struct arena *a, size_t *count)
{
    const size_t length = (size_t)__builtin_popcountll(w->states.at[state].done);
    event_id *order = arena_array(a, event_id, length + 2);
    uint32_t at = state;
    for (size_t i = length; i-- > 0;) {
        const struct step *step = w->steps.at;
        while (step->to != at) {
            step++;
        }
        const uint64_t added = w->states.at[at].done & ~w->states.at[step->from].done;
        order[i] = (event_id)__builtin_ctzll(added);
        at = step->from;
    }
    *count = length;
    if (!claim.is_message) {
        order[(*count)++] = claim.pair.a;
    }
    order[(*count)++] = claim.pair.b;
    return order;
}

const event_id *slow_witness(const struct rules *r, enum slow_model model, struct slow_claim claim,
                             struct arena *a, size_t *count)
{
    must(model != SLOW_STRICT);
    struct walk w;
    const event_id *order = NULL;
    if (walk_init(&w, r, model)) {
        walk_all(&w);
        for (uint32_t i = 0; i < w.states.count && order == NULL; i++) {
            if (shows(&w, &w.states.at[i], claim)) {
                order = path_to(&w, i, claim, a, count);
            }
        }
    }
    walk_release(&w);
    return order;
}

static bool ends_in(struct slow_claim claim, const event_id *order, size_t count)
{
    const struct rules_pair pair = claim.pair;
    if (claim.is_message) {
        return count >= 1 && order[count - 1] == pair.b;
    }
    return count >= 2 && ((order[count - 2] == pair.a && order[count - 1] == pair.b) ||
                          (order[count - 2] == pair.b && order[count - 1] == pair.a));
}

/* Walks along the order only; signals may leave several states to go on from. */
bool slow_is_witness(const struct rules *r, struct slow_claim claim, const event_id *order,
                     size_t count)
{
    struct walk w;
    bool answer = false;
    must(walk_init(&w, r, SLOW_FEASIBLE));
    vec_push(&w.states, (struct state){0});
    grow_slots(&w);
    uint32_t from = 0;
    const size_t tail = claim.is_message ? 1 : 2;
    for (size_t i = 0; ends_in(claim, order, count) && i < count - tail; i++) {
        const uint32_t end = (uint32_t)w.states.count;
        for (uint32_t k = from; k < end; k++) {
            if (is_enabled(&w, &w.states.at[k], order[i]) &&
                keeps_its_write(&w, &w.states.at[k], order[i])) {
                take(&w, k, order[i]);
            }
        }
        from = end;
    }
    for (uint32_t k = from; ends_in(claim, order, count) && k < w.states.count; k++) {
        answer |= shows(&w, &w.states.at[k], claim);
    }
    walk_release(&w);
    return answer;
}
