/* A spin lock by compare-and-swap, taken with acquire order and released with release order.
 *
 * no race */
#include <sched.h>
#include <stdatomic.h>

#include "../race.h"

static atomic_int lock;
static int count;

static void *add(void *unused)
{
    for (int i = 0; i < 3; i++) {
        int expected = 0;
        while (!atomic_compare_exchange_weak_explicit(&lock, &expected, 1, memory_order_acquire,
                                                      memory_order_relaxed)) {
            expected = 0;
            (void)sched_yield();
        }
        count++;
        atomic_store_explicit(&lock, 0, memory_order_release);
    }
    return unused;
}

int main(void)
{
    threads_run(add, add);
    MUST(count == 6);
    return 0;
}
