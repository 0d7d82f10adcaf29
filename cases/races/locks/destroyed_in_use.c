/* A mutex is destroyed when its last user was seen to have finished, but nothing orders the two.
 *
 * race: lock use destroy */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../race.h"

static pthread_mutex_t lock;
static atomic_bool is_done;

static void *user(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);   /* use */
    MUST(pthread_mutex_unlock(&lock) == 0); /* use */
    atomic_store_explicit(&is_done, true, memory_order_relaxed);
    return unused;
}

int main(void)
{
    MUST(pthread_mutex_init(&lock, NULL) == 0);
    const pthread_t thread = thread_start(user, NULL);
    while (!atomic_load_explicit(&is_done, memory_order_relaxed)) {
        (void)sched_yield();
    }
    MUST(pthread_mutex_destroy(&lock) == 0); /* destroy */
    thread_join(thread);
    return 0;
}
