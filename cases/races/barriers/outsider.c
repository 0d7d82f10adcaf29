/* Two threads work in phases; a third one watches their progress without taking part in the
 * barrier.
 *
 * race: phase write read */
#include "../race.h"

static pthread_barrier_t barrier;
static int phase;

static void *leader(void *unused)
{
    (void)pthread_barrier_wait(&barrier);
    phase = 1; /* write */
    (void)pthread_barrier_wait(&barrier);
    return unused;
}

static void *follower(void *unused)
{
    (void)pthread_barrier_wait(&barrier);
    (void)pthread_barrier_wait(&barrier);
    MUST(phase == 1);
    return unused;
}

static void *watcher(void *unused)
{
    MUST(phase <= 1); /* read */
    return unused;
}

int main(void)
{
    MUST(pthread_barrier_init(&barrier, NULL, 2) == 0);
    const pthread_t third = thread_start(watcher, NULL);
    threads_run(leader, follower);
    thread_join(third);
    return 0;
}
