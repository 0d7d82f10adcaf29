/* A barrier of a counter and a flag, as SPLASH-2's macros build it. The last thread that arrives
 * opens the barrier before it has reset the counter, so that a fast thread is counted for the next
 * phase first and forgotten. The argument is the number of threads, 2 when there is none. The twin
 * resets first. */
#include <stdatomic.h>

#include "threads.h"

enum { PHASES = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static size_t thread_count;
static size_t arrived;
static int phase;

static void open_barrier(void)
{
    pthread_mutex_lock(&lock);
    phase++;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
}

static void reset_count(void)
{
    pthread_mutex_lock(&lock);
    arrived = 0;
    pthread_mutex_unlock(&lock);
}

static void await_all(void)
{
    pthread_mutex_lock(&lock);
    const int own = phase;
    if (++arrived < thread_count) {
        while (phase == own) {
            pthread_cond_wait(&opened, &lock);
        }
        pthread_mutex_unlock(&lock);
        return;
    }
    pthread_mutex_unlock(&lock);
#ifdef FIXED
    reset_count();
    open_barrier();
#else
    open_barrier();
    reset_count();
#endif
}

static void *work(void *unused)
{
    for (int i = 0; i < PHASES; i++) {
        await_all();
    }
    return unused;
}

int main(int argc, char **argv)
{
    thread_count = threads_asked(argc, argv, 2);
    threads_run_last(work, work, thread_count);
    return 0;
}
