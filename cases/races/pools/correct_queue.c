/* A bounded queue with a lock and two condition variables; what it carries is used without the
 * lock.
 *
 * no race */
#include "../race.h"

enum { ROOM = 2, ITEMS = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t has_room = PTHREAD_COND_INITIALIZER;
static int *queue[ROOM];
static int count;

static void *producer(void *unused)
{
    static int values[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        values[i] = i;
        MUST(pthread_mutex_lock(&lock) == 0);
        while (count == ROOM) {
            MUST(pthread_cond_wait(&has_room, &lock) == 0);
        }
        queue[count++] = &values[i];
        MUST(pthread_cond_signal(&is_filled) == 0);
        MUST(pthread_mutex_unlock(&lock) == 0);
    }
    return unused;
}

static void *consumer(void *unused)
{
    int sum = 0;
    for (int i = 0; i < ITEMS; i++) {
        MUST(pthread_mutex_lock(&lock) == 0);
        while (count == 0) {
            MUST(pthread_cond_wait(&is_filled, &lock) == 0);
        }
        int *item = queue[--count];
        MUST(pthread_cond_signal(&has_room) == 0);
        MUST(pthread_mutex_unlock(&lock) == 0);
        sum += *item;
        *item = -1;
    }
    MUST(sum == ITEMS * (ITEMS - 1) / 2);
    return unused;
}

int main(void)
{
    threads_run(producer, consumer);
    return 0;
}
