/* Tickets sold by several agents, after the airline program of Eytani and Ur's benchmark of
 * concurrent bugs (PADTAD 2004). An agent asks whether seats are left in one critical section and
 * sells in another. There is one seat less than agents. The argument is the number of agents, 3
 * when there is none. */
#include <stdbool.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats, sold;

static void *sell(void *unused)
{
    pthread_mutex_lock(&lock);
    const bool is_left = sold < seats;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    sold += is_left ? 1 : 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int argc, char **argv)
{
    const size_t agents = threads_asked(argc, argv, 3);
    seats = (int)agents - 1;
    threads_run_last(sell, sell, agents);
    assert(sold <= seats);
    return 0;
}
