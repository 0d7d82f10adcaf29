/* A thread tries to get the lock, does not get it, and goes on as if it had.
 *
 * race: state owner intruder */
#include <errno.h>
#include <semaphore.h>

#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t tried;
static int state;

static void *intrude(void *unused)
{
    const int result = pthread_mutex_trylock(&lock);
    MUST(result == EBUSY);
    MUST(sem_post(&tried) == 0);
    state = 2; /* intruder */
    return unused;
}

int main(void)
{
    MUST(sem_init(&tried, 0, 0) == 0);
    MUST(pthread_mutex_lock(&lock) == 0);
    const pthread_t thread = thread_start(intrude, NULL);
    MUST(sem_wait(&tried) == 0);
    state = 1; /* owner */
    MUST(pthread_mutex_unlock(&lock) == 0);
    thread_join(thread);
    MUST(state > 0);
    return 0;
}
