/* Who goes next. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>

#include "pick/fixed_table.h"
#include "pick/operation_name.h"
#include "runtime/control/hooks/syscall_dispatch.h"
#include "runtime/control/model/call_stack.h"
#include "runtime/control/model/call_tree.h"
#include "runtime/control/model/description_lock.h"
#include "runtime/control/model/pending_signals.h"
#include "runtime/control/model/timers.h"
#include "runtime/control/sched/gdb_stops.h"
#include "runtime/control/sched/objects_touched.h"
#include "runtime/control/sched/outside.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/control/sched/shared_segment.h"
#include "runtime/control/sched/watched_variables.h"
#include "runtime/shared/raw_syscall.h"
#include "wire/must.h"

enum { OCCURRENCES_MAX = 1 << 16 };
enum { STEPS_MAX = CONTROL_STEPS_SIZE / sizeof(struct control_step) };

/* Where tasks wait for each other: an address of a process, or a place in memory that processes
 * share. */
struct meeting {
    const volatile void *object;
    uint64_t shared; /* object_shared; 0: it is the process's own */
    uint32_t process;
};

/* A signal that somebody may still take: one who waited before it was given. */
struct grant {
    struct meeting at;
    uint64_t stamp;
};

/* Whose an operation is, and what it is about. */
struct offer {
    struct task *task;
    int signal;       /* it would take this one; 0: it would do as it says */
    bool is_spurious; /* its wait would end without a signal */
};

/* What a run needs to choose; in the segment, because every process chooses. */
static struct board {
    struct pick *pick;
    uint64_t steps;   /* taken so far */
    uint64_t choices; /* of them, those that were chosen and did not pass */
    uint64_t turns;   /* acts said so far: the order of waits and signals */
    uint64_t changes;
    uint64_t changed_last; /* the step of the last of them */
    uint32_t offer_count;
    uint32_t grant_count;
    uint32_t current; /* number of the task whose step it is */
    uint64_t pending_count;
    bool is_learned;            /* what the step under way covers is known to pick */
    struct pick_operation done; /* the step under way */
    /* What is above is zero when a run begins. */
    struct table occurrences; /* of actions, done */
    struct pick_operation offered[CONTROL_OFFERS_MAX];
    struct offer offers[CONTROL_OFFERS_MAX];
    struct grant grants[CONTROL_TASKS_MAX];
} * board;

static struct control_step *steps(void)
{
    return control_region(CONTROL_PLACE(STEPS));
}

void sched_start(void)
{
    board = segment_take(sizeof *board);
    void *entries = segment_take(table_entries(OCCURRENCES_MAX) * sizeof(struct table_entry));
    if (board->occurrences.entries == NULL) {
        table_init(&board->occurrences, entries, OCCURRENCES_MAX);
    }
}

void sched_begin(const struct pick_plan *plan, struct pick *pick)
{
    memset(board, 0, offsetof(struct board, occurrences));
    board->pick = pick;
    board->is_learned = true;
    table_clear(&board->occurrences);
    pick_begin(pick, plan);
}

struct task *sched_chosen(void)
{
    return &tasks[board->current];
}

void sched_changed(void)
{
    board->changes++;
    board->changed_last = board->steps;
}

uint64_t sched_stamp(void)
{
    return board->changes;
}

/* Conditions */

/* The caller's process sees the object there. */
static struct meeting meeting_at(const volatile void *object)
{
    return (struct meeting){
        .object = object, .shared = object_shared(object), .process = process_self->number};
}

static struct meeting meeting_of(const struct task *t)
{
    return (struct meeting){
        .object = t->act.object, .shared = t->shared_object, .process = t->process};
}

static bool is_same(const struct meeting *a, const struct meeting *b)
{
    return a->shared != 0 ? a->shared == b->shared
                          : b->shared == 0 && a->object == b->object && a->process == b->process;
}

static bool waits_at(const struct task *t, const struct meeting *at)
{
    const struct meeting of_task = meeting_of(t);
    return is_same(&of_task, at);
}

