/* One thread frees a block when it sees, relaxed, that the other has begun to read it.
 *
 * race: - read free */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../race.h"

static atomic_bool is_read;

static void *reader(void *argument)
{
    const int *block = argument;
    MUST(*block == 7); /* read */
    atomic_store_explicit(&is_read, true, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    int *block = malloc(64);
    MUST(block != NULL);
    *block = 7;
    const pthread_t thread = thread_start(reader, block);
    while (!atomic_load_explicit(&is_read, memory_order_relaxed)) {
        (void)sched_yield();
    }
    free(block); /* free */
    thread_join(thread);
    return 0;
}
