/* An item is put into the queue before it is filled in.
 *
 * race: item.value fill read */
#include <sched.h>

#include "../race.h"

struct item {
    struct item *next;
    int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *head;
static struct item item;

static void *producer(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    item.next = head;
    head = &item;
    MUST(pthread_mutex_unlock(&lock) == 0);
    item.value = 9; /* fill */
    return unused;
}

static void *consumer(void *unused)
{
    const struct item *taken = NULL;
    while (taken == NULL) {
        (void)sched_yield();
        MUST(pthread_mutex_lock(&lock) == 0);
        taken = head;
        MUST(pthread_mutex_unlock(&lock) == 0);
    }
    MUST(taken->value == 0 || taken->value == 9); /* read */
    return unused;
}

int main(void)
{
    threads_run(producer, consumer);
    return 0;
}
