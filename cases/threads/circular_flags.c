/* A ring of numbers with a count of those announced, after the circular_buffer program of the
 * SCTBench suite. Every access holds the lock, but all numbers are announced before the first is in
 * the ring. */
#include "threads.h"

enum { ITEMS = 5, ROOM = 8, START = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ring[ROOM];
static int announced;

static void announce(int count)
{
    pthread_mutex_lock(&lock);
    announced = count;
    pthread_mutex_unlock(&lock);
}

static void *send(void *unused)
{
#ifndef FIXED
    announce(ITEMS);
#endif
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        ring[(START + i) % ROOM] = i + 1;
        pthread_mutex_unlock(&lock);
#ifdef FIXED
        announce(i + 1);
#endif
    }
    return unused;
}

static void *receive(void *unused)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < announced; i++) {
        assert(ring[(START + i) % ROOM] == i + 1);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(send, receive);
    return 0;
}
