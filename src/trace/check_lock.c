/* Rules of locks and conditions. The key of a lock is its node and name, or its name alone when
 * several processes share it. Locks of fcntl and flock belong to processes and may be released
 * unheld, so nothing about them is impossible.
 *
 * Logs that record a wait only at its end (Falcon) do not show the release at its beginning: then
 * another task seems to acquire a lock that is held. The holder's next event decides whether this
 * was impossible: it is the end of the wait or is not. Until then the holding remembers the
 * overlap. */
#include <string.h>

#include "trace/check_state.h"
#include "trace/kind_table.h"
#include "trace/name_scope.h"

static bool is_process_owned(uint8_t mode)
{
    mode = lock_mode_held(mode);
    return mode == LOCK_FCNTL_READ || mode == LOCK_FCNTL_WRITE || mode == LOCK_FLOCK_READ ||
           mode == LOCK_FLOCK_WRITE;
}

static uint32_t lock_index(struct check *c, uint32_t task, uint32_t object, uint8_t mode)
{
    const uint32_t scope =
        lock_mode_is_across_processes(mode)
            ? SCOPE_WHOLE_TRACE
            : scope_of(&c->tables->names, c->tables->tasks.at[task].node, object);
    bool is_new = false;
    const uint32_t index =
        *map_slot(&c->lock_of, map_pair(scope, object), (uint32_t)c->locks.count, &is_new);
    if (is_new) {
        vec_push(&c->locks, (struct lock_state){.held_first = HOLDING_NONE});
    }
    return index;
}

static uint32_t holding_index(struct check *c, uint32_t task, uint32_t lock)
{
    bool is_new = false;
    const uint32_t index =
        *map_slot(&c->holding_of, map_pair(task, lock), (uint32_t)c->holdings.count, &is_new);
    if (is_new) {
        vec_push(&c->holdings, (struct holding){.task = task, .lock = lock});
    }
    return index;
}

static void link_holding(struct check *c, uint32_t index)
{
    struct holding *h = &c->holdings.at[index];
    uint32_t *task_first = &c->tasks.at[h->task].held_first;
    uint32_t *lock_first = &c->locks.at[h->lock].held_first;
    h->task_before = h->lock_before = HOLDING_NONE;
    h->task_next = *task_first;
    h->lock_next = *lock_first;
    if (h->task_next != HOLDING_NONE) {
        c->holdings.at[h->task_next].task_before = index;
    }
    if (h->lock_next != HOLDING_NONE) {
        c->holdings.at[h->lock_next].lock_before = index;
    }
    *task_first = *lock_first = index;
    c->locks.at[h->lock].exclusive_count += h->is_shared ? 0 : 1;
}

static void unlink_holding(struct check *c, uint32_t index)
{
    struct holding *h = &c->holdings.at[index];
    *(h->task_before == HOLDING_NONE ? &c->tasks.at[h->task].held_first
                                     : &c->holdings.at[h->task_before].task_next) = h->task_next;
    *(h->lock_before == HOLDING_NONE ? &c->locks.at[h->lock].held_first
                                     : &c->holdings.at[h->lock_before].lock_next) = h->lock_next;
    if (h->task_next != HOLDING_NONE) {
        c->holdings.at[h->task_next].task_before = h->task_before;
    }
    if (h->lock_next != HOLDING_NONE) {
        c->holdings.at[h->lock_next].lock_before = h->lock_before;
    }
    c->locks.at[h->lock].exclusive_count -= h->is_shared ? 0 : 1;
    h->depth = 0;
    h->overlap = (struct place){0};
}

/* A holding of the lock by another task that the list orders with `task`, of which at least one of
 * the two is exclusive. */
static uint32_t find_conflict(const struct check *c, uint32_t lock, uint32_t task, bool is_shared)
{
    if (is_shared && c->locks.at[lock].exclusive_count == 0) {
        return HOLDING_NONE;
    }
    uint32_t index = c->locks.at[lock].held_first;
    for (; index != HOLDING_NONE; index = c->holdings.at[index].lock_next) {
        const struct holding *h = &c->holdings.at[index];
        if (h->task != task && !(is_shared && h->is_shared) && check_is_ordered(c, h->task, task)) {
            return index;
        }
    }
    return HOLDING_NONE;
}

static void acquire(struct check *c, uint32_t index, uint32_t depth, bool is_shared,
                    const struct place *at)
{
    struct holding *h = &c->holdings.at[index];
    const uint32_t conflict = find_conflict(c, h->lock, h->task, is_shared);
    if (conflict != HOLDING_NONE && c->holdings.at[conflict].overlap.kind == 0) {
        c->holdings.at[conflict].overlap = *at;
        c->tasks.at[c->holdings.at[conflict].task].has_overlap = true;
    }
    h->depth = depth;
    h->is_shared = is_shared;
    h->at = *at;
    link_holding(c, index);
}

static void lock(struct check *c, const struct event *e, const struct place *at)
{
    const bool is_shared = lock_mode_is_shared(e->mode);
    const uint32_t index = holding_index(c, e->task, lock_index(c, e->task, e->object, e->mode));
    struct holding *h = &c->holdings.at[index];
    if (h->depth == 0) {
        acquire(c, index, 1, is_shared, at);
        return;
    }
    h->depth += h->depth < UINT32_MAX ? 1 : 0;
    if (h->is_shared && !is_shared) {
        h->is_shared = false;
        c->locks.at[h->lock].exclusive_count++;
    }
}

