/* Peterson's mutual exclusion with its first two steps exchanged: who gives way before saying that
 * it wants to enter may be overtaken by one who saw nobody. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

static atomic_bool wants[2];
static atomic_int turn;
static int count;

static void *add(void *which)
{
    const int self = (int)(intptr_t)which;
    const int other = 1 - self;
#ifdef FIXED
    atomic_store(&wants[self], true);
    atomic_store(&turn, other);
#else
    atomic_store(&turn, other);
    atomic_store(&wants[self], true);
#endif
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other) {
        sched_yield();
    }
    count = count + 1;
    atomic_store(&wants[self], false);
    return NULL;
}

int main(void)
{
    RUN(add, add);
    assert(count == 2);
    return 0;
}
