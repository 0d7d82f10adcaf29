/* A bounded queue with a sequence number in each cell, after Vyukov's MPMC queue. A producer claims
 * a cell by a load and a store instead of a compare-and-swap: two producers write the same cell. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

enum { CELLS = 4, PER_PRODUCER = 2 };

static struct {
    atomic_uint sequence;
    atomic_int value;
} cells[CELLS] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};

static atomic_uint tail, head;

static bool is_claimed(unsigned position)
{
#ifdef FIXED
    return atomic_compare_exchange_strong(&tail, &position, position + 1);
#else
    atomic_store(&tail, position + 1);
    return true;
#endif
}

static void put(int value)
{
    for (;;) {
        const unsigned position = atomic_load(&tail);
        if (atomic_load(&cells[position % CELLS].sequence) == position && is_claimed(position)) {
            atomic_store(&cells[position % CELLS].value, value);
            atomic_store(&cells[position % CELLS].sequence, position + 1);
            return;
        }
    }
}

/* 0 when it is empty. */
static int take(void)
{
    const unsigned position = atomic_load(&head);
    if (atomic_load(&cells[position % CELLS].sequence) != position + 1) {
        return 0;
    }
    atomic_store(&head, position + 1);
    const int value = atomic_load(&cells[position % CELLS].value);
    atomic_store(&cells[position % CELLS].sequence, position + CELLS);
    return value;
}

static void *produce(void *which)
{
    for (int i = 0; i < PER_PRODUCER; i++) {
        put(1 + i + PER_PRODUCER * (int)(intptr_t)which);
    }
    return NULL;
}

int main(void)
{
    int sum = 0;
    RUN(produce, produce);
    for (int value = take(); value != 0; value = take()) {
        sum += value;
    }
    assert(sum == 1 + 2 + 3 + 4);
    return 0;
}
