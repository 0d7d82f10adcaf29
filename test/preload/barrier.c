/* Nobody leaves a barrier before all have come.
 *
 * expect: 6 barrier-enter b
 * expect: 6 barrier-exit b */
#include "program.h"

static pthread_barrier_t b;

static void *run(void *argument)
{
    for (int i = 0; i < 3; i++) {
        const int result = pthread_barrier_wait(&b);
        CLAIM(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    }
    return argument;
}

int main(void)
{
    CLAIM(pthread_barrier_init(&b, NULL, 2) == 0);
    const pthread_t thread = thread_begin(run, NULL);
    (void)run(NULL);
    thread_wait(thread);
    return 0;
}
