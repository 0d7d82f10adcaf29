/* Peterson's lock with relaxed atomics excludes nobody and orders nothing.
 *
 * race: count add add */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "../race.h"

static atomic_int wants[2];
static atomic_int turn;
static int count;

static void *enter(void *argument)
{
    const intptr_t self = (intptr_t)argument;
    const int other = (int)(1 - self);
    atomic_store_explicit(&wants[self], 1, memory_order_relaxed);
    atomic_store_explicit(&turn, other, memory_order_relaxed);
    while (atomic_load_explicit(&wants[other], memory_order_relaxed) == 1 &&
           atomic_load_explicit(&turn, memory_order_relaxed) == other) {
        (void)sched_yield();
    }
    count++; /* add */
    atomic_store_explicit(&wants[self], 0, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    const pthread_t a = thread_start(enter, (void *)0);
    const pthread_t b = thread_start(enter, (void *)1);
    thread_join(a);
    thread_join(b);
    MUST(count > 0);
    return 0;
}
