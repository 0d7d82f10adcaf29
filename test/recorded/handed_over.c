/* Values handed over by a semaphore, a pipe, a flag under a lock, and a join.
 * no race */
#include <semaphore.h>
#include <unistd.h>

#include "program.h"

static long by_semaphore, by_pipe, by_flag, by_join;
static sem_t posted;
static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_set;

static void *give(void *unused)
{
    by_semaphore = 1;
    CLAIM(sem_post(&posted) == 0);
    by_pipe = 2;
    CLAIM(write(ends[1], "x", 1) == 1);
    by_flag = 3;
    pthread_mutex_lock(&lock);
    is_set = 1;
    pthread_mutex_unlock(&lock);
    by_join = 4;
    return unused;
}

static void *get(void *unused)
{
    char byte;
    CLAIM(sem_wait(&posted) == 0);
    CLAIM(by_semaphore++ == 1);
    CLAIM(read(ends[0], &byte, 1) == 1);
    CLAIM(by_pipe++ == 2);
    for (int is_seen = 0; !is_seen;) {
        pthread_mutex_lock(&lock);
        is_seen = is_set;
        pthread_mutex_unlock(&lock);
    }
    CLAIM(by_flag++ == 3);
    return unused;
}

int main(void)
{
    CLAIM(sem_init(&posted, 0, 0) == 0);
    CLAIM(pipe(ends) == 0);
    run_both(give, get);
    CLAIM(by_join == 4);
    return 0;
}
