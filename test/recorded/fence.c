/* Published by a fence and a relaxed store, seen by a relaxed load and a fence.
 * no race */
#include <stdatomic.h>

#include "program.h"

static long data;
static atomic_int is_there;

static void *produce(void *unused)
{
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&is_there, 1, memory_order_relaxed);
    return unused;
}

static void *consume(void *unused)
{
    while (atomic_load_explicit(&is_there, memory_order_relaxed) == 0) {
    }
    atomic_thread_fence(memory_order_acquire);
    CLAIM(data == 42);
    return unused;
}

int main(void)
{
    run_both(produce, consume);
    return 0;
}
