/* Dining philosophers: each takes the fork on the left and then the one on the right. When all have
 * their left one, all wait for ever. The argument is the number of philosophers, 3 when there is
 * none. */
#include "threads.h"

static pthread_mutex_t forks[THREADS_MAX];
static size_t seats;

static void *dine(void *which)
{
    intptr_t first = (intptr_t)which;
    intptr_t second = (first + 1) % (intptr_t)seats;
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

int main(int argc, char **argv)
{
    seats = threads_asked(argc, argv, 3);
    for (size_t i = 0; i < seats; i++) {
        pthread_mutex_init(&forks[i], NULL);
    }
    threads_run_last(dine, dine, seats);
    return 0;
}
