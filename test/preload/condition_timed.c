/* A wait that times out holds the lock again.
 *
 * expect: 2 wait-begin c
 * expect: 2 wait-end c
 * expect: 1 lock m
 * expect: 1 unlock m */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

int main(void)
{
    const struct timespec past = time_past();
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_cond_timedwait(&c, &m, &past) == ETIMEDOUT);
    CLAIM(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    return 0;
}
