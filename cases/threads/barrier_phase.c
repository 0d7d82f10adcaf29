/* Two phases with one barrier: each reads its neighbour's value after the barrier and then writes
 * its own for the next round, while the neighbour may still be reading. */
#include "threads.h"

enum { ROUNDS = 2 };

static pthread_barrier_t barrier;
static int values[2];

static void *step(void *which)
{
    const intptr_t self = (intptr_t)which;
    for (int round = 1; round <= ROUNDS; round++) {
        values[self] = round;
        pthread_barrier_wait(&barrier);
        assert(values[1 - self] == round);
#ifdef FIXED
        pthread_barrier_wait(&barrier);
#endif
    }
    return NULL;
}

int main(void)
{
    (void)pthread_barrier_init(&barrier, NULL, 2);
    RUN(step, step);
    (void)pthread_barrier_destroy(&barrier);
    return 0;
}
