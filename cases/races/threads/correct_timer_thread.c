/* A timer runs a function in a thread of libc's; the function reads what was written before the
 * timer was armed.
 *
 * no race */
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "../race.h"

static int value, copy;
static sem_t is_done;

static void expired(union sigval unused)
{
    (void)unused;
    copy = value;
    (void)sem_post(&is_done);
}

int main(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expired};
    const struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
    timer_t timer;
    MUST(sem_init(&is_done, 0, 0) == 0);
    value = 7;
    MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    MUST(timer_settime(timer, 0, &soon, NULL) == 0);
    MUST(sem_wait(&is_done) == 0);
    MUST(copy == 7);
    return 0;
}
