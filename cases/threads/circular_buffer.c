/* A ring between one who writes and one who reads: the item is said to be there before it is. */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

enum { SLOTS = 2, ITEMS = 3 };

static int slots[SLOTS];
static atomic_uint written, read_count;

static void *put_all(void *unused)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load(&read_count) == SLOTS) {
            sched_yield();
        }
#ifdef FIXED
        slots[i % SLOTS] = (int)i + 1;
        atomic_store(&written, i + 1);
#else
        atomic_store(&written, i + 1);
        slots[i % SLOTS] = (int)i + 1;
#endif
    }
    return unused;
}

static void *take_all(void *unused)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load(&written) == i) {
            sched_yield();
        }
        assert(slots[i % SLOTS] == (int)i + 1);
        atomic_store(&read_count, i + 1);
    }
    return unused;
}

int main(void)
{
    RUN(put_all, take_all);
    return 0;
}
