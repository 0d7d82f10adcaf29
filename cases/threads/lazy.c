/* Three steps of which the third must come before the second, after the lazy program of the
 * SCTBench suite. A lock protects the number, but nothing orders the threads. */
#include <semaphore.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_looked_at;
static int number;

static void add(int count)
{
    pthread_mutex_lock(&lock);
    number += count;
    pthread_mutex_unlock(&lock);
}

static void *add_one(void *unused)
{
    add(1);
    return unused;
}

static void *add_two(void *unused)
{
#ifdef FIXED
    sem_wait(&is_looked_at);
#endif
    add(2);
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(number < 3);
    pthread_mutex_unlock(&lock);
    sem_post(&is_looked_at);
    return unused;
}

int main(void)
{
    sem_init(&is_looked_at, 0, 0);
    RUN(add_one, add_two, look);
    return 0;
}
