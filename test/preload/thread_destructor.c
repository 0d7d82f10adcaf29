/* What the destructor of a thread's key does is still the thread's, also when it runs again.
 *
 * expect: 3 lock m
 * expect: 3 unlock m
 * order: main/1@n unlock m
 * order: main/1@n thread-end
 * order: main@n thread-join main/1@n */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;

static void destroy(void *round)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    if ((uintptr_t)round < 3) {
        CLAIM(pthread_setspecific(key, (void *)((uintptr_t)round + 1)) == 0);
    }
}

static void *run(void *argument)
{
    CLAIM(pthread_setspecific(key, (void *)1) == 0);
    return argument;
}

int main(void)
{
    CLAIM(pthread_key_create(&key, destroy) == 0);
    thread_wait(thread_begin(run, NULL));
    return 0;
}
