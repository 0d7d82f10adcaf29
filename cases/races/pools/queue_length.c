/* A queue is changed under its lock, but its length is asked for without.
 *
 * race: queue.length put ask
 * race: queue.length take ask */
#include "../race.h"

static struct {
    pthread_mutex_t lock;
    int items[8];
    int length;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *producer(void *unused)
{
    for (int i = 0; i < 4; i++) {
        MUST(pthread_mutex_lock(&queue.lock) == 0);
        queue.items[queue.length++] = i; /* put */
        MUST(pthread_mutex_unlock(&queue.lock) == 0);
    }
    return unused;
}

static void *consumer(void *unused)
{
    for (int i = 0; i < 4; i++) {
        MUST(pthread_mutex_lock(&queue.lock) == 0);
        if (queue.length > 0) {
            queue.length--; /* take */
        }
        MUST(pthread_mutex_unlock(&queue.lock) == 0);
    }
    return unused;
}

static void *monitor(void *unused)
{
    MUST(queue.length <= 4); /* ask */
    return unused;
}

int main(void)
{
    const pthread_t third = thread_start(monitor, NULL);
    threads_run(producer, consumer);
    thread_join(third);
    return 0;
}
