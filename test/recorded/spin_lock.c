/* A spin lock made of an exchange and a store.
 * no race */
#include <sched.h>
#include <stdatomic.h>

#include "program.h"

static atomic_int is_held;
static long count;

static void *raise_count(void *unused)
{
    for (int i = 0; i < 100; i++) {
        while (atomic_exchange_explicit(&is_held, 1, memory_order_acquire) != 0) {
            sched_yield();
        }
        count++;
        atomic_store_explicit(&is_held, 0, memory_order_release);
    }
    return unused;
}

int main(void)
{
    run_both(raise_count, raise_count);
    CLAIM(count == 200);
    return 0;
}
