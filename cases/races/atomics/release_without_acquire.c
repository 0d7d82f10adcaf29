/* A flag is stored with release, but the reader loads it relaxed.
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
    atomic_store_explicit(&is_ready, true, memory_order_release);
    return unused;
}

static void *reader(void *unused)
{
    while (!atomic_load_explicit(&is_ready, memory_order_relaxed)) {
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
