/* Two threads in a tight loop over the same data, which they only read but for a sum of their own.
 */
#include <pthread.h>
#include <stdlib.h>

enum { COUNT = 1 << 14, ROUNDS = 600 };

static long numbers[COUNT];
static long sums[2][16];

static void *add_up(void *argument)
{
    long *sum = argument;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            *sum += numbers[i];
        }
    }
    return NULL;
}

int main(void)
{
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = i;
    }
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, add_up, sums[i]) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < 2; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    return sums[0][0] != sums[1][0];
}
