/* A sequence lock with two writers that nothing excludes from each other, after Lameter (Gelato
 * 2005). The second writer makes the sequence even while the first is still writing: a reader that
 * looks at the sequence twice keeps a pair that never was. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

enum { TRIES = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int sequence;
static atomic_int low, high;

static void *update(void *which)
{
    const int value = 1 + (int)(intptr_t)which;
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    atomic_fetch_add(&sequence, 1);
    atomic_store(&low, value);
    atomic_store(&high, value);
    atomic_fetch_add(&sequence, 1);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

static void *look(void *unused)
{
    for (int i = 0; i < TRIES; i++) {
        const int before = atomic_load(&sequence);
        const int seen_low = atomic_load(&low);
        const int seen_high = atomic_load(&high);
        if (before % 2 == 0 && atomic_load(&sequence) == before) {
            assert(seen_low == seen_high);
            return unused;
        }
    }
    return unused;
}

int main(void)
{
    (void)lock;
    RUN(update, update, look);
    return 0;
}
