#include "race_rules_parts.h"

#include "trace/kind.h"

/* ---- rule 5: sections ---- */

bool rules_exclude(const struct rules_section *s, const struct rules_section *other)
{
    return s->lock == other->lock && s->task != other->task && !(s->is_shared && other->is_shared);
}

/* The lock an event takes, gives back or gives up for a while; false when none. */
static bool lock_of(const struct trace *t, const struct event *e, uint64_t *lock)
{
    if (e->kind == EVENT_LOCK || e->kind == EVENT_UNLOCK) {
        *lock = lock_mode_is_across_processes(e->mode) ? map_pair(UINT32_MAX, e->object)
                                                       : rules_object(t, e, e->object);
        return true;
    }
    if (e->kind == EVENT_WAIT_BEGIN || e->kind == EVENT_WAIT_END) {
        *lock = rules_object(t, e, e->text != 0 ? e->text : e->object);
        return true;
    }
    return false;
}

static bool has_recorded_beginning(const struct rules *r, event_id wait_end)
{
    vec_each (&r->waits, w) {
        if (w->end == wait_end && w->begin != EVENT_NONE) {
            const struct event *begin = trace_at(r->t, w->begin);
            return begin->kind == EVENT_WAIT_BEGIN &&
                   begin->object == trace_at(r->t, wait_end)->object;
        }
    }
    return false;
}

/* One task and one of its locks. */
struct holding {
    uint32_t task;
    uint64_t lock;
    event_id first;
    uint32_t depth;
    bool is_shared;
    uint32_t depth_saved; /* what a wait gave up */
};

static void section_end(struct rules *r, struct holding *h, event_id last)
{
    vec_push(&r->sections, (struct rules_section){.task = h->task,
                                                  .lock = h->lock,
                                                  .first = h->first,
                                                  .last = last,
                                                  .is_shared = h->is_shared});
    rules_edge_add(&r->program, h->first, last);
}

static void holding_step(struct rules *r, struct holding *h, event_id id)
{
    const struct event *e = trace_at(r->t, id);
    if (e->kind == EVENT_LOCK) {
        const bool is_shared = lock_mode_is_shared(e->mode);
        h->is_shared = is_shared && (h->depth == 0 || h->is_shared);
        h->first = h->depth == 0 ? id : h->first;
        h->depth++;
    } else if (e->kind == EVENT_UNLOCK && h->depth > 0) {
        h->depth--;
        if (h->depth == 0) {
            section_end(r, h, id);
        }
    } else if (e->kind == EVENT_WAIT_BEGIN) {
        h->depth_saved = h->depth;
        if (h->depth > 0) {
            section_end(r, h, id);
        }
        h->depth = 0;
    } else if (e->kind == EVENT_WAIT_END && has_recorded_beginning(r, id)) {
        if (h->depth == 0) {
            h->depth = h->depth_saved;
            h->first = id;
        }
        h->depth_saved = 0;
    } else if (e->kind == EVENT_WAIT_END && h->depth > 0) {
        section_end(r, h, rules_previous(r->t, id));
        h->first = id;
    }
}

/* Where a section that is never given back ends. */
static event_id lost_end(const struct rules *r, const struct holding *h)
{
    for (event_id id = h->first + 1; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        uint64_t lock = 0;
        if (e->kind == EVENT_LOCK && e->task != h->task && lock_of(r->t, e, &lock) &&
            lock == h->lock && !(h->is_shared && lock_mode_is_shared(e->mode))) {
            return rules_last_before(r->t, h->task, id);
        }
    }
    return rules_last_before(r->t, h->task, (event_id)r->count);
}

/* Walks one task's use of one lock; starts again behind a section that had to be ended. */
static void read_holding(struct rules *r, uint32_t task, uint64_t lock)
{
    event_id from = 0;
    while (from < r->count) {
        struct holding h = {.task = task, .lock = lock};
        for (event_id id = from; id < r->count; id++) {
            const struct event *e = trace_at(r->t, id);
            uint64_t used = 0;
            if (e->task == task && lock_of(r->t, e, &used) && used == lock) {
                holding_step(r, &h, id);
            }
        }
        if (h.depth == 0) {
            return;
        }
        const event_id last = lost_end(r, &h);
        section_end(r, &h, last);
        from = last + 1;
    }
}

