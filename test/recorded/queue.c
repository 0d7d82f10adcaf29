/* A queue of one producer and one consumer, without locks.
 * no race */
#include <stdatomic.h>

#include "program.h"

enum { ROOM = 8, ITEMS = 500 };

static long items[ROOM];
static atomic_ulong head;
static atomic_ulong tail;

static void *produce(void *unused)
{
    for (unsigned long i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&head, memory_order_acquire) == ROOM) {
        }
        items[i % ROOM] = (long)i;
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (unsigned long i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&tail, memory_order_acquire) == i) {
        }
        CLAIM(items[i % ROOM] == (long)i);
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    return unused;
}

int main(void)
{
    run_both(produce, consume);
    return 0;
}
