/* A ring for one producer and one consumer with atomic indexes, stored with release and loaded with
 * acquire.
 *
 * no race */
#include <sched.h>
#include <stdatomic.h>

#include "../race.h"

enum { ROOM = 4, ITEMS = 10 };

static int ring[ROOM];
static atomic_uint head;
static atomic_uint tail;

static void *producer(void *unused)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&tail, memory_order_acquire) == ROOM) {
            (void)sched_yield();
        }
        ring[i % ROOM] = (int)i;
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    return unused;
}

static void *consumer(void *unused)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&head, memory_order_acquire) == i) {
            (void)sched_yield();
        }
        MUST(ring[i % ROOM] == (int)i);
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    return unused;
}

int main(void)
{
    threads_run(producer, consumer);
    return 0;
}
