/* What many relaxed loads have seen, one fence makes known.
 * no race */
#include <stdatomic.h>
#include <stdint.h>

#include "program.h"

enum { WORKERS = 24 };
static long parts[WORKERS];
static atomic_int is_done[WORKERS];

static void *work(void *number)
{
    const uintptr_t own = (uintptr_t)number;
    parts[own] = 1;
    atomic_store_explicit(&is_done[own], 1, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    long sum = 0;
    for (uintptr_t i = 0; i < WORKERS; i++) {
        CLAIM(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        while (atomic_load_explicit(&is_done[i], memory_order_relaxed) == 0) {
        }
    }
    atomic_thread_fence(memory_order_acquire);
    for (int i = 0; i < WORKERS; i++) {
        sum += parts[i];
    }
    CLAIM(sum == WORKERS);
    for (int i = 0; i < WORKERS; i++) {
        CLAIM(pthread_join(threads[i], NULL) == 0);
    }
    return 0;
}
