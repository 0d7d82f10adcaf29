/* Timers of a controlled program, on virtual time. One that is armed has turns like a task: it can
 * be chosen when its deadline is the first of all, and then it fires: a descriptor becomes ready,
 * or a signal is sent. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_TIMERS_H
#define CLEW_RUNTIME_CONTROL_MODEL_TIMERS_H

#include <signal.h>
#include <time.h>

#include "runtime/control/sched/run_control.h"

struct end;

struct timer {
    struct task *task; /* whose turns it has */
    struct object object;
    uint64_t interval; /* 0: it fires once */
    clockid_t clock;
    const struct end *end; /* an event counter that fires are added to; NULL: none */
    siginfo_t info;        /* of the signal; si_signo 0: none */
    uint32_t target;       /* number of the task that it is for, NOBODY: the process */
    uint32_t maker;        /* number of the task that made it, ... */
    uint32_t ordinal;      /* ... and which of that task's it is, from 1 */
    bool is_used;
};

enum { TIMERS_MAX = 64 };

/* Those that are armed. */
extern struct timer_list {
    uint32_t count;
    struct task *tasks[TIMERS_MAX];
} * timer_armed;

void timer_start(void);
void timer_begin(void);

/* A new one, with this name; NULL when there are too many. */
struct timer *timer_make(const struct object *object);
void timer_drop(struct timer *t);

/* By number, and by its end; NULL: there is none. */
struct timer *timer_numbered(uintptr_t number);
uintptr_t timer_number(const struct timer *t);
struct timer *timer_behind(const struct end *end);

/* Sets it, or disarms it where the value is 0, as timer_settime does: an operation of the caller's.
 */
void timer_set(struct timer *t, int flags, const struct itimerspec *value, const void *place);

/* How long it still takes, and how often. */
struct itimerspec timer_left(const struct timer *t);

/* Those of the process are no more; a descriptor's goes with its last descriptor. */
void timer_end(const struct process *p);

/* Adds a firing to its descriptor, which the calling process has. */
void timer_write(const struct timer *t);

/* It was chosen. */
void timer_fire(struct timer *t);

#endif