static struct grant *grant_for(const struct task *t)
{
    const struct meeting at = meeting_of(t);
    struct grant *found = NULL;
    for (uint32_t i = 0; i < board->grant_count; i++) {
        struct grant *g = &board->grants[i];
        if (is_same(&g->at, &at) && g->stamp > t->since &&
            (found == NULL || g->stamp < found->stamp)) {
            found = g;
        }
    }
    return found;
}

static void grant_drop(struct grant *g)
{
    *g = board->grants[--board->grant_count];
}

/* Those who began to wait until then. */
static uint32_t count_waiters(const struct meeting *condition, uint64_t until)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < task_live_count; i++) {
        const struct task *t = task_live[i];
        count += t->act.wait == WAIT_CONDITION && waits_at(t, condition) && t->since <= until;
    }
    return count;
}

/* Those that were given until then. */
static uint32_t count_grants(const struct meeting *condition, uint64_t until)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < board->grant_count; i++) {
        const struct grant *g = &board->grants[i];
        count += is_same(&g->at, condition) && g->stamp <= until;
    }
    return count;
}

/* Of all that could be given now, how many would be taken. */
static uint32_t count_missing(const struct meeting *condition)
{
    return count_waiters(condition, board->turns) - count_grants(condition, board->turns);
}

/* A signal that nobody waits for is lost. Which of those who wait takes it is chosen with the next
 * steps: the first of them to go on. */
static bool grant(const struct meeting *condition)
{
    const bool is_missing = count_missing(condition) > 0;
    if (is_missing) {
        must(board->grant_count < CONTROL_TASKS_MAX);
        board->grants[board->grant_count++] =
            (struct grant){.at = *condition, .stamp = ++board->turns};
    }
    return is_missing;
}

void sched_signal(const volatile void *condition)
{
    const struct meeting at = meeting_at(condition);
    (void)grant(&at);
}

void sched_broadcast(const volatile void *condition)
{
    const struct meeting at = meeting_at(condition);
    while (grant(&at)) {
    }
}

/* One who waits no more without having taken a signal leaves none behind that nobody can take: of
 * those given until some moment there are never more than of those who waited then. */
static void drop_excess(const volatile void *object)
{
    const struct meeting at = meeting_at(object);
    for (uint32_t i = 0; i < board->grant_count;) {
        struct grant *g = &board->grants[i];
        if (is_same(&g->at, &at) && count_grants(&at, g->stamp) > count_waiters(&at, g->stamp)) {
            grant_drop(g);
        } else {
            i++;
        }
    }
}

uint32_t sched_wake(const volatile void *object, uint32_t most)
{
    const struct meeting at = meeting_at(object);
    uint32_t woken = 0;
    for (uint32_t i = 0; i < task_live_count && woken < most; i++) {
        struct task *t = task_live[i];
        if ((t->act.wait == WAIT_WAKE || t->act.wait == WAIT_BARRIER) && waits_at(t, &at) &&
            !t->is_woken) {
            t->is_woken = true;
            woken++;
        }
    }
    return woken;
}

/* What could be next */

/* Whether it goes on to its end, whatever it waits for. */
static bool is_cancelled(const struct task *t)
{
    return t->is_cancelled && (t->act.is_cancellable || t->is_cancel_prompt) && !t->is_cancel_off;
}

/* Descriptors of another process are looked at by that process, once after each step that may have
 * changed something. */
static bool is_readable(const struct task *t)
{
    if (t->process == process_self->number) {
        return sys_poll(t->act.descriptors, t->act.descriptor_count, 0) > 0;
    }
    if (t->looked != run_state->io_stamp) {
        process_look(t);
    }
    return t->is_there;
}

static bool is_ready(const struct task *t)
{
    if (is_cancelled(t)) {
        return t->act.wait != WAIT_CONDITION || lock_is_ready(t);
    }
    switch (t->act.wait) {
    case WAIT_NOTHING: return true;
    case WAIT_TASK: return tasks[t->act.peer].state == TASK_ENDED;
    case WAIT_CONDITION: return grant_for(t) != NULL && lock_is_ready(t);
    case WAIT_BARRIER:
    case WAIT_WAKE: return t->is_woken;
    case WAIT_TIME: return false;
    case WAIT_SIGNAL: return (signals_pending(t) & t->signals_awaited) != 0;
    case WAIT_READY: return is_readable(t);
    case WAIT_CHILD: return process_has_child_event(t);
    case WAIT_IMAGE: return process_has_image(t->act.child);
    case WAIT_FILE_LOCK: return file_lock_is_ready(&tasks[t->number]);
    case WAIT_MUTEX:
    case WAIT_SEMAPHORE:
    case WAIT_READ:
    case WAIT_WRITE:
    case WAIT_SPIN:
    case WAIT_STREAM:
    case WAIT_ONCE: return lock_is_ready(t);
    }
    return false;
}

