#include "random_trace.h"

#include <stdio.h>

#include "random_sim.h"

enum { ATTEMPTS_PER_EVENT = 60, ATOMICS = 2 };
enum { USES_LOCKS = RANDOM_LOCK | RANDOM_RWLOCK | RANDOM_WAIT };
/* The lock of a predicate, which no other action takes or releases; a condition of its name. */
enum { PREDICATE_LOCK = 100 };

uint32_t sim_below(struct sim *s, uint32_t bound)
{
    return (uint32_t)prng_below(s->prng, bound);
}

uint32_t sim_small_below(struct sim *s, uint32_t bound)
{
    return sim_below(s, sim_below(s, bound) + 1);
}

bool sim_one_in(struct sim *s, uint32_t n)
{
    return sim_below(s, n) == 0;
}

uint32_t sim_name(struct sim *s, const char *stem, uint32_t number)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%s%u", stem, number);
    return names_intern_text(&s->t->tables.names, text);
}

bool sim_is_shared(const struct sim *s, uint32_t number)
{
    return (s->shape->features & RANDOM_SHARED) != 0 && number % 2 == 0;
}

uint32_t sim_object(struct sim *s, const char *stem, uint32_t number)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%s%s", sim_is_shared(s, number) ? "shm:" : "", stem);
    return sim_name(s, text, number);
}

/* Whether both mean the same object by this number. */
static bool sees_same(const struct sim *s, const struct actor *a, const struct actor *b,
                      uint32_t number)
{
    return a->node == b->node || sim_is_shared(s, number);
}

void sim_emit(struct sim *s, struct actor *a, struct event e)
{
    e.task = a->task;
    trace_append(s->t, &e);
    a->may_begin_handler = e.kind == EVENT_RECV && !a->is_in_handler;
    a->last_was_in_handler = a->is_in_handler;
    a->has_events = true;
}

/* ---- locks ---- */

static bool mode_is_read(uint8_t mode)
{
    return mode == LOCK_RW_READ;
}

static bool actor_holds(const struct actor *a, uint32_t lock)
{
    if (a->waits_for == lock) {
        return false;
    }
    for (uint32_t i = 0; i < a->hold_count; i++) {
        if (a->holds[i].lock == lock) {
            return true;
        }
    }
    return false;
}

static bool actor_holds_alone(const struct actor *a, uint32_t lock)
{
    for (uint32_t i = 0; i < a->hold_count; i++) {
        if (a->holds[i].lock == lock && !mode_is_read(a->holds[i].mode)) {
            return a->waits_for != lock;
        }
    }
    return false;
}

static bool lock_is_free(const struct sim *s, const struct actor *a, uint32_t lock, uint8_t mode)
{
    if (actor_holds(a, lock)) {
        return mode_is_read(mode) || actor_holds_alone(a, lock);
    }
    for (uint32_t i = 0; i < s->actor_count; i++) {
        const struct actor *other = &s->actors[i];
        if (other != a && sees_same(s, other, a, lock) && actor_holds(other, lock) &&
            (!mode_is_read(mode) || actor_holds_alone(other, lock))) {
            return false;
        }
    }
    return true;
}

/* Locks with an odd number have read and write modes where the shape wants such locks. */
static bool try_lock(struct sim *s, struct actor *a)
{
    const uint32_t lock = sim_small_below(s, s->shape->lock_count);
    uint8_t mode = MODE_UNSAID;
    if ((s->shape->features & RANDOM_RWLOCK) != 0 && lock % 2 == 1) {
        mode = sim_one_in(s, 2) ? LOCK_RW_READ : LOCK_RW_WRITE;
    }
    if (a->hold_count == SIM_HOLDS_MAX || !lock_is_free(s, a, lock, mode)) {
        return false;
    }
    a->holds[a->hold_count++] =
        (struct hold){.lock = lock, .mode = mode, .is_in_handler = a->is_in_handler};
    sim_emit(s, a,
             (struct event){.kind = EVENT_LOCK, .mode = mode, .object = sim_object(s, "m", lock)});
    return true;
}

