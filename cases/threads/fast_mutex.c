/* Lamport's fast mutual exclusion (1987) for two threads. A thread that met another on the slow way
 * must wait until the other's flag is down before it looks at y; here it does not wait. */
#include <stdatomic.h>

#include "threads.h"

enum { THREADS = 2 };

static atomic_int x, y;
static atomic_int flags[THREADS + 1];
static atomic_int inside;

/* True when the thread is in. */
static int try_enter(int own)
{
    atomic_store(&flags[own], 1);
    atomic_store(&x, own);
    if (atomic_load(&y) != 0) {
        atomic_store(&flags[own], 0);
        return 0;
    }
    atomic_store(&y, own);
    if (atomic_load(&x) == own) {
        return 1;
    }
    atomic_store(&flags[own], 0);
#ifdef FIXED
    for (int i = 1; i <= THREADS; i++) {
        while (atomic_load(&flags[i]) != 0) {
        }
    }
#endif
    return atomic_load(&y) == own;
}

static void *work(void *place)
{
    const int own = (int)(intptr_t)place + 1;
    for (int tries = 0; tries < 2; tries++) {
        if (try_enter(own)) {
            assert(atomic_fetch_add(&inside, 1) == 0);
            atomic_fetch_sub(&inside, 1);
            atomic_store(&y, 0);
            atomic_store(&flags[own], 0);
        }
    }
    return place;
}

int main(void)
{
    RUN(work, work);
    return 0;
}