/* Whether clew itself ran the program. Then the list has the program's real actions. A program can
 * release a lock that it does not hold, though POSIX leaves the effect undefined. */
static bool is_witnessed(const struct check *c)
{
    const char *source = names_text(&c->tables->names, c->tables->source);
    return strncmp(source, "clew record", 11) == 0 || strncmp(source, "clew explore", 12) == 0;
}

static void unlock(struct check *c, const struct event *e, const struct place *at)
{
    const uint32_t lock = lock_index(c, e->task, e->object, e->mode);
    const uint32_t index = holding_index(c, e->task, lock);
    struct holding *h = &c->holdings.at[index];
    if (h->depth > 1) {
        h->depth--;
        return;
    }
    if (h->depth == 1) {
        unlink_holding(c, index);
        return;
    }
    const uint32_t other = find_conflict(c, lock, e->task, false);
    if (other == HOLDING_NONE) {
        const enum check_rule rule = is_witnessed(c) ? CHECK_UNLOCK_MISUSED : CHECK_UNLOCK_UNHELD;
        check_tell(c, &(struct check_report){rule, at, NULL, 0},
                   "%s releases %s, which nobody holds", check_task_text(c, e->task).text,
                   check_name_text(c, e->object).text);
        return;
    }
    const struct place held_at = c->holdings.at[other].at;
    const enum check_rule rule = is_witnessed(c) ? CHECK_UNLOCK_MISUSED : CHECK_UNLOCK_FOREIGN;
    check_tell(c, &(struct check_report){rule, at, &held_at, 0}, "%s releases %s, which %s holds",
               check_task_text(c, e->task).text, check_name_text(c, e->object).text,
               check_task_text(c, held_at.task).text);
    unlink_holding(c, other); /* as the program did: later events are judged from there */
}

/* The lock of a wait: the one it names, else the condition itself (a monitor). */
static uint32_t waited_lock(struct check *c, const struct event *e)
{
    return lock_index(c, e->task, e->text != 0 ? e->text : e->object, MODE_UNSAID);
}

static void begin_wait(struct check *c, const struct event *e, const struct place *at)
{
    struct task_state *t = &c->tasks.at[e->task];
    if (t->wait.kind != 0) {
        check_tell(c, &(struct check_report){CHECK_WAIT_NESTED, at, &t->wait, 0},
                   "%s begins to wait for %s while it waits for %s",
                   check_task_text(c, e->task).text, check_name_text(c, e->object).text,
                   check_name_text(c, t->wait.object).text);
    }
    t->wait = *at;
    const uint32_t index = holding_index(c, e->task, waited_lock(c, e));
    struct holding *h = &c->holdings.at[index];
    h->depth_waiting = h->depth;
    if (h->depth > 0) {
        unlink_holding(c, index);
    }
}

static void end_wait(struct check *c, const struct event *e, const struct place *at)
{
    const uint32_t index = holding_index(c, e->task, waited_lock(c, e));
    struct holding *h = &c->holdings.at[index];
    uint32_t depth = h->depth_waiting;
    if (h->depth > 0) { /* a wait whose beginning was not recorded */
        depth = h->depth;
        unlink_holding(c, index);
    }
    if (depth > 0) {
        acquire(c, index, depth, h->is_shared, at);
    }
    h->depth_waiting = 0;
    c->tasks.at[e->task].wait = (struct place){0};
}

void check_lock_event(struct check *c, const struct event *e, const struct place *at)
{
    switch (e->kind) {
    case EVENT_LOCK:
        if (!is_process_owned(e->mode)) {
            lock(c, e, at);
        }
        break;
    case EVENT_UNLOCK:
        if (!is_process_owned(e->mode)) {
            unlock(c, e, at);
        }
        break;
    case EVENT_WAIT_BEGIN: begin_wait(c, e, at); break;
    case EVENT_WAIT_END: end_wait(c, e, at); break;
    default: break;
    }
}

void check_lock_overlaps(struct check *c, const struct event *e)
{
    const uint32_t waited = e->kind == EVENT_WAIT_END ? waited_lock(c, e) : UINT32_MAX;
    uint32_t index = c->tasks.at[e->task].held_first;
    for (; index != HOLDING_NONE; index = c->holdings.at[index].task_next) {
        const struct holding *h = &c->holdings.at[index];
        if (h->overlap.kind != 0 && h->lock != waited) {
            const struct place overlap = h->overlap;
            const struct place held_at = h->at;
            check_tell(c, &(struct check_report){CHECK_LOCK_OVERLAP, &overlap, &held_at, 0},
                       "%s acquires %s, which %s holds", check_task_text(c, overlap.task).text,
                       check_name_text(c, held_at.object).text, check_task_text(c, e->task).text);
        }
        c->holdings.at[index].overlap = (struct place){0};
    }
    c->tasks.at[e->task].has_overlap = false;
}

void check_lock_release_all(struct check *c, uint32_t task)
{
    uint32_t index = c->tasks.at[task].held_first;
    while (index != HOLDING_NONE) {
        const uint32_t next = c->holdings.at[index].task_next;
        const struct place held_at = c->holdings.at[index].at;
        check_tell(c, &(struct check_report){CHECK_LOCK_HELD, &held_at, NULL, 0},
                   "%s still holds %s at the end", check_task_text(c, task).text,
                   check_name_text(c, held_at.object).text);
        unlink_holding(c, index);
        index = next;
    }
    c->tasks.at[task].has_overlap = false;
}
