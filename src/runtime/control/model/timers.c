#include "runtime/control/model/timers.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/hooks/mutex.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/pending_signals.h"
#include "runtime/control/sched/shared_segment.h"
#include "runtime/shared/raw_syscall.h"

enum { SECOND_NS = 1000000000 };

struct timer_list *timer_armed;
static struct timer *timers;

void timer_start(void)
{
    timers = segment_take(TIMERS_MAX * sizeof *timers);
    timer_armed = segment_take(sizeof *timer_armed);
}

void timer_begin(void)
{
    timer_armed->count = 0;
    memset(timers, 0, TIMERS_MAX * sizeof *timers);
}

/* One more than any that the caller has. */
static uint32_t next_ordinal(void)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < TIMERS_MAX; i++) {
        const struct timer *t = &timers[i];
        if (t->is_used && t->maker == control_self->number && t->ordinal > last) {
            last = t->ordinal;
        }
    }
    return last + 1;
}

struct timer *timer_make(const struct object *object)
{
    struct timer *t = timers;
    while (t < timers + TIMERS_MAX && t->is_used) {
        t++;
    }
    if (t == timers + TIMERS_MAX) {
        return NULL;
    }
    const uint32_t ordinal = next_ordinal();
    *t = (struct timer){
        .maker = control_self->number,
        .ordinal = ordinal,
        .task = task_make_other("/timer", ordinal),
        .object =
            object != NULL ? *object : object_of_kind(CONTROL_TIMER, ordinal, control_self->number),
        .target = NOBODY,
        .is_used = true};
    t->task->timer = t;
    return t;
}

static bool is_armed(const struct timer *t)
{
    return t->task->act.deadline != 0;
}

static void disarm(struct timer *t)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < timer_armed->count; i++) {
        if (timer_armed->tasks[i] != t->task) {
            timer_armed->tasks[kept++] = timer_armed->tasks[i];
        }
    }
    timer_armed->count = kept;
    t->task->act = (struct act){0};
}

void timer_end(const struct process *p)
{
    for (uint32_t i = 0; i < TIMERS_MAX; i++) {
        if (timers[i].is_used && timers[i].end == NULL &&
            tasks[timers[i].maker].process == p->number) {
            timer_drop(&timers[i]);
        }
    }
}

void timer_drop(struct timer *t)
{
    disarm(t);
    t->is_used = false;
}

struct timer *timer_numbered(uintptr_t number)
{
    struct timer *t = number >= 1 && number <= TIMERS_MAX ? &timers[number - 1] : NULL;
    const bool is_own = t != NULL && t->is_used && tasks[t->maker].process == process_self->number;
    return is_own ? t : NULL;
}

uintptr_t timer_number(const struct timer *t)
{
    return (uintptr_t)(t - timers) + 1;
}

struct timer *timer_behind(const struct end *end)
{
    for (uint32_t i = 0; end != NULL && i < TIMERS_MAX; i++) {
        if (timers[i].is_used && timers[i].end == end) {
            return &timers[i];
        }
    }
    return NULL;
}

static uint64_t length_ns(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * SECOND_NS + (uint64_t)t->tv_nsec;
}

static void arm(struct timer *t, uint64_t deadline)
{
    timer_armed->tasks[timer_armed->count++] = t->task;
    sched_say(t->task, &(struct act){.kind = EVENT_TIMER_FIRE,
                                     .known = &t->object,
                                     .is_of_all = t->info.si_signo != 0,
                                     .writes = true,
                                     .wait = WAIT_TIME,
                                     .deadline = deadline == 0 ? 1 : deadline});
}

void timer_set(struct timer *t, int flags, const struct itimerspec *value, const void *place)
{
    const bool is_moment = (flags & TIMER_ABSTIME) != 0;
    (void)sched_take(&(struct act){.kind = EVENT_TIMER_SET,
                                   .known = &t->object,
                                   .peer = t->task->number,
                                   .writes = true,
                                   .place = place});
    disarm(t);
    t->interval = length_ns(&value->it_interval);
    if (value->it_value.tv_sec != 0 || value->it_value.tv_nsec != 0) {
        arm(t, is_moment ? clock_deadline(t->clock, &value->it_value)
                         : control_clock + length_ns(&value->it_value));
        if (t->info.si_signo != 0) {
            signals_order(EVENT_HAPPENS_BEFORE, t->target == NOBODY ? NULL : &tasks[t->target],
                          t->info.si_signo, place);
        }
    }
}

static struct timespec span(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
}

struct itimerspec timer_left(const struct timer *t)
{
    const uint64_t deadline = t->task->act.deadline;
    const uint64_t left = deadline > control_clock ? deadline - control_clock : 1;
    return (struct itimerspec){.it_interval = span(t->interval),
                               .it_value = span(is_armed(t) ? left : 0)};
}

void timer_write(const struct timer *t)
{
    const uint64_t one = 1;
    (void)sys(SYS_write, end_descriptor(t->end), &one, (long)sizeof one);
}

void timer_fire(struct timer *t)
{
    const uint64_t next = t->interval == 0 ? 0 : t->task->act.deadline + t->interval;
    disarm(t);
    if (t->end != NULL) {
        process_fire(t);
        run_state->io_stamp++;
    }
    if (t->info.si_signo != 0 && t->target != NOBODY) {
        (void)signals_post(&tasks[t->target], &t->info);
    } else if (t->info.si_signo != 0) {
        (void)signals_post_to(process_of(&tasks[t->maker]), &t->info);
    }
    if (next != 0) {
        arm(t, next);
    }
}