static void name_operation(struct pick_operation *o, const struct task *t, uint16_t kind,
                           const struct object *object)
{
    o->kind = kind;
    o->place = name_of_place(t->place, kind);
    o->action = name_of_operations(name_text("", 0), t->path_name, kind, object->name);
    const uint64_t *done = table_get(&board->occurrences, o->action);
    o->occurrence = done == NULL ? 1 : (uint32_t)*done + 1;
    o->name = name_occurrence(o->action, o->occurrence);
}

static void offer(struct task *t, const struct pick_operation *o)
{
    board->offered[board->offer_count] = *o;
    board->offers[board->offer_count++] = (struct offer){.task = t};
}

static struct object object_of_signal(int signal)
{
    return object_of_kind(CONTROL_SIGNAL, (uint32_t)signal, 0);
}

/* A signal that is there for the task is taken first, unless somebody wants it otherwise. */
static void offer_signal(struct task *t)
{
    const int signal = signals_due(t);
    if (signal == 0) {
        return;
    }
    struct pick_operation o = {.task = t->number, .objects = {PICK_EVERYTHING}, .writes = 1};
    const struct object object = object_of_signal(signal);
    name_operation(&o, t, EVENT_HANDLER_BEGIN, &object);
    offer(t, &o);
    board->offers[board->offer_count - 1].signal = signal;
}

/* Idle: it would only find what it found before. */
static bool is_idle(const struct task *t)
{
    return t->act.is_idle && t->idle_stamp == board->changes;
}

static bool is_sooner(const struct task *t, const struct task *next)
{
    return next == NULL || t->act.deadline < next->act.deadline ||
           (t->act.deadline == next->act.deadline && t->since < next->since);
}

/* The first deadline, of timers and of those who have nothing else to go on with. */
static struct task *next_timer(void)
{
    struct task *next = NULL;
    for (uint32_t i = 0; i < task_live_count; i++) {
        struct task *t = task_live[i];
        if (t->act.deadline != 0 && is_sooner(t, next) && !is_ready(t)) {
            next = t;
        }
    }
    for (uint32_t i = 0; i < timer_armed->count; i++) {
        next = is_sooner(timer_armed->tasks[i], next) ? timer_armed->tasks[i] : next;
    }
    return next;
}

uint64_t sched_next_deadline(void)
{
    const struct task *next = next_timer();
    return next == NULL ? UINT64_MAX : next->act.deadline;
}

bool sched_has_others(void)
{
    for (uint32_t i = 0; i < task_live_count; i++) {
        const struct task *t = task_live[i];
        if (t != control_self && t->act.kind != 0 && (is_ready(t) || signals_due(t) != 0)) {
            return true;
        }
    }
    return next_timer() != NULL;
}

static void offer_if(struct task *t, bool wants_idle)
{
    if (!wants_idle) {
        offer_signal(t);
    }
    if (is_idle(t) != wants_idle) {
        control->result.has_idled |= !wants_idle;
    } else if (is_ready(t)) {
        offer(t, &t->pending);
    }
}

/* Waits for conditions that may end without a signal, each task's a few times. They come last in
 * the default order. Where nobody else can go on, the tasks are in a deadlock: nothing promises a
 * spurious wake-up. */
static void offer_spurious(void)
{
    const uint32_t others = board->offer_count;
    for (uint32_t i = 0; i < task_live_count && others > 0; i++) {
        struct task *t = task_live[i];
        if (t->act.wait == WAIT_CONDITION && t->spurious_count < control->spurious_max &&
            !is_ready(t) && lock_is_ready(t)) {
            offer(t, &t->pending);
            board->offers[board->offer_count - 1].is_spurious = true;
        }
    }
}

