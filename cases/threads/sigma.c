/* Threads that each set an element of an array, after the sigma program of SV-COMP. Which one is in
 * a variable that main changes for the next thread: a thread that starts late sets another's
 * element. The argument is the number of threads, 5 when there is none. */
#include <stdatomic.h>

#include "threads.h"

static atomic_int current = -1;
static atomic_int elements[THREADS_MAX];

static void *set(void *which)
{
#ifdef FIXED
    const int own = (int)(intptr_t)which;
#else
    (void)which;
    const int own = atomic_load(&current);
#endif
    atomic_store(&elements[own], 1);
    return NULL;
}

int main(int argc, char **argv)
{
    const int count = (int)threads_asked(argc, argv, 5);
    pthread_t threads[THREADS_MAX];
    int sum = 0;
    for (int i = 0; i < count; i++) {
        atomic_fetch_add(&current, 1);
        pthread_create(&threads[i], NULL, set, (void *)(intptr_t)i);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < count; i++) {
        sum += atomic_load(&elements[i]);
    }
    assert(sum == count);
    return 0;
}