void rules_read_sections(struct rules *r)
{
    struct map seen = {0}; /* of (task, lock), the lock by its place in `locks` */
    struct map locks = {0};
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        uint64_t lock = 0;
        if (!lock_of(r->t, e, &lock)) {
            continue;
        }
        const uint32_t place = *map_slot(&locks, lock, (uint32_t)locks.entries.count, NULL);
        bool is_new = false;
        (void)map_slot(&seen, map_pair(e->task, place), 0, &is_new);
        if (is_new) {
            read_holding(r, e->task, lock);
        }
    }
    map_release(&seen);
    map_release(&locks);
}

/* ---- rule 4: waits ---- */

static event_id wait_begin_of(const struct rules *r, event_id end)
{
    const struct event *e = trace_at(r->t, end);
    for (event_id id = end; id-- > 0;) {
        const struct event *begin = trace_at(r->t, id);
        if (begin->task != e->task || begin->object != e->object) {
            continue;
        }
        if (begin->kind == EVENT_WAIT_BEGIN) {
            return id;
        }
        if (begin->kind == EVENT_WAIT_END) {
            break;
        }
    }
    return rules_previous(r->t, end);
}

/* A wait that the notify may serve: begun, not over, not served by another. */
static bool wait_is_open(const struct rules *r, const struct rules_wait *w, event_id notify)
{
    const struct event *e = trace_at(r->t, notify);
    return w->condition == rules_object(r->t, e, e->object) && w->server == EVENT_NONE &&
           (w->begin == EVENT_NONE || w->begin < notify) && notify < w->end;
}

static void serve_waits(struct rules *r, event_id notify)
{
    const bool serves_all = trace_at(r->t, notify)->kind == EVENT_BROADCAST;
    struct rules_wait *first = NULL;
    vec_each (&r->waits, w) {
        if (wait_is_open(r, w, notify)) {
            if (serves_all) {
                w->server = notify;
            } else if (first == NULL || w->end < first->end) {
                first = w;
            }
        }
    }
    if (first != NULL) {
        first->server = notify;
    }
}

void rules_read_waits(struct rules *r)
{
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if (e->kind == EVENT_WAIT_END) {
            vec_push(&r->waits, (struct rules_wait){.condition = rules_object(r->t, e, e->object),
                                                    .begin = wait_begin_of(r, id),
                                                    .end = id,
                                                    .server = EVENT_NONE});
        }
    }
    for (event_id id = 0; id < r->count; id++) {
        const uint16_t kind = trace_at(r->t, id)->kind;
        if (kind == EVENT_SIGNAL || kind == EVENT_BROADCAST) {
            serve_waits(r, id);
        }
    }
}

/* ---- rule 7: the rest ---- */

static bool same_object(const struct rules *r, event_id a, event_id b)
{
    const struct event *first = trace_at(r->t, a);
    const struct event *second = trace_at(r->t, b);
    return rules_object(r->t, first, first->object) == rules_object(r->t, second, second->object);
}

static bool is_atomic_write(const struct event *e)
{
    return e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

static bool is_release(const struct event *e)
{
    return e->mode == MODE_UNSAID || e->mode >= MEMORY_RELEASE;
}

static bool is_acquire_read(const struct event *e)
{
    const bool reads = e->kind == EVENT_ATOMIC_LOAD || e->kind == EVENT_ATOMIC_RMW;
    return reads && e->mode != MEMORY_RELAXED && e->mode != MEMORY_RELEASE;
}

static void read_atomic(struct rules *r, event_id read)
{
    for (event_id id = read; id-- > 0;) {
        const struct event *write = trace_at(r->t, id);
        if (!is_atomic_write(write) || !same_object(r, id, read)) {
            continue;
        }
        if (is_release(write)) {
            rules_edge_add(&r->cross, id, read);
        }
        if (write->kind != EVENT_ATOMIC_RMW) {
            break;
        }
    }
}

/* The k-th event of a kind on the object of `like`, counted from 1; EVENT_NONE when there are
 * fewer. */
static event_id nth(const struct rules *r, enum event_kind kind, event_id like, size_t k)
{
    for (event_id id = 0; id < r->count; id++) {
        if (trace_at(r->t, id)->kind == kind && same_object(r, id, like)) {
            if (--k == 0) {
                return id;
            }
        }
    }
    return EVENT_NONE;
}

static void read_semaphore_wait(struct rules *r, event_id wait)
{
    size_t initial = 0; /* the most that waits were ahead of posts, over the whole list */
    size_t place = 0;   /* of `wait` among the waits, from 1 */
    size_t posts = 0;
    size_t waits = 0;
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if (!same_object(r, id, wait)) {
            continue;
        }
        posts += e->kind == EVENT_SEM_POST;
        waits += e->kind == EVENT_SEM_WAIT;
        initial = waits > posts + initial ? waits - posts : initial;
        place = id == wait ? waits : place;
    }
    const event_id post =
        place > initial ? nth(r, EVENT_SEM_POST, wait, place - initial) : EVENT_NONE;
    if (post != EVENT_NONE) {
        rules_edge_add(&r->cross, post, wait);
    }
}