/* In the default order: whoever goes on, the others by age, the next timer; those who are idle only
 * when there is nobody else. */
static void list(struct task *me)
{
    board->offer_count = 0;
    for (int idle = 0; idle < 2 && board->offer_count == 0; idle++) {
        if (me->state == TASK_LIVE) {
            offer_if(me, idle == 1);
        }
        for (uint32_t i = 0; i < task_live_count; i++) {
            if (task_live[i] != me) {
                offer_if(task_live[i], idle == 1);
            }
        }
        struct task *timer = idle == 0 ? next_timer() : NULL;
        if (timer != NULL) {
            offer(timer, timer->act.wait == WAIT_TIME ? &timer->pending : &timer->timeout);
        }
    }
    if (control->spurious_max > 0) {
        offer_spurious();
    }
}

/* Choosing */

/* False when there is no room for them. */
static bool keep_pending(struct control_step *s)
{
    const size_t most = CONTROL_PENDING_SIZE / sizeof(struct pick_operation);
    if (board->pending_count + board->offer_count > most) {
        return false;
    }
    struct pick_operation *kept = control_region(CONTROL_PLACE(PENDING));
    memcpy(kept + board->pending_count, board->offered,
           board->offer_count * sizeof *board->offered);
    s->pending_first = (uint32_t)board->pending_count;
    s->pending_count = board->offer_count;
    board->pending_count += board->offer_count;
    return true;
}

static bool has_peer(const struct act *a)
{
    return a->is_of_task || a->kind == EVENT_TIMER_SET;
}

void sched_joined(uint32_t task)
{
    if (board->steps > 0) {
        struct control_step *s = &steps()[board->steps - 1];
        s->traced = EVENT_THREAD_JOIN;
        s->peer = task;
    }
}

/* A signal is traced when its handler begins, a deadline by its timer; else the act says. */
static uint16_t traced_kind(const struct act *a, const struct pick_operation *o, int signal)
{
    if (signal != 0 || (a->is_untraced && o->kind == a->kind)) {
        return 0;
    }
    return (uint16_t)(o->kind == a->kind && a->traced != 0 ? a->traced : o->kind);
}

/* The lock of a wait; of a lock that ends a wait, the condition. */
static struct control_object second_object(const struct act *a)
{
    const volatile void *second = a->condition != NULL ? a->condition : a->second;
    if (second == NULL) {
        return (struct control_object){0};
    }
    const struct object o = object_of(second, a->place);
    return (struct control_object){
        .key = o.key, .ordinal = o.ordinal, .offset = o.offset, .owner = o.owner};
}

static void note_step(uint32_t choice)
{
    struct task *t = board->offers[choice].task;
    const struct pick_operation *o = &board->offered[choice];
    const int signal = board->offers[choice].signal;
    const struct object object = signal == 0 ? t->object : object_of_signal(signal);
    struct control_step *s = &steps()[board->steps++];
    *s = (struct control_step){.name = o->name,
                               .action = o->action,
                               .key = object.key,
                               .owner = object.owner,
                               .ordinal = object.ordinal,
                               .offset = object.offset,
                               .place = t->place,
                               .address = object.block == 0 ? (uintptr_t)t->act.object : 0,
                               .task = t->number,
                               .peer = has_peer(&t->act) ? t->act.peer : NOBODY,
                               .objects = {o->objects[0], o->objects[1]},
                               .region = o->region,
                               .begin = o->begin,
                               .end = o->end,
                               .needs = o->needs,
                               .gives = o->gives,
                               .is_access = o->is_access,
                               .has_surplus = lock_has_surplus(t),
                               .occurrence = o->occurrence,
                               .choice = choice,
                               .size = t->act.size,
                               .kind = o->kind,
                               .writes = o->writes,
                               .mode = t->act.mode,
                               .traced = traced_kind(&t->act, o, signal),
                               .second = second_object(&t->act)};
    callers_describe(t, s);
    if (control->plan.wants_pending != 0 && !keep_pending(s)) {
        control_end(&(struct ending){.end = CONTROL_LIMITED});
    }
    /* With each step, because a process that hangs or is killed says no more. */
    control->result.pending_count = board->pending_count;
    control->result.pending_last = board->pending_count;
    control->result.step_count = board->steps;
    uint64_t *done = table_slot(&board->occurrences, o->action, 0);
    if (done != NULL) {
        *done = o->occurrence;
    }
}

