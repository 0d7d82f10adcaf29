#include "race/observed/observed_sync.h"

#include "race/observed/observed_state.h"
#include "trace/kind_table.h"
#include "wire/must.h"

enum {
    /* Notifies that no wait has asked for are kept for waits whose beginning was not recorded; more
     * while a wait is open. */
    NOTIFIES_MAX = 64,
    NOTIFIES_OPEN_MAX = 4096,
};

/* ---- locks ---- */

static struct observed_lock *lock_at(struct observed *o, uint32_t node, uint32_t object,
                                     uint8_t mode)
{
    const uint32_t scope = lock_mode_is_across_processes(mode) ? SCOPE_WHOLE_TRACE : node;
    const uint32_t number = scoped_number(&o->sync.lock_of, &o->tables->names, scope, object);
    while (o->sync.locks.count <= number) {
        vec_push(&o->sync.locks, (struct observed_lock){.alone_row = OBSERVED_NONE,
                                                        .shared_row = OBSERVED_NONE,
                                                        .last_task = OBSERVED_NONE});
    }
    must(number < o->sync.locks.count);
    return &o->sync.locks.at[number];
}

static struct observed_holder *holder_of(const struct observed_lock *l, uint32_t task)
{
    vec_each (&l->holders, h) {
        if (h->task == task) {
            return h;
        }
    }
    return NULL;
}

/* A section begins: all that ended before and excludes it is before. */
static void section_begin(struct observed *o, const struct observed_step *s,
                          const struct observed_lock *l, bool is_shared)
{
    if (l->last_task != s->event->task) {
        observed_acquire(o, s, l->alone_row);
        if (!is_shared) {
            observed_acquire(o, s, l->shared_row);
        }
    }
}

/* A section ends. A task that held the lock exclusively has joined all ended sections, so its clock
 * replaces theirs, unless one was overtaken. */
static void section_end(struct observed *o, const struct observed_step *s, struct observed_lock *l,
                        bool is_shared)
{
    if (is_shared) {
        observed_publish(o, &l->shared_row, s);
        l->last_task = OBSERVED_NONE;
        return;
    }
    bool has_seen_all = true;
    vec_each (&l->holders, h) {
        has_seen_all &= !h->is_overtaken;
    }
    if (has_seen_all) {
        observed_publish_alone(o, &l->alone_row, s);
        l->last_task = s->event->task;
    } else {
        observed_publish(o, &l->alone_row, s);
        l->last_task = OBSERVED_NONE;
    }
}

/* Others that hold the lock in a way that excludes the new section have given it up unseen, at
 * their last event so far: a wait whose beginning was not recorded, or an unlock that is missing.
 */
static void overtake(struct observed *o, struct observed_lock *l, uint32_t task, bool is_shared)
{
    vec_each (&l->holders, h) {
        if (h->task == task || h->is_overtaken || (is_shared && h->is_shared)) {
            continue;
        }
        h->is_overtaken = true;
        struct observed_task *holder = &o->tasks.at[h->task];
        if (holder->column != OBSERVED_NONE) {
            const struct observed_step last = {.task = holder};
            observed_publish(o, h->is_shared ? &l->shared_row : &l->alone_row, &last);
        }
        l->last_task = OBSERVED_NONE;
    }
}

static void holder_remove(struct observed_lock *l, struct observed_holder *h)
{
    must(l->holders.count > 0);
    *h = *vec_last(&l->holders);
    l->holders.count--;
}

void observed_lock_taken(struct observed *o, const struct observed_step *s)
{
    const struct event *e = s->event;
    const bool is_shared = lock_mode_is_shared(e->mode);
    struct observed_lock *l = lock_at(o, s->task->node, e->object, e->mode);
    struct observed_holder *own = holder_of(l, e->task);
    if (own != NULL && !own->is_overtaken) {
        own->depth++;
        if (own->is_shared && !is_shared) {
            own->is_shared = false;
            overtake(o, l, e->task, false);
            section_begin(o, s, l, false);
        }
        return;
    }
    if (own != NULL) {
        observed_remark(o, s->index, "a lock is taken again that was never released");
        holder_remove(l, own);
    }
    if (l->holders.count > 0) {
        overtake(o, l, e->task, is_shared);
    }
    section_begin(o, s, l, is_shared);
    vec_push(&l->holders,
             (struct observed_holder){.task = e->task, .depth = 1, .is_shared = is_shared});
}

