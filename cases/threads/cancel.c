/* A thread is cancelled while it waits for a condition: it dies with the lock, which the wait had
 * taken back. The twin has a handler that gives it back. */
#include <stdbool.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_ready;

static void let_go(void *held)
{
#ifdef FIXED
    pthread_mutex_unlock(held);
#else
    (void)held;
#endif
}

static void *wait_for_it(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(let_go, &lock);
    while (!is_ready) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_cleanup_pop(0);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *make_ready(void *unused)
{
    pthread_mutex_lock(&lock);
    is_ready = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t waiter;
    pthread_t maker;
    (void)pthread_create(&waiter, NULL, wait_for_it, NULL);
    (void)pthread_create(&maker, NULL, make_ready, NULL);
    (void)pthread_cancel(waiter);
    (void)pthread_join(waiter, NULL);
    (void)pthread_join(maker, NULL);
    return 0;
}