/* Usually the innermost, sometimes another one; a handler releases only its own locks. */
static bool try_unlock(struct sim *s, struct actor *a)
{
    if (a->hold_count == 0) {
        return false;
    }
    const uint32_t chosen = sim_one_in(s, 4) ? sim_below(s, a->hold_count) : a->hold_count - 1;
    if (a->holds[chosen].lock == PREDICATE_LOCK) {
        return false; /* its plan gives it back */
    }
    const struct hold hold = a->holds[chosen];
    if (hold.is_in_handler != a->is_in_handler) {
        return false;
    }
    for (uint32_t i = chosen; i + 1 < a->hold_count; i++) {
        a->holds[i] = a->holds[i + 1];
    }
    a->hold_count--;
    sim_emit(s, a,
             (struct event){
                 .kind = EVENT_UNLOCK, .mode = hold.mode, .object = sim_object(s, "m", hold.lock)});
    return true;
}

/* ---- memory ---- */

/* Updates and other writes of a variable that belongs to a lock which the actor holds; its reads
 * need no lock. Most updates are additions, which commute. */
static bool try_counter(struct sim *s, struct actor *a)
{
    static const uint8_t updates[] = {UPDATE_ADD, UPDATE_ADD, UPDATE_ADD, UPDATE_OR};
    const uint32_t lock =
        a->hold_count > 0 ? a->holds[sim_below(s, a->hold_count)].lock : sim_below(s, 2);
    const bool writes = lock < s->shape->lock_count && actor_holds_alone(a, lock);
    struct event e = {.kind = EVENT_READ,
                      .object = sim_object(s, "c", lock),
                      .location = sim_name(s, "C", lock * 4)};
    if (writes && !sim_one_in(s, 4)) {
        e.mode = updates[sim_below(s, sizeof updates / sizeof *updates)];
        sim_emit(s, a, e);
        e.location = sim_name(s, "C", lock * 4 + 1);
        e.kind = EVENT_WRITE;
    } else if (writes && sim_one_in(s, 2)) {
        e.location = sim_name(s, "C", lock * 4 + 2);
        e.kind = EVENT_WRITE;
    }
    sim_emit(s, a, e);
    return true;
}

/* Places repeat, so that pruning by place has something to prune. Where there are locks most
 * accesses are under one: else nearly every candidate would race. */
static bool try_access(struct sim *s, struct actor *a)
{
    if (a->hold_count == 0 && (s->shape->features & USES_LOCKS) != 0 && !sim_one_in(s, 4)) {
        return try_lock(s, a);
    }
    if ((s->shape->features & USES_LOCKS) != 0 && sim_one_in(s, 4)) {
        return try_counter(s, a);
    }
    const bool is_write = sim_one_in(s, 2);
    const uint32_t variable = sim_small_below(s, s->shape->variable_count);
    const uint32_t place = variable * 4 + (is_write ? 2 : 0) + sim_below(s, 2);
    sim_emit(s, a,
             (struct event){.kind = is_write ? EVENT_WRITE : EVENT_READ,
                            .object = sim_object(s, "x", variable),
                            .location = sim_name(s, "P", place)});
    return true;
}

/* Half of the read-modify-writes are blind, most of these additions, which commute. */
static uint8_t atomic_mode(struct sim *s, uint16_t kind)
{
    static const uint8_t updates[] = {UPDATE_ADD, UPDATE_ADD, UPDATE_ADD, UPDATE_ADD, UPDATE_OR,
                                      UPDATE_AND, UPDATE_XOR, UPDATE_SET, UPDATE_SET};
    if (kind != EVENT_ATOMIC_RMW || sim_one_in(s, 2)) {
        return (uint8_t)sim_below(s, MEMORY_SEQ_CST + 1);
    }
    const uint32_t chosen = sim_below(s, sizeof updates / sizeof *updates);
    return (uint8_t)(updates[chosen] + MEMORY_RELAXED + sim_below(s, MEMORY_SEQ_CST));
}

