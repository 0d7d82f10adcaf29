/* Each thread fills its cell, meets the others at a barrier and reads its neighbour's; the barrier
 * before the next round is missing.
 *
 * race: cells fill read */
#include <stdint.h>

#include "../race.h"

enum { THREADS = 3 };

static pthread_barrier_t barrier;
static int cells[THREADS];

static void *compute(void *argument)
{
    const intptr_t own = (intptr_t)argument;
    int sum = 0;
    for (int round = 1; round <= 2; round++) {
        cells[own] = round; /* fill */
        (void)pthread_barrier_wait(&barrier);
        sum += cells[(own + 1) % THREADS]; /* read */
    }
    MUST(sum >= 2);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    MUST(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (intptr_t i = 0; i < THREADS; i++) {
        threads[i] = thread_start(compute, (void *)i);
    }
    for (int i = 0; i < THREADS; i++) {
        thread_join(threads[i]);
    }
    return 0;
}
