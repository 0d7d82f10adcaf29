/* A lock that is destroyed, freed or initialized while another thread uses it races with that.
 * Behind a join it does not.
 * race: unlock destroy
 * may race: lock destroy
 * race: post free
 * may race: lock free
 * may race: unlock free
 * race: late init
 * may race: release init */
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "program.h"

struct shared {
    pthread_mutex_t lock;
    sem_t posted;
};

static struct shared *shared;
static pthread_mutex_t late, joined = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turn;

static void await(int wanted)
{
    while (atomic_load_explicit(&turn, memory_order_relaxed) != wanted) {
        (void)sched_yield();
    }
}

static void go(int next)
{
    atomic_store_explicit(&turn, next, memory_order_relaxed);
}

static void leave(void)
{
    pthread_mutex_lock(&joined);
    pthread_mutex_unlock(&joined);
}

static void *use(void *unused)
{
    pthread_mutex_lock(&shared->lock);   /* lock */
    pthread_mutex_unlock(&shared->lock); /* unlock */
    sem_post(&shared->posted);           /* post */
    go(1);
    await(2);
    pthread_mutex_lock(&late);   /* late */
    pthread_mutex_unlock(&late); /* release */
    leave();
    return unused;
}

static void *end(void *unused)
{
    await(1);
    pthread_mutex_destroy(&shared->lock);        /* destroy */
    free(shared);                                /* free */
    CLAIM(pthread_mutex_init(&late, NULL) == 0); /* init */
    go(2);
    leave();
    return unused;
}

int main(void)
{
    shared = malloc(sizeof *shared);
    CLAIM(shared != NULL && pthread_mutex_init(&shared->lock, NULL) == 0);
    CLAIM(sem_init(&shared->posted, 0, 0) == 0);
    run_both(use, end);
    pthread_mutex_destroy(&joined);
    pthread_mutex_destroy(&late);
    return 0;
}
