/* Time is virtual: it stands still but for a little with each look at a clock, and jumps to the
 * next deadline when that is chosen. After many looks without a change each further one moves the
 * clock twice as far as the one before. Runs begin at the same moment. */
#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/hooks/mutex.h"

enum { LOOK_NS = 1000, SECOND_NS = 1000000000, MONOTONIC_BEGIN_S = 1000 };
enum { LOOKS_PLAIN = 100, DOUBLINGS_MAX = 20 };
static const int64_t realtime_begin_s = 1700000000;

void clock_begin(void)
{
    control_clock = 0;
}

static bool is_realtime(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
           clock == CLOCK_REALTIME_ALARM;
}

static bool is_cpu(clockid_t clock)
{
    return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
}

static int64_t begin_of(clockid_t clock)
{
    return is_realtime(clock) ? realtime_begin_s : is_cpu(clock) ? 0 : MONOTONIC_BEGIN_S;
}

bool clock_is_moment(clockid_t clock, const struct timespec *until)
{
    return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && until->tv_nsec >= 0 &&
           until->tv_nsec < SECOND_NS;
}

uint64_t clock_deadline(clockid_t clock, const struct timespec *until)
{
    const int64_t seconds = until->tv_sec - begin_of(clock);
    if (seconds < 0 || (seconds == 0 && until->tv_nsec == 0)) {
        return 1;
    }
    return seconds > UINT32_MAX ? (uint64_t)UINT32_MAX * SECOND_NS
                                : (uint64_t)seconds * SECOND_NS + (uint64_t)until->tv_nsec;
}

/* How far this look moves the clock: a task that has looked often while nobody changed anything
 * waits for a moment to come. */
static uint64_t look_length(void)
{
    if (!control_is_mine()) {
        return LOOK_NS;
    }
    struct task *me = control_self;
    me->looks = me->look_stamp == sched_stamp() ? me->looks + 1 : 0;
    me->look_stamp = sched_stamp();
    const uint32_t more = me->looks > LOOKS_PLAIN ? me->looks - LOOKS_PLAIN : 0;
    return (uint64_t)LOOK_NS << (more < DOUBLINGS_MAX ? more : DOUBLINGS_MAX);
}

/* A task that looks at a clock again and again lets others go first. The clock never reaches the
 * next deadline by a look. */
static uint64_t look(const void *place)
{
    if (control_is_mine() && task_repeats(place, &control_clock, 0)) {
        (void)sched_take(
            &(struct act){.kind = EVENT_CALL, .is_of_time = true, .is_idle = true, .place = place});
    }
    control->result.has_looked = 1;
    const uint64_t length = look_length();
    const uint64_t next = sched_next_deadline();
    if (control_clock + length < next) {
        control_clock += length;
    } else if (control_clock + 1 < next) {
        control_clock = next - 1;
    }
    return control_clock;
}

static struct timespec moment(clockid_t clock, uint64_t ns)
{
    return (struct timespec){.tv_sec = begin_of(clock) + (int64_t)(ns / SECOND_NS),
                             .tv_nsec = (long)(ns % SECOND_NS)};
}

RT_EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!control_is_on) {
        return libc.clock_gettime(clock, now);
    }
    if (clock > CLOCK_TAI) {
        errno = EINVAL;
        return -1;
    }
    *now = moment(clock, look(RT_PLACE));
    return 0;
}

RT_EXPORT int timespec_get(struct timespec *now, int base)
{
    if (!control_is_on || base != TIME_UTC) {
        return libc.timespec_get(now, base);
    }
    *now = moment(CLOCK_REALTIME, look(RT_PLACE));
    return base;
}

RT_EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    if (!control_is_on) {
        return libc.gettimeofday(now, zone);
    }
    const struct timespec t = moment(CLOCK_REALTIME, look(RT_PLACE));
    *now = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
    return 0;
}

RT_EXPORT time_t time(time_t *now)
{
    if (!control_is_on) {
        return libc.time(now);
    }
    const time_t seconds = moment(CLOCK_REALTIME, look(RT_PLACE)).tv_sec;
    if (now != NULL) {
        *now = seconds;
    }
    return seconds;
}

RT_EXPORT clock_t clock(void)
{
    return control_is_on ? (clock_t)(look(RT_PLACE) / 1000) : libc.clock();
}

/* False when a signal ended it. */
static bool sleep_until(uint64_t deadline, const void *place)
{
    (void)sched_take(&(struct act){.kind = EVENT_SLEEP,
                                   .is_of_time = true,
                                   .writes = true,
                                   .wait = WAIT_TIME,
                                   .deadline = deadline == 0 ? 1 : deadline,
                                   .interruption = INTERRUPTED_ALWAYS,
                                   .is_cancellable = true,
                                   .place = place});
    task_test_cancel();
    return !control_self->is_interrupted;
}

static uint64_t left_until(uint64_t deadline)
{
    return deadline > control_clock ? deadline - control_clock : 0;
}

static struct timespec length_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
}

static uint64_t length_ns(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * SECOND_NS + (uint64_t)t->tv_nsec;
}

static bool is_length(const struct timespec *t)
{
    return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < SECOND_NS;
}

RT_EXPORT int nanosleep(const struct timespec *length, struct timespec *left)
{
    if (!control_is_on) {
        return libc.nanosleep(length, left);
    }
    if (!is_length(length)) {
        errno = EINVAL;
        return -1;
    }
    const uint64_t deadline = control_clock + length_ns(length);
    if (sleep_until(deadline, RT_PLACE)) {
        return 0;
    }
    if (left != NULL) {
        *left = length_of(left_until(deadline));
    }
    errno = EINTR;
    return -1;
}

RT_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *length,
                              struct timespec *left)
{
    if (!control_is_on) {
        return libc.clock_nanosleep(clock, flags, length, left);
    }
    if (!is_length(length)) {
        return EINVAL;
    }
    const bool is_moment = (flags & TIMER_ABSTIME) != 0;
    const uint64_t deadline =
        is_moment ? clock_deadline(clock, length) : control_clock + length_ns(length);
    if (sleep_until(deadline, RT_PLACE)) {
        return 0;
    }
    if (left != NULL && !is_moment) {
        *left = length_of(left_until(deadline));
    }
    return EINTR;
}

RT_EXPORT int usleep(useconds_t length)
{
    if (!control_is_on) {
        return libc.usleep(length);
    }
    if (sleep_until(control_clock + (uint64_t)length * 1000, RT_PLACE)) {
        return 0;
    }
    errno = EINTR;
    return -1;
}

RT_EXPORT unsigned sleep(unsigned length)
{
    if (!control_is_on) {
        return libc.sleep(length);
    }
    const uint64_t deadline = control_clock + (uint64_t)length * SECOND_NS;
    return sleep_until(deadline, RT_PLACE)
               ? 0
               : (unsigned)((left_until(deadline) + SECOND_NS - 1) / SECOND_NS);
}

RT_EXPORT int thrd_sleep(const struct timespec *length, struct timespec *left)
{
    return nanosleep(length, left);
}

static void yield(const void *place)
{
    if (control_is_mine()) {
        (void)sched_take(&(struct act){
            .kind = EVENT_TASK_SWITCH, .is_idle = task_repeats(place, NULL, 0), .place = place});
    }
}

RT_EXPORT int sched_yield(void)
{
    yield(RT_PLACE);
    return 0;
}

RT_EXPORT void thrd_yield(void)
{
    yield(RT_PLACE);
}
