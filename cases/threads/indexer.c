/* The indexer of Flanagan and Godefroid (Dynamic partial-order reduction, POPL 2005): threads put
 * messages into a hash table of 128 slots. Up to 11 threads never meet in a slot. Here a thread
 * reads a slot and writes it later instead of a compare-and-swap: of two messages one is lost. The
 * argument is the number of threads, 12 when there is none. */
#include <stdatomic.h>

#include "threads.h"

enum { SLOTS = 128, MESSAGES = 4, STEP = 7, PER_THREAD = 11 };

static atomic_int slots[SLOTS];

static int is_put(int slot, int message)
{
#ifdef FIXED
    int empty = 0;
    return atomic_compare_exchange_strong(&slots[slot], &empty, message);
#else
    if (atomic_load(&slots[slot]) != 0) {
        return 0;
    }
    atomic_store(&slots[slot], message);
    return 1;
#endif
}

static void *put_all(void *which)
{
    for (int i = 0; i < MESSAGES; i++) {
        const int message = (int)(intptr_t)which + 1 + i * PER_THREAD;
        int slot = message * STEP % SLOTS;
        while (!is_put(slot, message)) {
            slot = (slot + 1) % SLOTS;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const size_t threads = threads_asked(argc, argv, 12);
    size_t count = 0;
    threads_run_last(put_all, put_all, threads);
    for (int i = 0; i < SLOTS; i++) {
        count += atomic_load(&slots[i]) != 0;
    }
    assert(count == threads * MESSAGES);
    return 0;
}
