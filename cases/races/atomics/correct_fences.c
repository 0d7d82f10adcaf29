/* Data is published by a relaxed flag between a release fence and an acquire fence.
 *
 * no race */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../race.h"

static atomic_bool is_ready;
static int data;

static void *writer(void *unused)
{
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&is_ready, true, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused)
{
    while (!atomic_load_explicit(&is_ready, memory_order_relaxed)) {
        (void)sched_yield();
    }
    atomic_thread_fence(memory_order_acquire);
    MUST(data == 42);
    return unused;
}

int main(void)
{
    threads_run(writer, reader);
    return 0;
}
