#include "runtime/control/sched/processes.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/control/hooks/syscall_dispatch.h"
#include "runtime/control/model/description_lock.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/pending_signals.h"
#include "runtime/control/model/timers.h"
#include "runtime/control/model/virtual_pid.h"
#include "runtime/control/sched/cluster_run.h"
#include "runtime/control/sched/gdb_stops.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/control/sched/task.h"
#include "runtime/control/sched/watchdog.h"
#include "runtime/shared/raw_syscall.h"
#include "wire/must.h"

/* What a process is woken for; of a task that is a thread likewise, with GO_TASK for its turn. */
enum go { GO_NOT, GO_ASKED, GO_ANSWERED, GO_TASK };

struct process *process_of(const struct task *t)
{
    return &run_state->processes[t->process];
}

void process_begin(void)
{
    struct process *all = run_state->processes;
    for (uint32_t i = 0; i < run_state->process_count; i++) {
        all[i] = (struct process){0};
    }
    run_state->process_count = 1;
    run_state->last_id = PID_FIRST_CHILD;
    run_state->is_main_over = false;
    cluster_begin();
    run_state->io_stamp = 1;
    const bool is_server = control->mode == CONTROL_FIBER || control->mode == CONTROL_EXEC;
    process_self = &all[0];
    *process_self =
        (struct process){.state = PROCESS_LIVE,
                         .parent = NOBODY,
                         .id = PID_FIRST,
                         .group = PID_FIRST,
                         .session = PID_SESSION,
                         .real = is_server ? control->server : (int32_t)sys(SYS_getpid)};
}

struct process *process_known_as(pid_t id)
{
    for (uint32_t i = 0; i < run_state->process_count; i++) {
        struct process *p = &run_state->processes[i];
        if (p->id == id && (p->state == PROCESS_LIVE || p->state == PROCESS_ZOMBIE)) {
            return p;
        }
    }
    return NULL;
}

struct process *process_with_real(pid_t real)
{
    for (uint32_t i = 0; i < run_state->process_count; i++) {
        struct process *p = &run_state->processes[i];
        if (p->state != PROCESS_FREE && p->real == real) {
            return p;
        }
    }
    return NULL;
}

/* Whether another process of this run lives. */
static bool has_others(void)
{
    for (uint32_t i = 0; run_state->process_count > 1 && i < run_state->process_count; i++) {
        const struct process *p = &run_state->processes[i];
        if (p != process_self && p->state == PROCESS_LIVE) {
            return true;
        }
    }
    return false;
}

/* Turns */

static bool has_fibers(void)
{
    return control->mode == CONTROL_FIBER || control->mode == CONTROL_FORK;
}

