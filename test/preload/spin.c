/* Spin locks.
 *
 * expect: 201 lock l
 * expect: 1 lock l mode=try-mutex
 * expect: 201 unlock l */
#include "program.h"

static pthread_spinlock_t l;

static void *run(void *argument)
{
    for (int i = 0; i < 100; i++) {
        CLAIM(pthread_spin_lock(&l) == 0);
        CLAIM(pthread_spin_unlock(&l) == 0);
    }
    return argument;
}

int main(void)
{
    CLAIM(pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE) == 0);
    CLAIM(pthread_spin_trylock(&l) == 0);
    CLAIM(pthread_spin_trylock(&l) == EBUSY);
    CLAIM(pthread_spin_unlock(&l) == 0);
    const pthread_t one = thread_begin(run, NULL);
    const pthread_t two = thread_begin(run, NULL);
    thread_wait(one);
    thread_wait(two);
    return 0;
}
