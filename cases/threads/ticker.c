/* A job that is done at every tick until it is told to stop. When a tick and the stop are both
 * there, the tick may be taken first, and the job is done once too often. After the example with
 * which Dara is explained. */
#include <clew/clew.h>
#include <stdbool.h>
#include <time.h>

#include "threads.h"

enum { TICKS = 3, PERIOD_NS = 1000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ticks;
static int stops_delivered;

static void *tick(void *unused)
{
    const struct timespec period = {.tv_nsec = PERIOD_NS};
    for (int i = 0; i < TICKS; i++) {
        (void)nanosleep(&period, NULL);
        pthread_mutex_lock(&lock);
        ticks++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *stop(void *unused)
{
    const struct timespec while_it_works = {.tv_nsec = 2 * PERIOD_NS};
    (void)nanosleep(&while_it_works, NULL);
    pthread_mutex_lock(&lock);
    stops_delivered++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

/* Waits for a tick or the stop; true when it was the stop. With both there, it is the tick. */
static bool wait_for_either(void)
{
    while (ticks == 0 && stops_delivered == 0) {
        pthread_cond_wait(&changed, &lock);
    }
#ifdef FIXED
    const bool is_stop = stops_delivered > 0;
#else
    const bool is_stop = ticks == 0;
#endif
    if (!is_stop) {
        ticks--;
    }
    return is_stop;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!wait_for_either()) {
        clew_var("stops_delivered", stops_delivered);
        /* Here it would work. */
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(work, tick, stop);
    return 0;
}
