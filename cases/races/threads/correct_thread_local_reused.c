/* Detached threads, one after the other, count in a variable of their own; the C library gives each
 * the memory of the one before.
 *
 * no race */
#include "../race.h"

static __thread int count;
static int results[4];

static void *worker(void *index)
{
    count++;
    results[(intptr_t)index] = count;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (intptr_t i = 0; i < 4; i++) {
        pthread_create(&thread, NULL, worker, (void *)i);
        pthread_detach(thread);
        MUST(usleep(20000) == 0);
    }
    return 0;
}