static bool try_atomic(struct sim *s, struct actor *a)
{
    static const uint16_t kinds[] = {EVENT_ATOMIC_LOAD, EVENT_ATOMIC_STORE, EVENT_ATOMIC_RMW,
                                     EVENT_ATOMIC_RMW};
    const uint16_t kind = kinds[sim_below(s, sizeof kinds / sizeof *kinds)];
    const bool is_mixed = sim_one_in(s, 2); /* other tasks touch them without the lock */
    const uint32_t variable = sim_small_below(s, s->shape->variable_count);
    sim_emit(s, a,
             (struct event){.kind = kind,
                            .mode = atomic_mode(s, kind),
                            .object = is_mixed ? sim_object(s, "x", variable)
                                               : sim_object(s, "a", sim_below(s, ATOMICS)),
                            .location = is_mixed ? sim_name(s, "Q", variable) : 0});
    return true;
}

/* ---- conditions ---- */

/* The condition of a lone WAIT_END is the lock itself, as for monitors. */
static uint32_t condition_of(struct sim *s, uint32_t lock, bool is_lone)
{
    return sim_object(s, is_lone ? "m" : "c", lock);
}

static bool try_wait(struct sim *s, struct actor *a)
{
    if (a->hold_count == 0) {
        return false;
    }
    const struct hold *hold = &a->holds[a->hold_count - 1];
    const bool is_lone = hold->lock % 2 == 0 && sim_one_in(s, 2);
    if (mode_is_read(hold->mode) || (is_lone && a->last_was_in_handler != a->is_in_handler)) {
        return false;
    }
    a->waits_for = hold->lock;
    a->is_woken = false;
    a->wait_is_lone = is_lone;
    if (!is_lone) {
        sim_emit(s, a,
                 (struct event){.kind = EVENT_WAIT_BEGIN,
                                .object = condition_of(s, hold->lock, false),
                                .text = sim_object(s, "m", hold->lock)});
    }
    return true;
}

static bool wait_is_on(const struct actor *waiter, uint32_t lock, bool is_lone)
{
    return waiter->waits_for == lock && waiter->wait_is_lone == is_lone;
}

/* Wakes one task that waits, or all; how many. */
static uint32_t wake(struct sim *s, const struct actor *a, uint32_t lock, bool is_lone,
                     bool wakes_all)
{
    const uint32_t first = sim_below(s, s->actor_count);
    uint32_t woken = 0;
    for (uint32_t i = 0; i < s->actor_count; i++) {
        struct actor *waiter = &s->actors[(first + i) % s->actor_count];
        if (sees_same(s, waiter, a, lock) && wait_is_on(waiter, lock, is_lone) &&
            !waiter->is_woken && (wakes_all || woken == 0)) {
            waiter->is_woken = true;
            woken++;
        }
    }
    return woken;
}

static void emit_notify(struct sim *s, struct actor *a, uint32_t condition, bool wakes_all)
{
    sim_emit(
        s, a,
        (struct event){.kind = wakes_all ? EVENT_BROADCAST : EVENT_SIGNAL, .object = condition});
}

static bool try_signal(struct sim *s, struct actor *a)
{
    const uint32_t lock = sim_small_below(s, s->shape->lock_count);
    const bool is_lone = lock % 2 == 0 && sim_one_in(s, 2);
    const bool is_broadcast = sim_one_in(s, 3);
    if (wake(s, a, lock, is_lone, is_broadcast) == 0 && !sim_one_in(s, 4)) {
        return false;
    }
    emit_notify(s, a, condition_of(s, lock, is_lone), is_broadcast);
    return true;
}

/* Rarely a wait ends although nobody woke it, more often one with a time limit. */
static bool try_return_from_wait(struct sim *s, struct actor *a)
{
    const uint32_t lock = a->waits_for;
    const uint32_t patience = a->has_time_limit ? 20 : 400;
    if ((!a->is_woken && !sim_one_in(s, patience)) || !lock_is_free(s, a, lock, MODE_UNSAID)) {
        return false;
    }
    a->waits_for = SIM_NONE;
    const uint32_t text = a->wait_is_lone ? 0 : sim_object(s, "m", lock);
    sim_emit(s, a,
             (struct event){.kind = EVENT_WAIT_END,
                            .object = condition_of(s, lock, a->wait_is_lone),
                            .text = text});
    return true;
}

/* ---- predicates ---- */

static void emit_predicate(struct sim *s, struct actor *a, uint16_t kind, uint32_t place)
{
    sim_emit(s, a,
             (struct event){.kind = kind,
                            .object = sim_object(s, "p", PREDICATE_LOCK),
                            .location = sim_name(s, "R", place)});
}

