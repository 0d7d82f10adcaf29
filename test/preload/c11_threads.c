/* C11 threads and their locks are threads and locks.
 *
 * expect: 1 thread-create
 * expect: 1 thread-join
 * expect: 4 lock m
 * expect: 4 unlock m
 * order: main@n thread-create main/1@n
 * order: main/1@n lock m
 * order: main@n thread-join main/1@n */
#include <semaphore.h>
#include <threads.h>

#include "program.h"

static mtx_t m;
static sem_t tried;

static int run(void *argument)
{
    (void)argument;
    const struct timespec past = time_past();
    CLAIM(mtx_trylock(&m) == thrd_busy);
    CLAIM(mtx_timedlock(&m, &past) == thrd_timedout);
    CLAIM(sem_post(&tried) == 0);
    CLAIM(mtx_lock(&m) == thrd_success);
    CLAIM(mtx_unlock(&m) == thrd_success);
    return 7;
}

int main(void)
{
    thrd_t thread;
    int value = 0;
    const struct timespec never = time_never();
    CLAIM(mtx_init(&m, mtx_timed) == thrd_success);
    CLAIM(mtx_lock(&m) == thrd_success);
    CLAIM(thrd_create(&thread, run, NULL) == thrd_success);
    CLAIM(sem_wait(&tried) == 0);
    CLAIM(mtx_unlock(&m) == thrd_success);
    CLAIM(thrd_join(thread, &value) == thrd_success);
    CLAIM(value == 7);
    CLAIM(mtx_trylock(&m) == thrd_success);
    CLAIM(mtx_unlock(&m) == thrd_success);
    CLAIM(mtx_timedlock(&m, &never) == thrd_success);
    CLAIM(mtx_unlock(&m) == thrd_success);
    return 0;
}
