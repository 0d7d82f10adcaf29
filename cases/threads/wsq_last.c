/* The work-stealing deque of Chase and Lev (SPAA 2005). For the last item the owner must compete
 * with the thieves by a compare-and-swap on the top; here it takes it without. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

enum { ITEMS = 3, NONE = -1 };

static atomic_int top, bottom;
static atomic_int items[ITEMS];
static atomic_int done[ITEMS];

static void push(int item)
{
    const int own = atomic_load(&bottom);
    atomic_store(&items[own], item);
    atomic_store(&bottom, own + 1);
}

/* Whether the owner wins the last item. */
static bool claims_last(int first)
{
#ifdef FIXED
    return atomic_compare_exchange_strong(&top, &first, first + 1);
#else
    atomic_store(&top, first + 1);
    return true;
#endif
}

static int take(void)
{
    const int own = atomic_load(&bottom) - 1;
    atomic_store(&bottom, own);
    const int first = atomic_load(&top);
    if (first > own) {
        atomic_store(&bottom, first);
        return NONE;
    }
    int item = atomic_load(&items[own]);
    if (first == own) {
        item = claims_last(first) ? item : NONE;
        atomic_store(&bottom, first + 1);
    }
    return item;
}

static int steal(void)
{
    int first = atomic_load(&top);
    if (first >= atomic_load(&bottom)) {
        return NONE;
    }
    const int item = atomic_load(&items[first]);
    return atomic_compare_exchange_strong(&top, &first, first + 1) ? item : NONE;
}

static void *own(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        push(i);
    }
    for (int item = take(); item != NONE; item = take()) {
        atomic_fetch_add(&done[item], 1);
    }
    return unused;
}

static void *thief(void *unused)
{
    for (int i = 0; i < 2; i++) {
        const int item = steal();
        if (item != NONE) {
            atomic_fetch_add(&done[item], 1);
        }
    }
    return unused;
}

int main(void)
{
    RUN(own, thief);
    for (int i = 0; i < ITEMS; i++) {
        assert(atomic_load(&done[i]) == 1);
    }
    return 0;
}
