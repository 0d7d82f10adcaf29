/* A driver that is stopped while it is used: who wants to use it looks whether it is being stopped,
 * and counts itself in afterwards. Between the two the driver is stopped under its hands. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

static atomic_int users = 1; /* the driver itself, and who is at work in it */
static atomic_bool is_stopping;
static atomic_bool is_stopped;

static void leave(void)
{
    if (atomic_fetch_sub(&users, 1) == 1) {
        atomic_store(&is_stopped, true);
    }
}

static bool enter(void)
{
#ifdef FIXED
    /* Counted in first, and only while there is somebody left to count. */
    int count = atomic_load(&users);
    do {
        if (count == 0) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&users, &count, count + 1));
    if (atomic_load(&is_stopping)) {
        leave();
        return false;
    }
#else
    if (atomic_load(&is_stopping)) {
        return false;
    }
    atomic_fetch_add(&users, 1);
#endif
    return true;
}

static void *use(void *unused)
{
    if (enter()) {
        assert(!atomic_load(&is_stopped));
        leave();
    }
    return unused;
}

static void *stop(void *unused)
{
    atomic_store(&is_stopping, true);
    leave();
    return unused;
}

int main(void)
{
    RUN(use, stop);
    return 0;
}
