#include "race_rules_parts.h"

#include "trace/kind_table.h"

/* ---- rule 5: sections ---- */

bool rules_exclude(const struct rules_section *s, const struct rules_section *other)
{
    return s->lock == other->lock && s->task != other->task && !(s->is_shared && other->is_shared);
}

/* The lock that an event takes, releases, or releases for a wait; false if none. */
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
    uint32_t depth_saved; /* the depth that a wait released */
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

/* The end of a section that is never released. */
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

/* A wait and the post that follows it, of a semaphore that is used as a lock. */
static void read_semaphore_sections(struct rules *r)
{
    vec_each (&r->semaphore_waits, w) {
        if (!w->is_lock) {
            continue;
        }
        event_id post = w->wait + 1;
        while (trace_at(r->t, post)->kind != EVENT_SEM_POST ||
               trace_at(r->t, post)->task != trace_at(r->t, w->wait)->task ||
               !rules_same_semaphore(r, post, w->wait)) {
            post++;
        }
        const struct event *e = trace_at(r->t, w->wait);
        struct holding h = {.task = e->task,
                            .lock = ~rules_object(r->t, e, e->object), /* no lock's name */
                            .first = w->wait};
        section_end(r, &h, post);
    }
}

void rules_read_sections(struct rules *r)
{
    read_semaphore_sections(r);
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

static unsigned order_of(const struct event *e)
{
    return e->mode % UPDATE_ADD;
}

static bool is_release(const struct event *e)
{
    return order_of(e) == MODE_UNSAID || order_of(e) >= MEMORY_RELEASE;
}

static bool is_acquire_read(const struct event *e)
{
    const bool reads = e->kind == EVENT_ATOMIC_LOAD || e->kind == EVENT_ATOMIC_RMW;
    return reads && order_of(e) != MEMORY_RELAXED && order_of(e) != MEMORY_RELEASE;
}

/* Every release write that the read is ordered after in this execution; those that another schedule
 * keeps are not seen by a blind event, nor through a blind exchange. */
static void read_atomic(struct rules *r, event_id read)
{
    bool is_kept = !rules_event_is_blind(trace_at(r->t, read));
    for (event_id id = read; id-- > 0;) {
        const struct event *write = trace_at(r->t, id);
        if (!is_atomic_write(write) || !same_object(r, id, read)) {
            continue;
        }
        if (is_release(write)) {
            rules_edge_add(is_kept ? &r->cross : &r->observed, id, read);
        }
        if (write->kind != EVENT_ATOMIC_RMW) {
            break;
        }
        is_kept &= !rules_event_is_blind(write) || rules_event_updates(write);
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

/* The initial value of the semaphore of `like`: that of its first SEM_INIT, or the value that the
 * list needs if that is more. */
static uint32_t initial_count(const struct rules *r, event_id like)
{
    int64_t least = 0;
    int64_t balance = 0;
    int64_t said = -1;
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if (!same_object(r, id, like)) {
            continue;
        }
        balance += e->kind == EVENT_SEM_POST;
        balance -= e->kind == EVENT_SEM_WAIT;
        least = least < -balance ? -balance : least;
        if (e->kind == EVENT_SEM_INIT && said < 0 && (e->has & HAS_VALUE) != 0) {
            said = e->value;
        }
    }
    return (uint32_t)(said > least ? said : least);
}

static bool is_of_semaphore(const struct event *e)
{
    return e->kind == EVENT_SEM_POST || e->kind == EVENT_SEM_WAIT;
}

/* The next event of the semaphore by the same task, EVENT_NONE when there is none. */
static event_id next_use(const struct rules *r, event_id of)
{
    for (event_id id = of + 1; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if (is_of_semaphore(e) && e->task == trace_at(r->t, of)->task && same_object(r, id, of)) {
            return id;
        }
    }
    return EVENT_NONE;
}

/* A wait is followed by a post of the same context, and a post by nothing or a wait. */
static bool alternates(const struct rules *r, event_id id)
{
    const event_id next = next_use(r, id);
    if (trace_at(r->t, id)->kind == EVENT_SEM_POST) {
        return next == EVENT_NONE || trace_at(r->t, next)->kind == EVENT_SEM_WAIT;
    }
    return next != EVENT_NONE && trace_at(r->t, next)->kind == EVENT_SEM_POST &&
           r->handler_of[next] == r->handler_of[id];
}

/* Initial count 1, more waits than that, and every task waits and then posts. */
static bool is_used_as_lock(const struct rules *r, event_id like)
{
    size_t waits = 0;
    size_t posts = 0;
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if (!is_of_semaphore(e) || !same_object(r, id, like)) {
            continue;
        }
        waits += e->kind == EVENT_SEM_WAIT;
        posts += e->kind == EVENT_SEM_POST;
        if (!alternates(r, id)) {
            return false;
        }
    }
    return waits == posts && waits > 1 && initial_count(r, like) == 1;
}

/* Whether `later` comes after `id` on the same chain. */
static bool is_later_on_chain(const struct rules *r, event_id id, event_id later)
{
    return id < later && trace_at(r->t, id)->task == trace_at(r->t, later)->task &&
           r->handler_of[id] == r->handler_of[later];
}

/* A post that no order can do without: the waits up to this one on its chain are more than the
 * initial count and all posts but this one, those behind it on its chain and those behind the
 * wait. */
static bool is_needed(const struct rules *r, event_id post, event_id wait)
{
    size_t units = initial_count(r, wait);
    size_t waits = 1;
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if (!is_of_semaphore(e) || !same_object(r, id, wait)) {
            continue;
        }
        waits += e->kind == EVENT_SEM_WAIT && is_later_on_chain(r, id, wait);
        units += e->kind == EVENT_SEM_POST && id != post && !is_later_on_chain(r, post, id) &&
                 !is_later_on_chain(r, wait, id);
    }
    return waits > units && !is_later_on_chain(r, post, wait) && !is_later_on_chain(r, wait, post);
}

/* In the list the k-th wait takes the post number k less the initial count. */
static void read_semaphore_wait(struct rules *r, event_id wait)
{
    size_t place = 0; /* of `wait` among the waits, from 1 */
    for (event_id id = 0; id <= wait; id++) {
        place += trace_at(r->t, id)->kind == EVENT_SEM_WAIT && same_object(r, id, wait);
    }
    const uint32_t initial = initial_count(r, wait);
    vec_push(
        &r->semaphore_waits,
        (struct rules_semaphore_wait){
            .wait = wait,
            .initial = initial,
            .taken = place > initial ? nth(r, EVENT_SEM_POST, wait, place - initial) : EVENT_NONE,
            .is_lock = is_used_as_lock(r, wait)});
    for (event_id id = 0; id < r->count; id++) {
        if (trace_at(r->t, id)->kind == EVENT_SEM_POST && same_object(r, id, wait) &&
            is_needed(r, id, wait)) {
            rules_edge_add(&r->cross, id, wait);
        }
    }
}

bool rules_same_semaphore(const struct rules *r, event_id a, event_id b)
{
    return same_object(r, a, b);
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
        } else if (e->kind == EVENT_HAPPENS_AFTER) {
            read_happens_after(r, id);
        }
    }
}