static bool *predicate_of(struct sim *s, const struct actor *a)
{
    return &s->predicate[sim_is_shared(s, PREDICATE_LOCK) ? 0 : a->node];
}

static bool plan_begin(struct sim *s, struct actor *a)
{
    if (a->hold_count == SIM_HOLDS_MAX || !lock_is_free(s, a, PREDICATE_LOCK, MODE_UNSAID)) {
        return false;
    }
    a->holds[a->hold_count++] =
        (struct hold){.lock = PREDICATE_LOCK, .is_in_handler = a->is_in_handler};
    sim_emit(s, a,
             (struct event){.kind = EVENT_LOCK, .object = sim_object(s, "m", PREDICATE_LOCK)});
    a->plan = sim_one_in(s, 2) ? PLAN_LOOK : PLAN_SET;
    return true;
}

/* Gives the lock back, after those that were taken since. */
static bool plan_leave(struct sim *s, struct actor *a)
{
    if (a->holds[a->hold_count - 1].lock != PREDICATE_LOCK) {
        return false;
    }
    a->hold_count--;
    sim_emit(s, a,
             (struct event){.kind = EVENT_UNLOCK, .object = sim_object(s, "m", PREDICATE_LOCK)});
    a->plan = a->plan == PLAN_LEAVE_AND_NOTIFY ? PLAN_NOTIFY : PLAN_NONE;
    return true;
}

static void plan_wait(struct sim *s, struct actor *a)
{
    a->waits_for = PREDICATE_LOCK;
    a->is_woken = false;
    a->wait_is_lone = false;
    a->has_time_limit = sim_one_in(s, 3);
    sim_emit(s, a,
             (struct event){.kind = EVENT_WAIT_BEGIN,
                            .object = condition_of(s, PREDICATE_LOCK, false),
                            .text = sim_object(s, "m", PREDICATE_LOCK)});
    a->plan = PLAN_LOOK;
}

static void plan_notify(struct sim *s, struct actor *a)
{
    const bool wakes_all = sim_one_in(s, 3);
    (void)wake(s, a, PREDICATE_LOCK, false, wakes_all);
    emit_notify(s, a, condition_of(s, PREDICATE_LOCK, false), wakes_all);
    a->plan = actor_holds(a, PREDICATE_LOCK) ? PLAN_LEAVE : PLAN_NONE;
}

/* A step of a loop that waits for a predicate, or of a task that makes it hold. */
static bool try_predicate(struct sim *s, struct actor *a)
{
    const bool is_handed_over = sim_one_in(s, 2); /* a task that sees it hold takes it */
    switch (a->plan) {
    case PLAN_NONE: return plan_begin(s, a);
    case PLAN_LOOK:
        emit_predicate(s, a, EVENT_READ, 0);
        a->plan = *predicate_of(s, a) ? PLAN_USE : PLAN_WAIT;
        return true;
    case PLAN_WAIT: plan_wait(s, a); return true;
    case PLAN_USE:
        if (is_handed_over) {
            *predicate_of(s, a) = false;
            emit_predicate(s, a, EVENT_WRITE, 1);
        }
        a->plan = PLAN_LEAVE;
        return is_handed_over;
    case PLAN_SET:
        *predicate_of(s, a) = true;
        emit_predicate(s, a, EVENT_WRITE, 2);
        a->plan = sim_one_in(s, 3) ? PLAN_LEAVE_AND_NOTIFY : PLAN_NOTIFY;
        return true;
    case PLAN_NOTIFY: plan_notify(s, a); return true;
    case PLAN_LEAVE:
    case PLAN_LEAVE_AND_NOTIFY: return plan_leave(s, a);
    }
    bug("a plan");
}

/* ---- tasks ---- */

static struct actor *actor_add(struct sim *s, uint32_t node, uint32_t parent)
{
    struct actor *a = &s->actors[s->actor_count];
    const uint32_t task =
        tables_task(&s->t->tables, sim_name(s, "n", node), sim_name(s, "T", s->actor_count));
    *a = (struct actor){.task = task, .node = node, .parent = parent, .waits_for = SIM_NONE};
    s->actor_count++;
    return a;
}

