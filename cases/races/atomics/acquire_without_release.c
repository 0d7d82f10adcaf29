/* A flag is loaded with acquire, but the writer stores it relaxed.
 *
 * race: data write read */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../race.h"

static atomic_bool is_ready;
static int data;

static void *writer(void *unused)
{
    data = 42; /* write */
    atomic_store_explicit(&is_ready, true, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused)
{
    while (!atomic_load_explicit(&is_ready, memory_order_acquire)) {
        (void)sched_yield();
    }
    MUST(data == 0 || data == 42); /* read */
    return unused;
}

int main(void)
{
    threads_run(writer, reader);
    return 0;
}