void sched_value(int64_t value)
{
    if (board->steps > 0) {
        steps()[board->steps - 1].value = value;
        steps()[board->steps - 1].has_value = 1;
    }
}

/* The step under way; NULL while the caller's operations are no steps. */
static struct control_step *own_step(void)
{
    return control_is_mine() && board->steps > 0 ? &steps()[board->steps - 1] : NULL;
}

void sched_traced(enum event_kind kind)
{
    struct control_step *s = own_step();
    if (s != NULL) {
        s->traced = (uint16_t)kind;
    }
}

void sched_refused(void)
{
    struct control_step *s = own_step();
    if (s != NULL) {
        s->traced = 0;
    }
}

void sched_mode(uint8_t mode)
{
    struct control_step *s = own_step();
    if (s != NULL) {
        s->mode = mode;
    }
}

uint64_t sched_step(void)
{
    return own_step() == NULL ? UINT64_MAX : board->steps - 1;
}

void sched_report(enum event_kind kind, uint64_t step)
{
    if (step < board->steps) {
        control_report(kind, "", (int64_t)step, NULL);
    }
}

/* The mode of a load, or of a read-modify-write, once an acquiring fence has followed it. */
static uint8_t acquiring(uint8_t mode)
{
    const uint8_t order = mode & MEMORY_ORDER_MASK;
    const uint8_t operation = mode & MEMORY_UPDATE_MASK;
    return order == MEMORY_RELAXED   ? operation | MEMORY_ACQUIRE
           : order == MEMORY_RELEASE ? operation | MEMORY_ACQ_REL
                                     : mode;
}

void sched_acquire(void)
{
    struct task *me = control_self;
    for (uint64_t i = me->fence_step; i < board->steps; i++) {
        struct control_step *s = &steps()[i];
        if (s->task == me->number &&
            (s->traced == EVENT_ATOMIC_LOAD || s->traced == EVENT_ATOMIC_RMW)) {
            s->mode = acquiring(s->mode);
        }
    }
    me->fence_step = board->steps;
}

/* All that ran since the last choice belongs to what was chosen. */
static void learn(void)
{
    const struct pick_block *blocks = NULL;
    const uint32_t count = cover_take(&blocks);
    cover_report(blocks, count);
    if (!board->is_learned) {
        pick_learn(board->pick, &board->done, blocks, count);
        board->is_learned = true;
    }
    if (board->steps > 0) {
        steps()[board->steps - 1].state = cover_state();
    }
}

/* Whether what a task does once it was chosen for this can change no descriptor before it says the
 * next. */
static bool is_of_memory(uint16_t kind)
{
    switch (kind) {
    case EVENT_READ:
    case EVENT_WRITE:
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW:
    case EVENT_LOCK:
    case EVENT_UNLOCK:
    case EVENT_SEM_POST:
    case EVENT_SEM_WAIT:
    case EVENT_ALLOC:
    case EVENT_FREE: return true;
    default: return false;
    }
}

static void note_change(const struct task *t, const struct pick_operation *o)
{
    run_state->io_stamp += !is_of_memory(o->kind);
    if (o->writes != 0 && !t->act.is_unsure) {
        sched_changed();
    }
}

/* An access that is no point for the plan is a step, the default one, but nothing is chosen: the
 * caller goes on. True when that is so. What it covers belongs to what was chosen last. */
static bool pass(struct task *me)
{
    if (control->plan.points_number == 0 || control->plan.wants_pending != 0 ||
        me->act.wait != WAIT_NOTHING || me->act.is_idle || is_cancelled(me) ||
        board->steps >= STEPS_MAX || signals_due(me) != 0 ||
        !pick_pass(board->pick, &me->pending)) {
        return false;
    }
    board->offer_count = 0;
    offer(me, &me->pending);
    note_step(0);
    note_change(me, &me->pending);
    me->signal = 0;
    me->is_timed_out = false;
    return true;
}

