/* Threads one after the other use the same stack; nothing but its memory connects them.
 * no race */
#include <sched.h>
#include <stdatomic.h>

#include "program.h"

static atomic_int ended;

static void *use_stack(void *unused)
{
    volatile long numbers[64];
    for (int i = 0; i < 64; i++) {
        numbers[i] = i;
    }
    CLAIM(numbers[63] == 63);
    atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        CLAIM(pthread_create(&thread, NULL, use_stack, NULL) == 0);
        CLAIM(pthread_detach(thread) == 0);
        while (atomic_load_explicit(&ended, memory_order_relaxed) != i + 1) {
            sched_yield();
        }
    }
    return 0;
}
