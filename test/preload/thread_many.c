/* Many threads, again and again: each gets a row of its own, and nothing is lost.
 *
 * expect: 1000 thread-create
 * expect: 1000 thread-start
 * expect: 1000 thread-end
 * expect: 1000 thread-join
 * expect: 1000 lock m */
#include "program.h"

enum { THREADS = 50, ROUNDS = 20 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    return argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < THREADS; i++) {
            threads[i] = thread_begin(run, NULL);
        }
        for (int i = 0; i < THREADS; i++) {
            thread_wait(threads[i]);
        }
    }
    return 0;
}
