/* Tasks: their paths, their beginning and their end, and how the turn goes from one to another. */
#include "runtime/control/sched/task.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pick/operation_name.h"
#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/hooks/syscall_dispatch.h"
#include "runtime/control/model/call_stack.h"
#include "runtime/control/model/call_tree.h"
#include "runtime/control/model/pending_signals.h"
#include "runtime/control/sched/gdb_stops.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/control/sched/shared_segment.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"
#include "wire/must.h"

struct task *tasks;
__thread struct task *control_self;

/* The first task's own values as they were before any run. */
static const void *first_values[KEYS_MAX];

static char (*paths(void))[CONTROL_PATH_SIZE]
{
    return control_region(CONTROL_PLACE(TASKS));
}

const char *task_path(uint32_t number)
{
    return paths()[number];
}

/* Numbers are given in the order of first appearance and kept from run to run. */
static uint32_t number_of(const char *path)
{
    uint32_t number = 0;
    while (number < control->task_count && strcmp(paths()[number], path) != 0) {
        number++;
    }
    if (number == CONTROL_TASKS_MAX) {
        control_end(&(struct ending){.end = CONTROL_REFUSED, .text = "it creates too many tasks"});
    }
    if (number == control->task_count) {
        text_copy(paths()[number], CONTROL_PATH_SIZE, path);
        control->task_count++;
    }
    return number;
}

void task_start(void)
{
    tasks = segment_take(CONTROL_TASKS_MAX * sizeof *tasks);
    control_self = &tasks[process_self->first];
    key_start(control_self);
}

static struct task *prepare(uint32_t number)
{
    struct task *t = &tasks[number];
    const struct fiber kept = t->fiber;
    const char *path = task_path(number);
    memset(t, 0, offsetof(struct task, bulk));
    bulk_init(&t->bulk);
    t->fiber = kept;
    t->number = number;
    t->process = process_self->number;
    t->forked_from = NOBODY;
    t->path_name = name_text(path, strlen(path));
    return t;
}