void observed_lock_released(struct observed *o, const struct observed_step *s)
{
    struct observed_lock *l = lock_at(o, s->task->node, s->event->object, s->event->mode);
    struct observed_holder *own = holder_of(l, s->event->task);
    if (own == NULL) {
        observed_remark(o, s->index, "a lock is released that the task does not hold: ignored");
        return;
    }
    must(own->depth > 0);
    if (--own->depth == 0) {
        const bool is_shared = own->is_shared;
        holder_remove(l, own);
        section_end(o, s, l, is_shared);
    }
}

/* ---- conditions ---- */

static uint32_t condition_number(struct observed *o, const struct observed_step *s)
{
    const uint32_t number =
        scoped_number(&o->sync.condition_of, &o->tables->names, s->task->node, s->event->object);
    while (o->sync.conditions.count <= number) {
        vec_push(&o->sync.conditions, (struct observed_condition){.notifies = OBSERVED_NONE});
    }
    return number;
}

/* The lock of a wait is its text, or the condition itself (a monitor). */
static struct observed_lock *lock_of_wait(struct observed *o, const struct observed_step *s)
{
    const struct event *e = s->event;
    return lock_at(o, s->task->node, e->text != 0 ? e->text : e->object, MODE_UNSAID);
}

void observed_wait_begin(struct observed *o, const struct observed_step *s)
{
    const uint32_t number = condition_number(o, s);
    struct observed_wait *w = &s->task->wait;
    if (w->condition != OBSERVED_NONE) {
        must(o->sync.conditions.at[w->condition].open_count > 0);
        o->sync.conditions.at[w->condition].open_count--;
    }
    *w = (struct observed_wait){.condition = number, .begin = s->index};
    o->sync.conditions.at[number].open_count++;
    struct observed_lock *l = lock_of_wait(o, s);
    struct observed_holder *own = holder_of(l, s->event->task);
    if (own != NULL) {
        w->depth = own->depth;
        holder_remove(l, own);
        section_end(o, s, l, false);
    }
}

/* Joins the first notify listed after `begin` that has not served another wait. */
static bool take_notify(struct observed *o, const struct observed_step *s,
                        struct observed_condition *c, uint64_t begin)
{
    if (c->notifies == OBSERVED_NONE) {
        return false;
    }
    struct pending_clock *before = NULL;
    struct pending_clock *notify = pending_clocks_first(&o->pending, c->notifies);
    while (notify != NULL && begin != UINT64_MAX && notify->index <= begin) {
        before = notify;
        notify = pending_clocks_next(&o->pending, notify);
    }
    if (notify == NULL) {
        return false;
    }
    observed_acquire(o, s, notify->row);
    if (!notify->is_for_all) {
        pending_clocks_drop(&o->pending, c->notifies, before);
        c->notify_count--;
    }
    return true;
}

void observed_wait_end(struct observed *o, const struct observed_step *s)
{
    const uint32_t number = condition_number(o, s);
    struct observed_wait *w = &s->task->wait;
    struct observed_lock *l = lock_of_wait(o, s);
    struct observed_holder *own = holder_of(l, s->event->task);
    uint64_t begin = s->task->previous;
    uint32_t depth = 0;
    if (w->condition == number) {
        begin = w->begin;
        depth = w->depth;
        o->sync.conditions.at[number].open_count--;
        w->condition = OBSERVED_NONE;
    } else if (own != NULL && own->is_overtaken) {
        depth = own->depth;
        holder_remove(l, own);
    }
    if (!take_notify(o, s, &o->sync.conditions.at[number], begin)) {
        observed_remark(o, s->index, "a wait ends without a notify: nothing is before it");
    }
    if (depth > 0) {
        overtake(o, l, s->event->task, false);
        section_begin(o, s, l, false);
        vec_push(&l->holders, (struct observed_holder){.task = s->event->task, .depth = depth});
    }
}

