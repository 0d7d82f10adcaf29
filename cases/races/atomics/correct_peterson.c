/* Peterson's lock with sequentially consistent atomics.
 *
 * no race */
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
    atomic_store_explicit(&wants[self], 1, memory_order_seq_cst);
    atomic_store_explicit(&turn, other, memory_order_seq_cst);
    while (atomic_load_explicit(&wants[other], memory_order_seq_cst) == 1 &&
           atomic_load_explicit(&turn, memory_order_seq_cst) == other) {
        (void)sched_yield();
    }
    count++;
    atomic_store_explicit(&wants[self], 0, memory_order_seq_cst);
    return NULL;
}

int main(void)
{
    const pthread_t a = thread_start(enter, (void *)0);
    const pthread_t b = thread_start(enter, (void *)1);
    thread_join(a);
    thread_join(b);
    MUST(count == 2);
    return 0;
}
