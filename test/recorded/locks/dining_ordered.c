/* Philosophers who all take the fork with the lower number first.
 *
 * no deadlock */
#include "threads.h"

enum { SEATS = 4 };

static pthread_mutex_t forks[SEATS];

static void *dine(void *argument)
{
    const unsigned seat = *(unsigned *)argument;
    const unsigned next = (seat + 1) % SEATS;
    const unsigned low = seat < next ? seat : next;
    const unsigned high = seat < next ? next : seat;
    await_turn(seat);
    NEED(pthread_mutex_lock(&forks[low]) == 0);
    NEED(pthread_mutex_lock(&forks[high]) == 0);
    NEED(pthread_mutex_unlock(&forks[high]) == 0);
    NEED(pthread_mutex_unlock(&forks[low]) == 0);
    return NULL;
}

int main(void)
{
    static unsigned seats[SEATS];
    pthread_t threads[SEATS];
    for (unsigned i = 0; i < SEATS; i++) {
        NEED(pthread_mutex_init(&forks[i], NULL) == 0);
        seats[i] = i;
    }
    for (unsigned i = 0; i < SEATS; i++) {
        threads[i] = begin(dine, &seats[i]);
    }
    for (unsigned i = 0; i < SEATS; i++) {
        finish(threads[i]);
    }
    return 0;
}
