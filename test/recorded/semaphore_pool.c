/* A semaphore of two lets both threads in at once, whoever came first in the run; one of one lets
 * in one at a time. A post is no order where the count was 1 already.
 *
 * race: pool pool
 * race: before_post after_wait */
#include <semaphore.h>

#include "program.h"

static sem_t pool;    /* initially 2 */
static sem_t binary;  /* initially 1, used as a lock */
static sem_t spoiled; /* initially 1, where 0 was meant */
static sem_t ready;   /* initially 0 */
static long in_pool, in_binary, published, handed_over;

static void *first(void *unused)
{
    CLAIM(sem_wait(&pool) == 0);
    in_pool++; /* pool */
    CLAIM(sem_post(&pool) == 0);
    CLAIM(sem_wait(&binary) == 0);
    in_binary++;
    CLAIM(sem_post(&binary) == 0);
    published++; /* before_post */
    CLAIM(sem_post(&spoiled) == 0);
    handed_over++;
    CLAIM(sem_post(&ready) == 0);
    return unused;
}

static void *second(void *unused)
{
    CLAIM(sem_wait(&pool) == 0);
    in_pool++; /* pool */
    CLAIM(sem_post(&pool) == 0);
    CLAIM(sem_wait(&binary) == 0);
    in_binary++;
    CLAIM(sem_post(&binary) == 0);
    CLAIM(sem_wait(&spoiled) == 0);
    published++; /* after_wait */
    CLAIM(sem_wait(&ready) == 0);
    handed_over++;
    return unused;
}

int main(void)
{
    CLAIM(sem_init(&pool, 0, 2) == 0);
    CLAIM(sem_init(&binary, 0, 1) == 0);
    CLAIM(sem_init(&spoiled, 0, 1) == 0);
    CLAIM(sem_init(&ready, 0, 0) == 0);
    run_both(first, second);
    return 0;
}
