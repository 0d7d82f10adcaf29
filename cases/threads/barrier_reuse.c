/* A barrier made by hand, used twice: the last to come sets the count back for the next time. Who
 * was woken and comes late sees the new count and waits again, one round behind. */
#include "threads.h"

enum { PARTIES = 2, ROUNDS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int waiting;

#ifdef FIXED
static int generation;
#endif

static void meet(void)
{
    pthread_mutex_lock(&lock);
    waiting++;
    if (waiting == PARTIES) {
        waiting = 0;
#ifdef FIXED
        generation++;
#endif
        pthread_cond_broadcast(&all_here);
    } else {
#ifdef FIXED
        const int own = generation;
        while (generation == own) {
            pthread_cond_wait(&all_here, &lock);
        }
#else
        while (waiting != 0) {
            pthread_cond_wait(&all_here, &lock);
        }
#endif
    }
    pthread_mutex_unlock(&lock);
}

static void *step(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        meet();
    }
    return unused;
}

int main(void)
{
    RUN(step, step);
    return 0;
}
