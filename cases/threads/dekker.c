/* Dekker's algorithm (Dijkstra, EWD123). A thread that gave way does not raise its flag again
 * before it enters. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

enum { ROUNDS = 2 };

static atomic_bool wants[2];
static atomic_int turn;
static atomic_int inside;

static void enter(int self)
{
    const int other = 1 - self;
    atomic_store(&wants[self], true);
    while (atomic_load(&wants[other])) {
        if (atomic_load(&turn) == self) {
            sched_yield();
            continue;
        }
        atomic_store(&wants[self], false);
        while (atomic_load(&turn) != self) {
            sched_yield();
        }
#ifdef FIXED
        atomic_store(&wants[self], true);
#endif
    }
}

static void leave(int self)
{
    atomic_store(&turn, 1 - self);
    atomic_store(&wants[self], false);
}

static void *work(void *which)
{
    const int self = (int)(intptr_t)which;
    for (int i = 0; i < ROUNDS; i++) {
        enter(self);
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        leave(self);
    }
    return NULL;
}

int main(void)
{
    RUN(work, work);
    return 0;
}