static bool try_create(struct sim *s, struct actor *a)
{
    if (s->actor_count == s->shape->task_max) {
        return false;
    }
    const uint32_t parent = (uint32_t)(a - s->actors);
    struct actor *child = actor_add(s, a->node, parent);
    child->is_silent = sim_one_in(s, 3);
    sim_emit(s, a,
             (struct event){.kind = EVENT_THREAD_CREATE, .has = HAS_PEER, .peer = child->task});
    return true;
}

static bool try_end(struct sim *s, struct actor *a)
{
    if (a->parent == SIM_NONE || a->hold_count > 0 || a->is_in_handler) {
        return false;
    }
    a->is_ended = true;
    if (!a->is_silent) {
        sim_emit(s, a, (struct event){.kind = EVENT_THREAD_END});
    }
    return true;
}

static bool try_join(struct sim *s, struct actor *a)
{
    struct actor *child = &s->actors[sim_below(s, s->actor_count)];
    if (!child->is_ended || child->is_joined || !sees_same(s, child, a, 0)) {
        return false;
    }
    child->is_joined = !sim_one_in(s, 4);
    sim_emit(s, a, (struct event){.kind = EVENT_THREAD_JOIN, .has = HAS_PEER, .peer = child->task});
    return true;
}

/* ---- the rest ---- */

/* The semaphore that is used as a lock: a task that waited posts. */
static bool try_binary_semaphore(struct sim *s, struct actor *a)
{
    bool *is_taken = &s->is_binary_taken[a->node]; /* of number 1: never shared */
    if (a->holds_binary ? a->holds_binary_in_handler != a->is_in_handler : *is_taken) {
        return false;
    }
    sim_emit(s, a,
             (struct event){.kind = a->holds_binary ? EVENT_SEM_POST : EVENT_SEM_WAIT,
                            .mode = a->holds_binary ? MODE_UNSAID : SEMAPHORE_BLOCKING,
                            .object = sim_name(s, "s", 1)});
    a->holds_binary = *is_taken = !a->holds_binary;
    a->holds_binary_in_handler = a->is_in_handler;
    return true;
}

static bool try_semaphore(struct sim *s, struct actor *a)
{
    int64_t *count = &s->semaphore[sim_is_shared(s, 0) ? 0 : a->node];
    const bool is_post = sim_one_in(s, 2);
    if (!is_post && *count == 0) {
        return false;
    }
    *count += is_post ? 1 : -1;
    sim_emit(s, a,
             (struct event){.kind = is_post ? EVENT_SEM_POST : EVENT_SEM_WAIT,
                            .object = sim_object(s, "s", 0)});
    return true;
}

/* A barrier for two: the second to arrive lets both go. */
static bool try_barrier(struct sim *s, struct actor *a)
{
    struct actor *first = NULL;
    for (uint32_t i = 0; i < s->actor_count; i++) {
        struct actor *other = &s->actors[i];
        if (!sees_same(s, other, a, 0) || !other->is_at_barrier) {
            continue;
        }
        if (other->may_leave_barrier) {
            return false;
        }
        first = other;
    }
    a->is_at_barrier = true;
    a->may_leave_barrier = first != NULL;
    if (first != NULL) {
        first->may_leave_barrier = true;
    }
    sim_emit(s, a, (struct event){.kind = EVENT_BARRIER_ENTER, .object = sim_object(s, "b", 0)});
    return true;
}

static bool try_leave_barrier(struct sim *s, struct actor *a)
{
    if (!a->may_leave_barrier) {
        return false;
    }
    a->is_at_barrier = false;
    a->may_leave_barrier = false;
    sim_emit(s, a, (struct event){.kind = EVENT_BARRIER_EXIT, .object = sim_object(s, "b", 0)});
    return true;
}

/* The first caller runs the routine, for some events; all others wait for it. */
static bool try_once(struct sim *s, struct actor *a)
{
    struct sim_once *once = &s->once[sim_is_shared(s, 0) ? 0 : a->node];
    struct event call = {.kind = EVENT_ONCE, .object = sim_object(s, "o", 0)};
    if (!once->is_begun) {
        *once =
            (struct sim_once){.is_begun = true, .task = a->task, .is_in_handler = a->is_in_handler};
        call.kind = EVENT_ONCE_BEGIN;
    } else if (!once->is_complete) {
        if (once->task != a->task || once->is_in_handler != a->is_in_handler) {
            return false;
        }
        once->is_complete = true;
    }
    sim_emit(s, a, call);
    return true;
}

