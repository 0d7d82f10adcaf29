/* Mutual exclusion by a flag that is read and then written: two who find it down both raise it. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

#ifdef FIXED
static atomic_bool is_busy;
#else
static volatile bool is_busy;
#endif
static int count;

static void enter(void)
{
#ifdef FIXED
    while (atomic_exchange(&is_busy, true)) {
        while (atomic_load(&is_busy)) {
            sched_yield();
        }
    }
#else
    while (is_busy) {
        sched_yield();
    }
    is_busy = true;
#endif
}

static void *add(void *unused)
{
    enter();
    count = count + 1;
    is_busy = false;
    return unused;
}

int main(void)
{
    RUN(add, add);
    assert(count == 2);
    return 0;
}
