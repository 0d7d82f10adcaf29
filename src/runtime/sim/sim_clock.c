/* Time and process ids for simulated systems: the clock and the number of the calling node. */
#include <errno.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "runtime/sim/sim_calls.h"

enum { NS_PER_S = 1000000000, NS_PER_US = 1000 };

/* CLOCK_REALTIME when a node's clock is 0: 14 November 2023. Other clocks start at one second, so
 * that no caller takes 0 for "not set". */
static const uint64_t epoch_s = 1700000000;

static struct timespec now(bool is_wall)
{
    const uint64_t ns = sim_calls()->time_ns();
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S + (is_wall ? epoch_s : 1)),
                             .tv_nsec = (long)(ns % NS_PER_S)};
}

static bool is_wall(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

SIM_LIBC int clock_gettime(clockid_t clock, struct timespec *time_now)
{
    *time_now = now(is_wall(clock));
    return 0;
}

SIM_LIBC int clock_getres(clockid_t clock, struct timespec *resolution)
{
    (void)clock;
    if (resolution != NULL) {
        *resolution = (struct timespec){.tv_nsec = NS_PER_S / 1000};
    }
    return 0;
}

SIM_LIBC int gettimeofday(struct timeval *restrict time_now, void *restrict zone)
{
    (void)zone;
    const struct timespec t = now(true);
    *time_now = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / NS_PER_US};
    return 0;
}

SIM_LIBC time_t time(time_t *time_now)
{
    const time_t seconds = now(true).tv_sec;
    if (time_now != NULL) {
        *time_now = seconds;
    }
    return seconds;
}

SIM_LIBC int timespec_get(struct timespec *time_now, int base)
{
    if (base != TIME_UTC) {
        return 0;
    }
    *time_now = now(true);
    return base;
}

/* Handlers take no processor time in a simulation; clock() is the node's clock. */
SIM_LIBC clock_t clock(void)
{
    return (clock_t)(sim_calls()->time_ns() / (NS_PER_S / CLOCKS_PER_SEC));
}

SIM_LIBC pid_t getpid(void)
{
    return sim_calls()->process();
}

SIM_LIBC pid_t gettid(void)
{
    return sim_calls()->process();
}

SIM_LIBC pid_t getppid(void)
{
    return 1;
}