/* The task's last ENTER of the barrier listed before its EXIT, EVENT_NONE when there is none. */
static event_id enter_of_exit(const struct rules *r, event_id barrier_exit)
{
    for (event_id id = barrier_exit; id-- > 0;) {
        const struct event *e = trace_at(r->t, id);
        if (e->kind == EVENT_BARRIER_ENTER && e->task == trace_at(r->t, barrier_exit)->task &&
            same_object(r, id, barrier_exit)) {
            return id;
        }
    }
    return EVENT_NONE;
}

/* Fills in the round of every ENTER and EXIT of the barrier of `like`: how many rounds ended before
 * it. An EXIT without ENTER gets RULES_NONE. */
static void count_rounds(const struct rules *r, event_id like, uint32_t *rounds)
{
    uint32_t round = 0;
    bool is_over = false;
    for (event_id id = 0; id < r->count; id++) {
        const uint16_t kind = trace_at(r->t, id)->kind;
        if (!same_object(r, id, like)) {
            continue;
        }
        if (kind == EVENT_BARRIER_ENTER) {
            round += is_over;
            is_over = false;
            rounds[id] = round;
        } else if (kind == EVENT_BARRIER_EXIT) {
            const event_id enter = enter_of_exit(r, id);
            rounds[id] = enter == EVENT_NONE ? RULES_NONE : rounds[enter];
            is_over |= rounds[id] == round;
        }
    }
}

static void read_barrier(struct rules *r, event_id id)
{
    const bool is_exit = trace_at(r->t, id)->kind == EVENT_BARRIER_EXIT;
    uint32_t *rounds = mem_zero(r->count, sizeof *rounds);
    count_rounds(r, id, rounds);
    for (event_id enter = 0; enter < r->count; enter++) {
        if (trace_at(r->t, enter)->kind != EVENT_BARRIER_ENTER || !same_object(r, enter, id)) {
            continue;
        }
        if (rounds[id] == (is_exit ? rounds[enter] : rounds[enter] + 1)) {
            rules_edge_add(&r->cross, enter, id);
        }
    }
    mem_free(rounds);
}

static void read_once(struct rules *r, event_id id)
{
    rules_edge_add(&r->cross, nth(r, EVENT_ONCE, id, 1), id);
}

static void read_happens_after(struct rules *r, event_id id)
{
    for (event_id before = 0; before < id; before++) {
        const struct event *e = trace_at(r->t, before);
        if (e->kind == EVENT_HAPPENS_BEFORE && same_object(r, before, id)) {
            const bool is_observed =
                e->mode == ANNOTATION_OBSERVED || trace_at(r->t, id)->mode == ANNOTATION_OBSERVED;
            rules_edge_add(is_observed ? &r->observed : &r->cross, before, id);
        }
    }
}

void rules_read_other(struct rules *r)
{
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if (is_acquire_read(e)) {
            read_atomic(r, id);
        } else if (e->kind == EVENT_SEM_WAIT) {
            read_semaphore_wait(r, id);
        } else if (e->kind == EVENT_BARRIER_ENTER || e->kind == EVENT_BARRIER_EXIT) {
            read_barrier(r, id);
        } else if (e->kind == EVENT_ONCE) {
            read_once(r, id);
        } else if (e->kind == EVENT_HAPPENS_AFTER) {
            read_happens_after(r, id);
        }
    }
}