void *task_scratch(size_t size)
{
    struct task *me = control_self;
    if (me->is_scratch_in_use) {
        return NULL;
    }
    if (me->scratch_size < size) {
        enum { PAGE = 4096 };
        const size_t whole = (size + PAGE - 1) / PAGE * PAGE;
        if (me->scratch != NULL) {
            (void)sys(SYS_munmap, me->scratch, me->scratch_size);
        }
        const long start =
            sys(SYS_mmap, NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        me->scratch = start == -1 ? NULL : (void *)start;
        me->scratch_size = start == -1 ? 0 : whole;
    }
    return me->scratch;
}

static void enlist(struct task *t)
{
    t->state = TASK_LIVE;
    task_live[task_live_count++] = t;
    run_state->made[run_state->made_count++] = t;
    process_of(t)->live_count++;
}

void task_save(void)
{
    memcpy(first_values, tasks[0].values, sizeof first_values);
}

void task_begin(void)
{
    task_live_count = 0;
    run_state->made_count = 0;
    for (uint32_t i = 0; i < control->task_count; i++) {
        if (control->mode != CONTROL_FIBER) { /* its memory is gone with the process of that run */
            memset(&tasks[i], 0, sizeof tasks[i]);
        }
        tasks[i].state = TASK_FREE;
    }
    struct task *first = prepare(number_of("main"));
    first->thread = pthread_self();
    memcpy(first->values, first_values, sizeof first_values);
    enlist(first);
    control_self = first;
}

struct task *task_of(pthread_t thread)
{
    for (uint32_t i = run_state->made_count; i-- > 0;) {
        struct task *t = run_state->made[i];
        if (t->thread == thread && !t->is_joined && t->process == process_self->number) {
            return t;
        }
    }
    return NULL;
}

/* The turn */

static bool has_fibers(void)
{
    return control->mode == CONTROL_FIBER || control->mode == CONTROL_FORK;
}

static void hand_over(struct task *from, struct task *to, bool comes_back)
{
    if (to->process != process_self->number) {
        struct task *next = process_hand_over(from, to, comes_back);
        if (next != from) {
            fiber_switch(&from->fiber, &next->fiber);
        }
        return;
    }
    if (has_fibers()) {
        fiber_switch(&from->fiber, &to->fiber);
        return;
    }
    process_wake(to);
    if (comes_back) {
        process_wait_turn(from);
    }
}

/* A task knows its own stack best: it is given the turn only to tell it. */
static void answer(struct task *t)
{
    struct task *by = run_state->asked.by;
    run_state->asked.by = NULL;
    run_state->asked.count = stack_take(run_state->asked.calls, run_state->asked.most, NULL);
    stack_tag(run_state->asked.calls, run_state->asked.count);
    hand_over(t, by, true);
}

uint32_t task_calls(struct task *t, uint64_t *calls, uint32_t most)
{
    if (t->bottom == NULL) {
        return 0;
    }
    run_state->asked.by = control_self;
    run_state->asked.calls = calls;
    run_state->asked.most = most;
    hand_over(control_self, t, true);
    return run_state->asked.count;
}

void task_switch(struct task *from, struct task *to)
{
    const int saved = errno;
    const bool comes_back = from->state != TASK_ENDED;
    hand_over(from, to, comes_back);
    while (comes_back && run_state->asked.by != NULL) {
        answer(from);
    }
    errno = saved;
}

/* Beginning and end */

static void remove_live(struct task *t)
{
    uint32_t at = 0;
    while (task_live[at] != t) {
        at++;
    }
    memmove(&task_live[at], &task_live[at + 1], (task_live_count - at - 1) * sizeof *task_live);
    task_live_count--;
    process_of(t)->live_count--;
}

/* Whether all others have only to end. */
static bool is_last(const struct task *t)
{
    for (uint32_t i = 0; i < task_live_count; i++) {
        if (task_live[i] != t && task_live[i]->process == t->process &&
            task_live[i]->act.kind != EVENT_THREAD_END) {
            return false;
        }
    }
    return true;
}

/* The last task to end ends the process. */
_Noreturn void task_end(struct task *t)
{
    signals_take_all();
    t->is_ending = true;
    t->is_cancel_off = true;
    libc.call_tls_dtors();
    key_end(t);
    if (is_last(t)) {
        libc_exit(0);
    }
    (void)sched_take(&(struct act){
        .kind = EVENT_THREAD_END, .is_of_task = true, .peer = t->number, .writes = true});
    lock_end(t);
    t->state = TASK_ENDED;
    process_self->unjoined_count++;
    remove_live(t);
    sched_leave();
    /* A thread's turn is over: it goes without another word. The first one stays: a process ends
     * with exit. */
    while (true) {
        if (t->number != 0) {
            (void)sys(SYS_exit, 0);
        }
        (void)sys(SYS_pause);
    }
}

/* Who comes back from it may be another task: the first of a process that was forked in it. */
static void run(const struct task *t)
{
    void *result = t->run != NULL ? t->run(t->argument) : (void *)(intptr_t)t->run_c11(t->argument);
    control_self->result = result;
}

/* What glibc's unwinder looks for where a thread began: pthread_exit, once it has run the cleanup
 * handlers, comes back there. */
void __pthread_register_cancel(__pthread_unwind_buf_t *where);
void __pthread_unregister_cancel(__pthread_unwind_buf_t *where);

/* Runs the task to its end, which may come from within. */
static _Noreturn void run_to_end(void)
{
    __pthread_unwind_buf_t here;
    control_self->bottom = __builtin_frame_address(0);
    if (__sigsetjmp_cancel(here.__cancel_jmp_buf, 0) == 0) {
        __pthread_register_cancel(&here);
        run(control_self);
        __pthread_unregister_cancel(&here);
    }
    task_end(control_self);
}

static void fiber_main(void)
{
    /* The thread's own data are fresh: who this is, is what was chosen last. */
    struct task *t = sched_chosen();
    control_self = t;
    fiber_begin();
    t->act = (struct act){0};
    run_to_end();
}

static void *thread_main(void *argument)
{
    struct task *t = argument;
    control_self = t;
    stop_name(t);
    trap_start();
    process_wait_turn(t);
    if (control->stop_count != 0) {
        stop_step(control->result.step_count, NULL);
    }
    t->act = (struct act){0};
    run_to_end();
}

static int make(struct task *t, const pthread_attr_t *attributes)
{
    size_t stack_size = 0;
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes != NULL) {
        (void)pthread_attr_getstacksize(attributes, &stack_size);
        (void)pthread_attr_getdetachstate(attributes, &state);
    }
    t->is_detached = state == PTHREAD_CREATE_DETACHED;
    if (has_fibers()) {
        fiber_make(t, stack_size, fiber_main);
        return 0;
    }
    return libc.pthread_create(&t->thread, attributes, thread_main, t);
}

/* "main/2", "main.1", "main/timer1" */
static uint32_t child_number(const struct task *parent, const char *what, uint32_t ordinal)
{
    char path[CONTROL_PATH_SIZE] = "";
    const char *end = path + sizeof path - 1;
    char *at = text_append(text_append(path, end, task_path(parent->number)), end, what);
    at = text_append_number(at, end, ordinal);
    *at = 0;
    if (at == end) {
        control_end(
            &(struct ending){.end = CONTROL_REFUSED, .text = "its tasks are nested too deeply"});
    }
    return number_of(path);
}

