/* Two producers and two consumers share a bounded buffer: one semaphore counts free slots, one
 * counts items, and a lock guards the indices. Items are heap blocks that the consumer frees.
 *
 * no race */
#include <semaphore.h>

#include "../race.h"

enum { SLOTS = 3, ITEMS = 8 };

static sem_t slots_free, items_ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *buffer[SLOTS];
static unsigned head, tail;

static void *produce(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        int *item = malloc(sizeof *item);
        MUST(item != NULL);
        *item = i;
        MUST(sem_wait(&slots_free) == 0);
        pthread_mutex_lock(&lock);
        buffer[head++ % SLOTS] = item;
        pthread_mutex_unlock(&lock);
        MUST(sem_post(&items_ready) == 0);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        MUST(sem_wait(&items_ready) == 0);
        pthread_mutex_lock(&lock);
        int *item = buffer[tail++ % SLOTS];
        pthread_mutex_unlock(&lock);
        MUST(sem_post(&slots_free) == 0);
        MUST(*item >= 0 && *item < ITEMS);
        free(item);
    }
    return unused;
}

int main(void)
{
    MUST(sem_init(&slots_free, 0, SLOTS) == 0);
    MUST(sem_init(&items_ready, 0, 0) == 0);
    const pthread_t producers[] = {thread_start(produce, NULL), thread_start(produce, NULL)};
    threads_run(consume, consume);
    thread_join(producers[0]);
    thread_join(producers[1]);
    return 0;
}