void observed_notify(struct observed *o, const struct observed_step *s)
{
    const uint32_t number = condition_number(o, s);
    struct observed_condition *c = &o->sync.conditions.at[number];
    struct pending_clock *notify = observed_put(o, &c->notifies, s);
    notify->is_for_all = s->event->kind == EVENT_BROADCAST;
    c->notify_count++;
    const uint32_t limit = c->open_count > 0 ? NOTIFIES_OPEN_MAX : NOTIFIES_MAX;
    while (c->notify_count > limit) {
        pending_clocks_drop(&o->pending, c->notifies, NULL);
        c->notify_count--;
    }
}

/* ---- semaphores ---- */

static struct observed_semaphore *semaphore_at(struct observed *o, const struct observed_step *s)
{
    const uint32_t number =
        scoped_number(&o->sync.semaphore_of, &o->tables->names, s->task->node, s->event->object);
    while (o->sync.semaphores.count <= number) {
        vec_push(&o->sync.semaphores, (struct observed_semaphore){.posts = OBSERVED_NONE});
    }
    return &o->sync.semaphores.at[number];
}

/* A second initialization, and one after its use, say nothing. */
void observed_semaphore_init(struct observed *o, const struct observed_step *s)
{
    struct observed_semaphore *semaphore = semaphore_at(o, s);
    const bool is_used = semaphore->post_count + semaphore->wait_count > 0;
    if (!is_used && semaphore->initial == 0 && (s->event->has & HAS_VALUE) != 0 &&
        s->event->value > 0) {
        semaphore->initial = (uint64_t)s->event->value;
    }
}

void observed_semaphore_post(struct observed *o, const struct observed_step *s)
{
    struct observed_semaphore *semaphore = semaphore_at(o, s);
    semaphore->post_count++;
    (void)observed_put(o, &semaphore->posts, s);
}

/* Wait number k is served by post number k minus the semaphore's initial value. */
void observed_semaphore_wait(struct observed *o, const struct observed_step *s)
{
    struct observed_semaphore *semaphore = semaphore_at(o, s);
    semaphore->wait_count++;
    if (semaphore->wait_count > semaphore->post_count + semaphore->initial) {
        semaphore->initial++;
    }
    if (semaphore->wait_count > semaphore->initial) {
        const struct pending_clock *post = pending_clocks_take(&o->pending, semaphore->posts);
        if (post != NULL) {
            observed_acquire(o, s, post->row);
        }
    }
}

/* ---- barriers ---- */

static struct observed_barrier *barrier_at(struct observed *o, const struct observed_step *s)
{
    const uint32_t number =
        scoped_number(&o->sync.barrier_of, &o->tables->names, s->task->node, s->event->object);
    while (o->sync.barriers.count <= number) {
        vec_push(&o->sync.barriers,
                 (struct observed_barrier){.open_row = OBSERVED_NONE, .closed_row = OBSERVED_NONE});
    }
    return &o->sync.barriers.at[number];
}

static struct observed_entrant *entrant_of(const struct observed_barrier *b, uint32_t task)
{
    vec_each (&b->inside, entrant) {
        if (entrant->task == task) {
            return entrant;
        }
    }
    return NULL;
}

void observed_barrier_enter(struct observed *o, const struct observed_step *s)
{
    struct observed_barrier *b = barrier_at(o, s);
    struct observed_entrant *entrant = entrant_of(b, s->event->task);
    if (entrant == NULL) {
        vec_push(&b->inside, (struct observed_entrant){.task = s->event->task});
        entrant = vec_last(&b->inside);
    }
    entrant->round = b->round;
    observed_acquire(o, s, b->closed_row);
    observed_publish(o, &b->open_row, s);
}

/* The first task to leave closes the round: tasks that enter from now on belong to the next one.
 * All have left the round before by then, so one row for closed rounds is enough. */
