/* A queue of work: its owner takes from one end, thieves steal from the other. The owner first
 * claims an item and then looks how far the thieves are; the other way round both do the last. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

enum { ITEMS = 3, NONE = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head;         /* the next to be stolen */
static atomic_int tail = ITEMS; /* one after the next of the owner's */
static atomic_int done[ITEMS];

static int take(void)
{
    const int last = atomic_load(&tail) - 1;
#ifdef FIXED
    atomic_store(&tail, last);
    const int stolen = atomic_load(&head);
#else
    const int stolen = atomic_load(&head);
    atomic_store(&tail, last);
#endif
    if (stolen <= last) {
        return last;
    }
    /* A thief wants the same and will see that it comes too late, or there is none. */
    pthread_mutex_lock(&lock);
    const bool is_left = atomic_load(&head) <= last;
    if (!is_left) {
        atomic_store(&tail, last + 1);
    }
    pthread_mutex_unlock(&lock);
    return is_left ? last : NONE;
}

static int steal(void)
{
    pthread_mutex_lock(&lock);
    const int first = atomic_load(&head);
    atomic_store(&head, first + 1);
    const bool is_left = first < atomic_load(&tail);
    if (!is_left) {
        atomic_store(&head, first);
    }
    pthread_mutex_unlock(&lock);
    return is_left ? first : NONE;
}

static void *own(void *unused)
{
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