/* A routine mostly reads and writes. */
static bool is_in_routine(const struct sim *s, const struct actor *a)
{
    const struct sim_once *once = &s->once[sim_is_shared(s, 0) ? 0 : a->node];
    return once->is_begun && !once->is_complete && once->task == a->task;
}

static bool try_note(struct sim *s, struct actor *a)
{
    static const uint16_t kinds[] = {EVENT_HAPPENS_BEFORE, EVENT_HAPPENS_AFTER, EVENT_ONCE,
                                     EVENT_LOG};
    const uint32_t chosen = sim_below(s, 4);
    const bool is_observed = chosen < 2 && sim_one_in(s, 3);
    sim_emit(s, a,
             (struct event){.kind = kinds[chosen],
                            .mode = is_observed ? ANNOTATION_OBSERVED : MODE_UNSAID,
                            .object = chosen < 3 ? sim_object(s, "h", chosen / 2) : 0});
    return true;
}

static const struct {
    unsigned feature;
    uint32_t weight;
    bool is_closing; /* also done when the execution is being finished */
    bool (*attempt)(struct sim *s, struct actor *a);
} actions[] = {
    {RANDOM_ACCESS, 8, false, try_access},
    {RANDOM_ATOMIC, 4, false, try_atomic},
    {USES_LOCKS, 3, false, try_lock},
    {USES_LOCKS, 6, true, try_unlock},
    {RANDOM_WAIT, 5, false, try_wait},
    {RANDOM_WAIT, 6, true, try_signal},
    {RANDOM_PREDICATE, 30, true, try_predicate},
    {RANDOM_THREAD, 3, false, try_create},
    {RANDOM_THREAD, 3, true, try_end},
    {RANDOM_THREAD, 10, false, try_join},
    {RANDOM_MESSAGE, 5, false, sim_try_send},
    {RANDOM_MESSAGE, 12, true, sim_try_receive},
    {RANDOM_STREAM, 10, false, sim_try_stream},
    {RANDOM_HANDLER, 14, false, sim_try_handler_begin},
    {RANDOM_HANDLER, 3, true, sim_try_handler_end},
    {RANDOM_SEMAPHORE, 4, false, try_semaphore},
    {RANDOM_SEMAPHORE, 4, true, try_binary_semaphore},
    {RANDOM_OTHER, 2, false, try_barrier},
    {RANDOM_OTHER, 2, false, try_note},
    {RANDOM_OTHER, 5, true, try_once},
};

enum { ACTION_COUNT = sizeof actions / sizeof *actions };

/* The next event of a task that waits or has not begun, if any; true if that decides its turn. */
static bool is_busy(struct sim *s, struct actor *a)
{
    if (a->is_ended) {
        return true;
    }
    if (!a->is_started) {
        a->is_started = true;
        if (!a->is_silent) {
            sim_emit(s, a, (struct event){.kind = EVENT_THREAD_START});
        }
        return true;
    }
    if (a->waits_for != SIM_NONE) {
        (void)try_return_from_wait(s, a);
        return true;
    }
    if (a->is_at_barrier) {
        (void)try_leave_barrier(s, a);
        return true;
    }
    return false;
}

static void turn(struct sim *s, bool is_closing)
{
    /* Tasks run for a while, as they do. */
    if (sim_one_in(s, 2)) {
        s->turn_of = sim_below(s, s->actor_count);
    }
    struct actor *a = &s->actors[s->turn_of];
    if (is_busy(s, a)) {
        return;
    }
    if (is_in_routine(s, a) && !is_closing && !sim_one_in(s, 4)) {
        (void)(sim_one_in(s, 3) ? try_once(s, a) : try_access(s, a));
        return;
    }
    uint32_t total = 0;
    uint32_t weights[ACTION_COUNT];
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        const bool is_wanted = (actions[i].feature & s->shape->features) != 0 &&
                               (!is_closing || actions[i].is_closing);
        weights[i] = is_wanted ? actions[i].weight : 0;
        total += weights[i];
    }
    if (total == 0) {
        return;
    }
    uint32_t at = sim_below(s, total);
    size_t chosen = 0;
    while (at >= weights[chosen]) {
        at -= weights[chosen++];
    }
    (void)actions[chosen].attempt(s, a);
}

