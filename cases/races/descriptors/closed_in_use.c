/* A thread writes to a pipe while another one closes it.
 *
 * race: - use close */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../race.h"

static int ends[2];
static atomic_bool is_written;

static void *writer(void *unused)
{
    MUST(write(ends[1], "x", 1) == 1); /* use */
    atomic_store_explicit(&is_written, true, memory_order_relaxed);
    return unused;
}

int main(void)
{
    MUST(pipe(ends) == 0);
    const pthread_t thread = thread_start(writer, NULL);
    while (!atomic_load_explicit(&is_written, memory_order_relaxed)) {
        (void)sched_yield();
    }
    MUST(close(ends[1]) == 0); /* close */
    thread_join(thread);
    MUST(close(ends[0]) == 0);
    return 0;
}