int task_create(pthread_t *thread, const pthread_attr_t *attributes, const struct creation *c)
{
    struct task *me = control_self;
    const uint32_t number = child_number(me, "/", me->child_count + 1);
    uint32_t distance = 0;
    const bool is_own = task_of_stack((uintptr_t)thread, &distance) == me;
    (void)sched_take(&(struct act){.kind = EVENT_THREAD_CREATE,
                                   .is_of_task = true,
                                   .peer = number,
                                   .writes = true,
                                   .second = is_own ? NULL : thread,
                                   .place = c->place});
    me->child_count++;
    me->ignore++;
    struct task *t = prepare(number);
    t->signals_blocked = me->signals_blocked;
    t->run = c->run;
    t->run_c11 = c->run_c11;
    t->argument = c->argument;
    const int result = make(t, attributes);
    me->ignore--;
    trap_on();
    if (result != 0) {
        return result;
    }
    enlist(t);
    *thread = t->thread;
    /* A place is what a call returns to, one byte into the function at least. */
    const uintptr_t place = c->run != NULL ? (uintptr_t)c->run : (uintptr_t)c->run_c11;
    sched_say(t, &(struct act){.kind = EVENT_THREAD_START,
                               .is_of_task = true,
                               .peer = number,
                               .place = (const void *)(place + 1)});
    return 0;
}

uint32_t task_number_forked(void)
{
    return run_state->cluster.name[0] != '\0'
               ? number_of(run_state->cluster.name)
               : child_number(control_self, ".", ++control_self->fork_count);
}

/* It is the caller in another process: with its stack, its own data, its handle and its values.
 * Its path is its own, and so are its random numbers. */
void task_fork(uint32_t number, const struct process *p)
{
    const struct task *me = control_self;
    struct task *t = prepare(number);
    t->process = p->number;
    t->forked_from = me->number;
    t->signals_blocked = me->signals_blocked;
    t->signals_before = me->signals_before;
    t->is_cancel_off = me->is_cancel_off;
    t->is_cancel_prompt = me->is_cancel_prompt;
    t->ignore = me->ignore;
    t->ignore_accesses = me->ignore_accesses;
    t->ignore_reads = me->ignore_reads;
    t->ignore_writes = me->ignore_writes;
    t->is_detached = me->is_detached;
    t->bottom = me->bottom;
    t->callers = me->callers;
    t->has_entered = me->has_entered;
    t->calls_beyond = me->calls_beyond;
    t->calls_depth = me->calls_depth;
    t->calls_lost = me->calls_lost;
    t->frames = me->frames;
    t->run = me->run;
    t->run_c11 = me->run_c11;
    t->argument = me->argument;
    t->thread = me->thread;
    t->fiber = me->fiber;
    memcpy(t->values, me->values, sizeof t->values);
    t->scratch = me->scratch;
    t->scratch_size = me->scratch_size;
    must(t->process != me->process);
}

/* It may have been another thread of the process that called exec, and the first may have ended:
 * what was said and asked of the process's only task stays. */
void task_exec(uint32_t blocked_by)
{
    const uint64_t blocked = tasks[blocked_by].signals_blocked;
    const uint64_t sent = tasks[blocked_by].signals_pending;
    struct task *first = &tasks[process_self->first];
    const uint32_t fork_count = first->fork_count;
    const uint32_t child_count = first->child_count;
    const void *values[KEYS_MAX];
    memcpy(values, first->values, sizeof values);
    process_end_tasks(process_self);
    process_self->live_count = 0;
    process_self->unjoined_count = 0;
    (void)prepare(process_self->first);
    first->scratch = NULL;
    first->scratch_size = 0;
    first->fiber = (struct fiber){0};
    first->fork_count = fork_count;
    first->child_count = child_count;
    first->signals_blocked = blocked;
    first->signals_pending = sent;
    first->thread = pthread_self();
    memcpy(first->values, values, sizeof values);
    control_self = first;
    enlist(first);
    must(process_self->live_count == 1);
}

void task_enlist(uint32_t number, const void *place)
{
    enlist(&tasks[number]);
    sched_say(&tasks[number],
              &(struct act){
                  .kind = EVENT_THREAD_START, .is_of_task = true, .peer = number, .place = place});
}

struct task *task_make_other(const char *what, uint32_t ordinal)
{
    return prepare(child_number(control_self, what, ordinal));
}

