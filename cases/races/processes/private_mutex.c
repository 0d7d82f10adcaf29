/* Parent and child lock a mutex that lies in ordinary memory: since the fork each has its own.
 *
 * race: shm: add add */
#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *counter;

static void add(void)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    ++*counter; /* add */
    MUST(pthread_mutex_unlock(&lock) == 0);
}

int main(void)
{
    counter = shared_memory(sizeof *counter);
    const pid_t child = process_start(add);
    add();
    process_join(child);
    return 0;
}
