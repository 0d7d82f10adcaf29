/* Data is published by a flag that is stored with release and loaded with acquire.
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
    atomic_store_explicit(&is_ready, true, memory_order_release);
    return unused;
}

static void *reader(void *unused)
{
    while (!atomic_load_explicit(&is_ready, memory_order_acquire)) {
        (void)sched_yield();
    }
    MUST(data == 42);
    return unused;
}

int main(void)
{
    threads_run(writer, reader);
    return 0;
}
