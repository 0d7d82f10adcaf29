/* A ring for one producer and one consumer whose indexes are volatile instead of atomic.
 *
 * race: head publish look
 * may race: tail release room
 * may race: ring put take */
#include <sched.h>

#include "../race.h"

enum { ROOM = 4, ITEMS = 6 };

static int ring[ROOM];
static volatile unsigned head;
static volatile unsigned tail;

static void *producer(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        while (head - tail == ROOM) { /* room */
            (void)sched_yield();
        }
        ring[head % ROOM] = i; /* put */
        head = head + 1;       /* publish */
    }
    return unused;
}

static void *consumer(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        while (head == tail) { /* look */
            (void)sched_yield();
        }
        MUST(ring[tail % ROOM] < ITEMS); /* take */
        tail = tail + 1;                 /* release */
    }
    return unused;
}

int main(void)
{
    threads_run(producer, consumer);
    return 0;
}
