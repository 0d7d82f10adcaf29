/* A queue beside a journal of what was put into it, after the queue program of the SCTBench suite.
 * Every access holds the lock, but an entry is in the journal one critical section before the queue
 * has it. A consumer that trusts the journal takes from an empty queue. */
#include "threads.h"

enum { ITEMS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int journal[ITEMS], queue[ITEMS];
static int journal_size, queue_size;

static void *produce(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        journal[journal_size++] = 10 * i;
#ifndef FIXED
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
#endif
        queue[queue_size++] = 10 * i;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused)
{
    int taken = 0;
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        if (taken < journal_size) {
            assert(taken < queue_size);
            assert(queue[taken] == journal[taken]);
            taken++;
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    RUN(produce, consume);
    return 0;
}