int task_join(struct task *t, const struct join *j)
{
    struct task *me = control_self;
    if (t == me) {
        return EDEADLK;
    }
    if (t->is_detached) {
        return EINVAL;
    }
    const struct act act = {.kind = EVENT_THREAD_JOIN,
                            .is_of_task = true,
                            .peer = t->number,
                            .wait = j->is_try ? WAIT_NOTHING : WAIT_TASK,
                            .deadline = j->deadline,
                            .is_cancellable = true,
                            .place = j->place};
    if (!sched_take(&act)) {
        return ETIMEDOUT;
    }
    task_test_cancel();
    if (t->state != TASK_ENDED) {
        sched_refused();
        return EBUSY;
    }
    uint32_t distance = 0;
    if (j->result != NULL && task_of_stack((uintptr_t)j->result, &distance) != control_self) {
        memory_write(j->result, sizeof *j->result, j->place);
    }
    if (j->result != NULL) {
        *j->result = t->result;
    }
    t->is_joined = true;
    process_self->unjoined_count--;
    if (has_fibers()) {
        fiber_drop(t);
    }
    return 0;
}

/* Cancelling */

_Noreturn void task_exit(void *result)
{
    struct task *t = control_self;
    t->result = result;
    t->is_cancel_off = true;
    libc.pthread_exit(result);
    __builtin_unreachable();
}

/* Of a stack that is not ours only the end is known; what a thread is given lies a little beyond.
 */
enum { STACK_MARGIN = 1 << 12, STACK_MAX = 1 << 24 };

static bool is_on_stack(const struct task *t, uintptr_t address, uint32_t *distance)
{
    void *base = NULL;
    size_t size = 0;
    if (fiber_stack(&t->fiber, &base, &size)) {
        *distance = (uint32_t)((uintptr_t)base + size - address);
        return address - (uintptr_t)base < size;
    }
    const uintptr_t far = (uintptr_t)t->bottom + STACK_MARGIN - address;
    *distance = (uint32_t)far;
    return t->bottom != NULL && far < STACK_MAX;
}

const struct task *task_of_stack(uintptr_t address, uint32_t *distance)
{
    const struct task *nearest = NULL;
    for (uint32_t i = 0; i < task_live_count; i++) {
        uint32_t far = 0;
        if (task_live[i]->process == process_self->number &&
            is_on_stack(task_live[i], address, &far) && (nearest == NULL || far < *distance)) {
            nearest = task_live[i];
            *distance = far;
        }
    }
    return nearest;
}

void task_test_cancel(void)
{
    if (control_is_on && control_self->is_cancelled && !control_self->is_cancel_off) {
        task_exit(PTHREAD_CANCELED);
    }
}

/* Where it is remembered. What was found before the last change says nothing any more, so that its
 * place is free; with none free, others are forgotten. */
static struct repeat *repeat_of(const void *place, uintptr_t address)
{
    const uintptr_t mixed = (uintptr_t)place ^ address >> 2;
    struct repeat *all = control_self->repeats;
    for (uint32_t i = 0; i < REPEATS_MAX; i++) {
        struct repeat *r = &all[((mixed ^ mixed >> 6) + i) % REPEATS_MAX];
        if (r->place == NULL || r->stamp != sched_stamp() ||
            (r->place == place && r->address == address)) {
            return r;
        }
    }
    return &all[(mixed ^ mixed >> 6) % REPEATS_MAX];
}

enum { ROUNDS_MAX = 100 };

/* The read was made before, and nothing new since. Only what the task has of its own can tell a
 * round that waits from one that counts. */
static bool is_waiting(struct repeat *r)
{
    const uint64_t state = stack_state(r->place);
    const bool is_same = state != 0 && state == r->state;
    r->state = state;
    r->rounds++;
    return is_same || r->rounds > ROUNDS_MAX;
}

/* One that calls the same function from two places in a row does not stand where it stood. */
bool task_repeats(const void *place, const volatile void *address, uint64_t value)
{
    struct task *me = control_self;
    struct repeat *r = repeat_of(place, (uintptr_t)address);
    const uint64_t calls = callers_mark();
    const uint64_t before = r->visit;
    const uint64_t now = ++me->visit_count;
    const bool is_known = r->place == place && r->address == (uintptr_t)address &&
                          r->value == value && r->stamp == sched_stamp() && r->calls == calls;
    if (!is_known) {
        *r = (struct repeat){.place = place,
                             .address = (uintptr_t)address,
                             .value = value,
                             .stamp = sched_stamp(),
                             .calls = calls,
                             .visit = now};
        me->visit_new = now;
        return false;
    }
    r->visit = now;
    return before >= me->visit_new && is_waiting(r);
}

/* The first task's function, and what it is given. */
_Noreturn void task_run_first(void *(*function)(void *))
{
    control_self->run = function;
    run_to_end();
}
