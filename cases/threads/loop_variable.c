/* Five threads are started in a loop and shall each use another number: they are given the address
 * of the loop's variable, which goes on while they start. After Dara's second program. */
#include <clew/clew.h>

#include "threads.h"

enum { THREADS = 5 };

static void *use(void *given)
{
#ifdef FIXED
    const int number = (int)(intptr_t)given;
#else
    const int number = *(const int *)given;
#endif
    clew_var("number", number);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int i = 0;
    for (i = 0; i < THREADS; i++) {
#ifdef FIXED
        (void)pthread_create(&threads[i], NULL, use, (void *)(intptr_t)i);
#else
        (void)pthread_create(&threads[i], NULL, use, &i);
#endif
    }
    for (int k = 0; k < THREADS; k++) {
        (void)pthread_join(threads[k], NULL);
    }
    return 0;
}
