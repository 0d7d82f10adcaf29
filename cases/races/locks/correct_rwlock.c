/* Readers hold the lock for reading, the writer holds it for writing.
 *
 * no race */
#include "../race.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int low;
static int high;

static void *writer(void *unused)
{
    for (int i = 1; i <= 5; i++) {
        MUST(pthread_rwlock_wrlock(&lock) == 0);
        low = i;
        high = 2 * i;
        MUST(pthread_rwlock_unlock(&lock) == 0);
    }
    return unused;
}

static void *reader(void *unused)
{
    for (int i = 1; i <= 5; i++) {
        MUST(pthread_rwlock_rdlock(&lock) == 0);
        MUST(high == 2 * low);
        MUST(pthread_rwlock_unlock(&lock) == 0);
    }
    return unused;
}

int main(void)
{
    const pthread_t third = thread_start(reader, NULL);
    threads_run(writer, reader);
    thread_join(third);
    return 0;
}