void observed_barrier_exit(struct observed *o, const struct observed_step *s)
{
    struct observed_barrier *b = barrier_at(o, s);
    struct observed_entrant *entrant = entrant_of(b, s->event->task);
    if (entrant == NULL) {
        observed_remark(o, s->index, "a barrier is left that was not entered: ignored");
        return;
    }
    if (entrant->round == b->round) {
        if (b->closed_row != OBSERVED_NONE) {
            clocks_row_free(&o->clocks, b->closed_row);
        }
        b->closed_row = b->open_row;
        b->open_row = OBSERVED_NONE;
        b->round++;
    }
    *entrant = *vec_last(&b->inside);
    b->inside.count--;
    observed_acquire(o, s, b->closed_row);
}

/* ---- atomics, one-time initialization, annotations ---- */

static uint32_t *row_at(const struct observed *o, struct observed_rows *family,
                        const struct observed_step *s)
{
    const uint32_t number =
        scoped_number(&family->number_of, &o->tables->names, s->task->node, s->event->object);
    while (family->rows.count <= number) {
        vec_push(&family->rows, OBSERVED_NONE);
    }
    return &family->rows.at[number];
}

static bool mode_acquires(uint8_t mode)
{
    const enum event_mode order = memory_mode_order(mode);
    return order != MEMORY_RELAXED && order != MEMORY_RELEASE;
}

static bool mode_releases(uint8_t mode)
{
    const enum event_mode order = memory_mode_order(mode);
    return order != MEMORY_RELAXED && order != MEMORY_CONSUME && order != MEMORY_ACQUIRE;
}

/* A read acquires from the last write and, through read-modify-writes, from those before it (a
 * release sequence): a store replaces the clock to acquire, a read-modify-write adds to it. */
void observed_atomic(struct observed *o, const struct observed_step *s)
{
    const struct event *e = s->event;
    uint32_t *row = row_at(o, &o->sync.atomics, s);
    if (e->kind != EVENT_ATOMIC_STORE && mode_acquires(e->mode)) {
        observed_acquire(o, s, *row);
    }
    observed_touch(o, s);
    if (e->kind == EVENT_ATOMIC_RMW && mode_releases(e->mode)) {
        observed_publish(o, row, s);
    } else if (e->kind == EVENT_ATOMIC_STORE && mode_releases(e->mode)) {
        observed_publish_alone(o, row, s);
    } else if (e->kind == EVENT_ATOMIC_STORE && *row != OBSERVED_NONE) {
        clocks_clear(&o->clocks, *row);
    }
}

void observed_once(struct observed *o, const struct observed_step *s)
{
    uint32_t *row = row_at(o, &o->sync.onces, s);
    if (*row == OBSERVED_NONE) {
        observed_publish(o, row, s);
    } else {
        observed_acquire(o, s, *row);
    }
}

void observed_annotation(struct observed *o, const struct observed_step *s)
{
    uint32_t *row = row_at(o, &o->sync.annotations, s);
    if (s->event->kind == EVENT_HAPPENS_BEFORE) {
        observed_publish(o, row, s);
    } else {
        observed_acquire(o, s, *row);
    }
}

static void rows_release(struct observed_rows *family)
{
    scoped_release(&family->number_of);
    vec_release(&family->rows);
}

void observed_sync_release(struct observed *o)
{
    vec_each (&o->sync.locks, l) {
        vec_release(&l->holders);
    }
    vec_each (&o->sync.barriers, b) {
        vec_release(&b->inside);
    }
    vec_release(&o->sync.locks);
    vec_release(&o->sync.conditions);
    vec_release(&o->sync.semaphores);
    vec_release(&o->sync.barriers);
    scoped_release(&o->sync.lock_of);
    scoped_release(&o->sync.condition_of);
    scoped_release(&o->sync.semaphore_of);
    scoped_release(&o->sync.barrier_of);
    rows_release(&o->sync.atomics);
    rows_release(&o->sync.onces);
    rows_release(&o->sync.annotations);
}
