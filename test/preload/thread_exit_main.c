/* The first thread may end before the last.
 *
 * expect: 2 thread-end
 * order: main@n thread-end
 * order: main/1@n lock m
 * order: main/1@n thread-end */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t first;

static void *run(void *argument)
{
    CLAIM(pthread_join(first, NULL) == 0);
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    return argument;
}

int main(void)
{
    first = pthread_self();
    (void)thread_begin(run, NULL);
    pthread_exit(NULL);
}
