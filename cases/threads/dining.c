/* Dining philosophers: each takes the fork on the left and then the one on the right. When all have
 * their left one, all wait for ever. */
#include "threads.h"

enum { SEATS = 3 };

static pthread_mutex_t forks[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *which)
{
    intptr_t first = (intptr_t)which;
    intptr_t second = (first + 1) % SEATS;
#ifdef FIXED
    if (first > second) { /* the lower number first, for everybody */
        const intptr_t higher = first;
        first = second;
        second = higher;
    }
#endif
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

int main(void)
{
    RUN(dine, dine, dine);
    return 0;
}