/* The step of whoever was chosen, or of the timer that was. */
static struct task *choose_one(struct task *me)
{
    learn();
    list(me);
    while (board->offer_count == 0 && !outside_is_pointless() && outside_await()) {
        list(me);
    }
    if (board->offer_count == 0 && outside_is_pointless()) {
        process_end_run();
    }
    if (board->offer_count == 0) {
        control_end(&(struct ending){.end = CONTROL_DEADLOCKED});
    }
    if (board->choices >= control->plan.steps_max || board->steps >= STEPS_MAX) {
        /* Whoever can go on only looks, and has done so for long, not for somebody to connect. */
        const bool is_stuck = board->steps - board->changed_last > board->steps / 2 &&
                              control->result.has_listened <= control->result.has_accepted;
        control_end(&(struct ending){.end = is_stuck ? CONTROL_LIVELOCKED : CONTROL_LIMITED});
    }
    const int choice = pick_choose(board->pick, board->offered, board->offer_count);
    if (choice < 0) {
        control_end(&(struct ending){.end = CONTROL_STOPPED, .value = choice});
    }
    board->choices++;
    struct task *t = board->offers[choice].task;
    note_step((uint32_t)choice);
    t->signal = board->offers[choice].signal;
    const bool is_spurious = board->offers[choice].is_spurious;
    t->spurious_count += is_spurious;
    t->is_timed_out = t->signal == 0 && !is_spurious && t->act.deadline != 0 && !is_ready(t);
    if (t->is_timed_out) {
        control_clock = control_clock < t->act.deadline ? t->act.deadline : control_clock;
        control->result.has_looked = 1;
    }
    note_change(t, &board->offered[choice]);
    board->current = t->number;
    board->done = board->offered[choice];
    board->is_learned = control->plan.is_learning == 0;
    return t;
}

/* Timers fire by themselves; then somebody is chosen again. */
static struct task *choose(struct task *me)
{
    struct task *t = choose_one(me);
    while (t->timer != NULL) {
        timer_fire(t->timer);
        t = choose_one(me);
    }
    return t;
}

/* Saying what one is about to do */

static struct object object_of_act(const struct act *a)
{
    if (a->is_of_task) {
        return object_of_task(a->peer);
    }
    if (a->is_of_time) {
        return object_of_time();
    }
    if (a->known != NULL) {
        return *a->known;
    }
    return a->object != NULL ? object_of(a->object, a->place)
                             : (struct object){.name = name_text("", 0)};
}

void sched_say(struct task *t, const struct act *act)
{
    t->act = *act;
    t->place = control_place(act->place);
    t->since = ++board->turns;
    t->is_woken = false;
    t->idle_stamp = board->changes;
    t->object = object_of_act(act);
    t->shared_object = process_of(t)->maps_shared ? object_shared(act->object) : 0;
    t->shared_second = process_of(t)->maps_shared ? object_shared(act->second) : 0;
    t->looked = 0;
    t->pending = (struct pick_operation){.task = t->number};
    name_operation(&t->pending, t, (uint16_t)act->kind, &t->object);
    objects_touched(&t->pending, t);
    if (act->deadline != 0 && act->wait != WAIT_TIME) {
        t->timeout = t->pending;
        t->timeout.needs = 0;
        name_operation(&t->timeout, t, EVENT_TIMER_FIRE, &t->object);
    }
}

/* Until the caller is chosen. */
static void go(struct task *me)
{
    if (!pass(me)) {
        struct task *next = choose(me);
        if (next != me) {
            task_switch(me, next);
        }
    }
    if (control->stop_count != 0) {
        stop_step(board->steps, me->act.place);
    }
    trap_on();
}

bool sched_is_interrupted(void)
{
    return control_self->is_interrupted;
}

