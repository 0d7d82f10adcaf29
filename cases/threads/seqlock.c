/* A sequence lock: a reader takes two values without a lock and looks at the sequence number first.
 * It does not look again afterwards, and keeps a pair that never was. */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

static atomic_uint sequence; /* odd while the values are being written */
static atomic_int left, right;

static void *write_pair(void *unused)
{
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&left, i);
        atomic_store(&right, i);
        atomic_fetch_add(&sequence, 1);
    }
    return unused;
}

static void *read_pair(void *unused)
{
    unsigned before = 0;
    int seen_left = 0;
    int seen_right = 0;
    do {
        before = atomic_load(&sequence);
        while (before % 2 != 0) {
            sched_yield();
            before = atomic_load(&sequence);
        }
        seen_left = atomic_load(&left);
        seen_right = atomic_load(&right);
#ifdef FIXED
    } while (atomic_load(&sequence) != before);
#else
    } while (0);
#endif
    assert(seen_left == seen_right);
    return unused;
}

int main(void)
{
    RUN(write_pair, read_pair);
    return 0;
}
