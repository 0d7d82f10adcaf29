/* A work-stealing deque over a ring of two slots, after the WSQ programs of CHESS. A thief claims
 * the first item and reads it afterwards: by then the owner may have put another item into its
 * slot. The twin reads before it claims. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

enum { ITEMS = 4, SLOTS = 2, NONE = -1 };

static atomic_int top, bottom;
static atomic_int slots[SLOTS];
static atomic_int done[ITEMS];

static bool push(int item)
{
    const int own = atomic_load(&bottom);
    if (own - atomic_load(&top) >= SLOTS) {
        return false;
    }
    atomic_store(&slots[own % SLOTS], item);
    atomic_store(&bottom, own + 1);
    return true;
}

static int steal(void)
{
    int first = atomic_load(&top);
    if (first >= atomic_load(&bottom)) {
        return NONE;
    }
#ifdef FIXED
    const int item = atomic_load(&slots[first % SLOTS]);
    return atomic_compare_exchange_strong(&top, &first, first + 1) ? item : NONE;
#else
    const bool is_claimed = atomic_compare_exchange_strong(&top, &first, first + 1);
    return is_claimed ? atomic_load(&slots[first % SLOTS]) : NONE;
#endif
}

static void work_on(int item)
{
    assert(atomic_fetch_add(&done[item], 1) == 0);
}

static void *own(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        if (!push(i)) {
            work_on(i);
        }
    }
    return unused;
}

static void *thief(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        const int item = steal();
        if (item != NONE) {
            work_on(item);
        }
    }
    return unused;
}

int main(void)
{
    RUN(own, thief);
    return 0;
}