static bool take(const struct act *act)
{
    struct task *me = control_self;
    if (!control_is_on || me->ignore > 0) {
        return true;
    }
    bulk_settle();
    if (act->size == 0 && act->object != NULL && !act->is_of_task && !act->is_of_time) {
        memory_check(act->object, 1); /* a lock may lie in memory that was freed */
    }
    me->is_interrupted = false;
    watch_look(act->place);
    sched_say(me, act);
    go(me);
    while (me->signal != 0) {
        const uint64_t since = me->since;
        me->act = (struct act){0};
        if (act->wait == WAIT_CONDITION) {
            drop_excess(act->object);
        }
        const bool goes_on = signals_take(me->signal);
        me = control_self; /* the handler may have forked, and come back in the child */
        if (act->interruption == INTERRUPTED_ALWAYS ||
            (act->interruption == INTERRUPTED_MAYBE && !goes_on)) {
            me->is_interrupted = true;
            return false;
        }
        sched_say(me, act);
        me->since = since;
        go(me);
    }
    const bool is_given_up = me->is_timed_out && me->act.wait != WAIT_TIME;
    if (is_cancelled(me) && act->wait != WAIT_CONDITION) {
        sched_refused(); /* the task ends instead; one who waited for a condition has its lock */
    }
    struct grant *taken =
        act->wait == WAIT_CONDITION && !is_given_up && !is_cancelled(me) ? grant_for(me) : NULL;
    if (taken != NULL) {
        grant_drop(taken);
    }
    me->act = (struct act){0};
    if (act->wait == WAIT_CONDITION && taken == NULL) {
        drop_excess(act->object);
    }
    if (me->is_cancel_prompt && !act->is_cancellable) {
        task_test_cancel();
    }
    return !is_given_up;
}

/* A point in the middle of the program's code leaves its errno alone. */
bool sched_take(const struct act *act)
{
    const int saved = errno;
    const bool is_done = take(act);
    errno = saved;
    return is_done;
}

void sched_leave(void)
{
    struct task *me = control_self;
    struct task *next = choose(me);
    task_switch(me, next);
}

/* The end, told */

static void tell_task(struct control_stand *stand, const struct task *t)
{
    *stand = (struct control_stand){.task = t->number,
                                    .holder = lock_holder(t),
                                    .object = t->object.key,
                                    .owner = t->object.owner,
                                    .ordinal = t->object.ordinal,
                                    .offset = t->object.offset,
                                    .place = t->place,
                                    .kind = t->pending.kind,
                                    .is_running = t->act.kind == 0,
                                    .is_waiting = t->act.kind != 0 && !is_ready(t)};
}

/* What each task would have done next, behind what was pending before. */
static void tell_unfinished(void)
{
    board->offer_count = 0;
    for (uint32_t i = 0; i < task_live_count; i++) {
        if (task_live[i]->act.kind != 0) {
            offer(task_live[i], &task_live[i]->pending);
        }
    }
    struct control_step ignored;
    if (keep_pending(&ignored)) {
        control->result.pending_count = board->pending_count;
    }
}

/* Why nobody goes on is in the calls of all. */
static void tell_calls(const void *interrupted)
{
    struct control_result *r = &control->result;
    for (uint32_t i = 0; i < r->stand_count; i++) {
        struct control_stand *s = &r->stands[i];
        if (task_live[i] == control_self) {
            s->call_count = stack_take(s->calls, CONTROL_CALLS_MAX, interrupted);
            stack_tag(s->calls, s->call_count);
        } else {
            s->call_count = task_calls(task_live[i], s->calls, CONTROL_CALLS_MAX);
        }
    }
}

void sched_tell(const void *interrupted)
{
    struct control_result *r = &control->result;
    r->pending_count = board->pending_count;
    r->pending_last = board->pending_count;
    r->task = board->current;
    r->where = pick_where(board->pick);
    r->constraint_left = pick_unsatisfied(board->pick);
    r->stand_count = 0;
    for (uint32_t i = 0; i < task_live_count && i < CONTROL_STANDS_MAX; i++) {
        tell_task(&r->stands[r->stand_count++], task_live[i]);
    }
    if (r->end == CONTROL_DEADLOCKED || r->end == CONTROL_LIVELOCKED || r->end == CONTROL_HUNG ||
        r->end == CONTROL_WAITED) {
        tell_calls(interrupted);
    }
    if (control->plan.wants_pending != 0) {
        tell_unfinished();
    }
    learn();
    pick_end(board->pick);
}
