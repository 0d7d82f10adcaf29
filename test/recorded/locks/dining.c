/* Philosophers who all take their left fork first.
 *
 * deadlock: left>right */
#include "threads.h"

enum { SEATS = 4 };

static pthread_mutex_t forks[SEATS];

static void *dine(void *argument)
{
    const unsigned seat = *(unsigned *)argument;
    await_turn(seat);
    NEED(pthread_mutex_lock(&forks[seat]) == 0);               /* left */
    NEED(pthread_mutex_lock(&forks[(seat + 1) % SEATS]) == 0); /* right */
    NEED(pthread_mutex_unlock(&forks[(seat + 1) % SEATS]) == 0);
    NEED(pthread_mutex_unlock(&forks[seat]) == 0);
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