void random_trace(struct trace *t, struct prng *prng, const struct random_shape *shape)
{
    must(shape->node_count > 0);
    struct sim s = {.t = t, .prng = prng, .shape = shape};
    trace_init(t);
    t->tables.order = ORDER_EXACT;
    for (uint32_t i = 0; i < shape->node_count; i++) {
        s.semaphore[i] = sim_below(&s, 3);
    }
    for (uint32_t i = 0; i < shape->root_count; i++) {
        struct actor *root = actor_add(&s, i % shape->node_count, SIM_NONE);
        root->is_started = true;
        const uint32_t semaphore_count = sim_is_shared(&s, 0) ? 1 : shape->node_count;
        if (i < semaphore_count && (shape->features & RANDOM_SEMAPHORE) != 0 && sim_one_in(&s, 2)) {
            sim_emit(&s, root,
                     (struct event){.kind = EVENT_SEM_INIT,
                                    .has = HAS_VALUE,
                                    .object = sim_object(&s, "s", 0),
                                    .value = s.semaphore[i]});
        }
    }
    const uint32_t attempts = shape->event_count * ATTEMPTS_PER_EVENT;
    for (uint32_t i = 0; i < attempts && t->events.count < shape->event_count; i++) {
        turn(&s, false);
    }
    for (uint32_t i = 0; shape->is_finished && i < attempts; i++) {
        if (t->events.count >= shape->event_count + shape->event_count / 2) {
            break;
        }
        turn(&s, true);
    }
    vec_release(&s.datagrams);
    trace_seal(t);
}

struct random_shape random_shape(struct prng *prng, uint32_t event_count)
{
    /* Few features at a time: in a small trace many of them would hardly ever meet. */
    static const unsigned themes[] = {
        RANDOM_LOCK,
        RANDOM_LOCK | RANDOM_RWLOCK,
        RANDOM_LOCK | RANDOM_THREAD,
        RANDOM_LOCK | RANDOM_WAIT,
        RANDOM_MESSAGE | RANDOM_HANDLER,
        RANDOM_MESSAGE | RANDOM_HANDLER | RANDOM_LOCK,
        RANDOM_STREAM,
        RANDOM_STREAM | RANDOM_HANDLER | RANDOM_LOCK,
        RANDOM_MESSAGE | RANDOM_LOCK,
        RANDOM_ATOMIC | RANDOM_LOCK,
        RANDOM_OTHER,
        RANDOM_SEMAPHORE,
        RANDOM_SEMAPHORE | RANDOM_MESSAGE | RANDOM_HANDLER,
        RANDOM_ALL,
    };
    const size_t theme = (size_t)prng_below(prng, sizeof themes / sizeof *themes);
    struct random_shape shape = {
        .event_count = event_count,
        .node_count = 1 + (uint32_t)(prng_below(prng, 3) == 0),
        .root_count = 1 + (uint32_t)prng_below(prng, 3),
        .variable_count = 1 + (uint32_t)prng_below(prng, 2),
        .lock_count = 1 + (uint32_t)prng_below(prng, 3),
        .features = RANDOM_ACCESS | themes[theme],
        .is_finished = prng_below(prng, 2) == 0,
    };
    /* Some of those that wait do so for a predicate, with nothing else in the way. */
    if (themes[theme] == (RANDOM_LOCK | RANDOM_WAIT) && shape.lock_count == 1) {
        shape.features = RANDOM_ACCESS | RANDOM_PREDICATE;
    }
    /* Two tasks on each node, or nothing would be shared. */
    if ((shape.features & RANDOM_THREAD) == 0 && shape.root_count < 2 * shape.node_count) {
        shape.root_count = 2 * shape.node_count;
    }
    if (shape.node_count > 1 && prng_below(prng, 2) == 0) {
        shape.features |= RANDOM_SHARED;
    }
    shape.task_max = shape.root_count + 2;
    return shape;
}
