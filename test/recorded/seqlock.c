/* A sequence lock with fences; what it guards is atomic but relaxed. What the writer did before it
 * is published by it, too.
 * no race */
#include <stdatomic.h>

#include "program.h"

static atomic_uint sequence;
static atomic_long left, right;
static long before;

static void *write_pairs(void *unused)
{
    before = 5;
    for (long i = 1; i <= 50; i++) {
        const unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&left, i, memory_order_relaxed);
        atomic_store_explicit(&right, -i, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 2, memory_order_release);
    }
    return unused;
}

static void *read_pairs(void *unused)
{
    for (long l = 0; l < 50;) {
        const unsigned s = atomic_load_explicit(&sequence, memory_order_acquire);
        l = atomic_load_explicit(&left, memory_order_relaxed);
        const long r = atomic_load_explicit(&right, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (s % 2 != 0 || atomic_load_explicit(&sequence, memory_order_relaxed) != s) {
            l = 0;
            continue;
        }
        CLAIM(l == -r);
    }
    CLAIM(before == 5);
    return unused;
}

int main(void)
{
    run_both(write_pairs, read_pairs);
    return 0;
}
