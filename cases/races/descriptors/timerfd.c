/* Two threads wake up by timers of their own and count their ticks together.
 *
 * race: ticks count count */
#include <stdint.h>
#include <sys/timerfd.h>

#include "../race.h"

static int ticks;

static void *tick(void *unused)
{
    const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    const struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    uint64_t expired;
    MUST(fd >= 0);
    MUST(timerfd_settime(fd, 0, &soon, NULL) == 0);
    MUST(read(fd, &expired, sizeof expired) == sizeof expired);
    ticks++; /* count */
    MUST(close(fd) == 0);
    return unused;
}

int main(void)
{
    threads_run(tick, tick);
    MUST(ticks > 0);
    return 0;
}