static void wake(_Atomic uint32_t *word, uint32_t go)
{
    must(atomic_load_explicit(word, memory_order_relaxed) == GO_NOT);
    /* Pairs with the acquire in await: what was written before is there. */
    atomic_store_explicit(word, go, memory_order_release);
    (void)sys(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Once clew has ended, nobody wakes anybody any more. */
static void end_without_clew(void)
{
    if (control->clew > 0 && sys(SYS_kill, (long)control->clew, 0L) != 0 && errno == ESRCH) {
        (void)sys(SYS_exit_group, 0L);
    }
}

static uint32_t await(_Atomic uint32_t *word)
{
    const struct timespec most = {.tv_sec = 1};
    uint32_t go = GO_NOT;
    while ((go = atomic_load_explicit(word, memory_order_acquire)) == GO_NOT) {
        if (sys(SYS_futex, word, FUTEX_WAIT, GO_NOT, &most, NULL, 0) != 0 && errno == ETIMEDOUT) {
            end_without_clew();
        }
    }
    atomic_store_explicit(word, GO_NOT, memory_order_relaxed);
    return go;
}

/* The word that the caller sleeps on. */
static _Atomic uint32_t *own_word(void)
{
    return has_fibers() ? &process_self->go : &control_self->turn;
}

/* Before the turn leaves the process: nobody else sees its locks. */
static void publish(void)
{
    for (uint32_t i = 0; i < task_live_count; i++) {
        struct task *t = task_live[i];
        if (t->act.kind != 0 && lock_is_seen(t)) {
            t->is_there = lock_is_ready(t);
            t->has_surplus = lock_has_surplus(t);
            t->holder = lock_holder(t);
        }
    }
}

/* Questions */

static void look(void)
{
    for (uint32_t i = 0; i < task_live_count; i++) {
        struct task *t = task_live[i];
        if (t->process == process_self->number && t->act.wait == WAIT_READY) {
            t->is_there = sys_poll(t->act.descriptors, t->act.descriptor_count, 0) > 0;
            t->looked = run_state->io_stamp;
        } else if (t->process == process_self->number && t->act.wait == WAIT_FILE_LOCK) {
            file_lock_look(t);
        }
    }
}

static _Noreturn void vanish(void)
{
    (void)sys(SYS_exit_group, 0L);
    __builtin_unreachable();
}

/* Another process has given the turn for a moment. */
static void answer(void)
{
    const struct question q = run_state->question;
    _Atomic uint32_t *asker = has_fibers() ? &process_of(&tasks[q.by])->go : &tasks[q.by].turn;
    switch (q.kind) {
    case QUESTION_LOOK: look(); break;
    case QUESTION_FIRE: timer_write(q.timer); break;
    case QUESTION_END:
        end_vanish();
        wake(asker, GO_ANSWERED);
        vanish();
    }
    wake(asker, GO_ANSWERED);
}

static struct task *any_task_of(const struct process *p)
{
    uint32_t i = 0;
    while (i < task_live_count && task_live[i]->process != p->number) {
        i++;
    }
    must(i < task_live_count);
    return task_live[i];
}

static void ask(struct process *p, const struct question *q)
{
    const int saved = errno;
    must(p != process_self && p->state == PROCESS_LIVE);
    run_state->question = *q;
    run_state->question.by = control_self->number;
    wake(has_fibers() ? &p->go : &any_task_of(p)->turn, GO_ASKED);
    const uint32_t go = await(own_word());
    must(go == GO_ANSWERED);
    errno = saved;
}

void process_look(const struct task *t)
{
    ask(process_of(t), &(struct question){.kind = QUESTION_LOOK});
}

void process_fire(struct timer *timer)
{
    struct process *p = end_holder(timer->end);
    if (p == process_self) {
        timer_write(timer);
    } else if (p != NULL) {
        ask(p, &(struct question){.kind = QUESTION_FIRE, .timer = timer});
    }
}

/* Handing over */

static struct task *await_task(_Atomic uint32_t *word)
{
    uint32_t go = GO_NOT;
    while ((go = await(word)) == GO_ASKED) {
        answer();
    }
    must(go >= GO_TASK);
    return &tasks[go - GO_TASK];
}

struct task *process_hand_over(struct task *from, struct task *to, bool comes_back)
{
    const struct process *target = process_of(to);
    must(target->real > 0);
    publish();
    control->runner = target->real;
    const bool is_over = process_self->state != PROCESS_LIVE;
    wake(has_fibers() ? &process_of(to)->go : &to->turn, to->number + GO_TASK);
    if (!comes_back && (is_over || !has_fibers())) {
        return from;
    }
    return await_task(has_fibers() ? &process_self->go : &from->turn);
}

void process_wake(struct task *t)
{
    wake(&t->turn, t->number + GO_TASK);
}

void process_wait_turn(struct task *t)
{
    (void)await_task(&t->turn);
}

/* Beginning */

struct process *process_prepare(uint32_t task)
{
    uint32_t at = 1;
    while (at < run_state->process_count && run_state->processes[at].state != PROCESS_GONE) {
        at++;
    }
    if (at == PROCESSES_MAX) {
        return NULL;
    }
    run_state->process_count += at == run_state->process_count;
    struct process *p = &run_state->processes[at];
    *p = (struct process){.state = PROCESS_LIVE,
                          .number = at,
                          .parent = process_self->number,
                          .first = task,
                          .id = ++run_state->last_id,
                          .group = process_self->group,
                          .session = process_self->session,
                          .node = cluster_take_node(process_self->node),
                          .maps_shared = process_self->maps_shared};
    task_fork(task, p);
    end_inherit(p);
    signals_inherit(p);
    return p;
}

void process_made(struct process *p, pid_t real, const void *place)
{
    if (real < 0) {
        p->state = PROCESS_GONE;
        end_disinherit(p);
        return;
    }
    p->real = real;
    task_enlist(p->first, place);
}

void process_adopt(struct process *p)
{
    struct task *t = &tasks[p->first];
    process_self = p;
    control_self = t;
    if (has_fibers()) {
        must(await_task(&p->go) == t);
    } else {
        process_wait_turn(t);
    }
    t->act = (struct act){0};
    watchdog_start();
    trap_start();
    stop_name(t);
    signals_adopt();
}

void process_exec_begins(void)
{
    process_self->caller = control_self->number;
}

bool process_has_image(pid_t id)
{
    const struct process *p = process_known_as(id);
    return p == NULL || p->state != PROCESS_LIVE || p->image_count > 0;
}

void process_exec(void)
{
    process_self->maps_shared = false;
    process_self->image_count++;
    task_exec(process_self->caller);
    timer_end(process_self);
    end_exec();
    signals_exec();
    run_state->io_stamp++;
    sched_changed();
}

/* End */

/* The tasks of a process that ends do nothing more; what they held of robust locks is orphaned. */
void process_end_tasks(const struct process *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < task_live_count; i++) {
        struct task *t = task_live[i];
        if (t->process != p->number) {
            task_live[kept++] = t;
            continue;
        }
        if (p == process_self) {
            lock_end(t);
        }
        t->state = TASK_ENDED;
        t->act = (struct act){0};
    }
    task_live_count = kept;
}

/* Children of a process that has ended belong to nobody whom anybody controls. */
static void orphan(const struct process *p)
{
    for (uint32_t i = 0; i < run_state->process_count; i++) {
        struct process *child = &run_state->processes[i];
        if (child->parent == p->number && child->state != PROCESS_FREE) {
            child->parent = NOBODY;
            child->state = child->state == PROCESS_ZOMBIE ? PROCESS_GONE : child->state;
        }
    }
}

static void tell_parent(struct process *p)
{
    struct process *parent = p->parent == NOBODY ? NULL : &run_state->processes[p->parent];
    if (parent == NULL || parent->state != PROCESS_LIVE) {
        p->state = PROCESS_GONE;
        return;
    }
    siginfo_t info = {.si_signo = SIGCHLD,
                      .si_code = WIFEXITED(p->status) ? CLD_EXITED : CLD_KILLED};
    info.si_pid = p->id;
    info.si_status = WIFEXITED(p->status) ? WEXITSTATUS(p->status) : WTERMSIG(p->status);
    p->state = signals_keep_no_zombies(parent) ? PROCESS_GONE : PROCESS_ZOMBIE;
    cluster_child_ended(parent);
    (void)signals_post_to(parent, &info);
}

static void bury(struct process *p, int status)
{
    p->status = status;
    process_end_tasks(p);
    timer_end(p);
    orphan(p);
    tell_parent(p);
    p->live_count = 0;
    run_state->io_stamp++;
    sched_changed();
}

void process_kill(struct process *p, int signal)
{
    ask(p, &(struct question){.kind = QUESTION_END});
    if (p->number == 0) {
        run_state->is_main_over = true;
        run_state->main_status = signal;
    }
    bury(p, signal);
}

/* The one that clew or the server of runs waits for stays until the run is over. */
static _Noreturn void rest(void)
{
    while (true) {
        (void)await(&process_self->go);
    }
}

_Noreturn void process_finish(int status)
{
    struct process *p = process_self;
    if (p->number == 0) {
        run_state->is_main_over = true;
        run_state->main_status = status;
    }
    if (!has_others()) {
        process_end_run();
    }
    const bool is_first = p->number == 0;
    end_vanish();
    bury(p, status);
    sched_leave(); /* from here on the segment may be another run's */
    trap_off();
    if (is_first) {
        rest();
    }
    vanish();
}

_Noreturn void process_end_run(void)
{
    const int status = run_state->main_status;
    if (WIFSIGNALED(status)) {
        control_end(&(struct ending){.end = CONTROL_CRASHED, .value = WTERMSIG(status)});
    }
    control_end(&(struct ending){.end = CONTROL_EXITED, .value = WEXITSTATUS(status)});
}

static void end_real(const struct process *p)
{
    if (p != process_self && p->real > 0 && p->state != PROCESS_FREE) {
        (void)sys(SYS_kill, (long)p->real, (long)SIGKILL);
    }
}

void process_end_others(void)
{
    for (uint32_t i = 1; i < run_state->process_count; i++) {
        if (run_state->processes[i].state == PROCESS_LIVE) {
            end_real(&run_state->processes[i]);
        }
    }
}

void process_end_first(void)
{
    end_real(&run_state->processes[0]);
}

/* Children */

static bool is_meant(const struct process *child, pid_t id)
{
    return id == -1 || (id > 0 && child->id == id) ||
           (id == 0 && child->group == process_self->group) || (id < -1 && child->group == -id);
}

struct process *process_ended_child(const struct process *parent, pid_t id, bool *has_any)
{
    struct process *ended = NULL;
    *has_any = false;
    for (uint32_t i = 0; i < run_state->process_count; i++) {
        struct process *p = &run_state->processes[i];
        const bool is_child =
            p->parent == parent->number && (p->state == PROCESS_LIVE || p->state == PROCESS_ZOMBIE);
        if (!is_child || !is_meant(p, id)) {
            continue;
        }
        *has_any = true;
        if (p->state == PROCESS_ZOMBIE && (ended == NULL || p->id < ended->id)) {
            ended = p;
        }
    }
    return ended;
}

bool process_has_child_event(const struct task *t)
{
    bool has_any = false;
    return process_ended_child(process_of(t), t->act.child, &has_any) != NULL || !has_any;
}

void process_reap(struct process *child)
{
    must(child->state == PROCESS_ZOMBIE);
    child->state = PROCESS_GONE;
}
