/* Threads are given the address of the loop variable, which the loop goes on to change.
 *
 * race: - step read */
#include "../race.h"

enum { THREADS = 3 };

static void *number(void *argument)
{
    const volatile int *i = argument;
    MUST(*i >= 0); /* read */
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int i = 0;
    while (i < THREADS) {
        threads[i] = thread_start(number, &i);
        i++; /* step */
    }
    for (int k = 0; k < THREADS; k++) {
        thread_join(threads[k]);
    }
    return 0;
}
