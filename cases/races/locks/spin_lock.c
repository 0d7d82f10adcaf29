/* The writer of a pair of values holds the spin lock; the reader counts itself under the lock and
 * reads after it.
 *
 * race: second write read */
#include "../race.h"

static pthread_spinlock_t lock;
static int first;
static int second;
static int readers;

static void *writer(void *unused)
{
    MUST(pthread_spin_lock(&lock) == 0);
    first = 1;
    second = 1; /* write */
    MUST(pthread_spin_unlock(&lock) == 0);
    return unused;
}

static void *reader(void *unused)
{
    MUST(pthread_spin_lock(&lock) == 0);
    readers++;
    MUST(pthread_spin_unlock(&lock) == 0);
    MUST(second <= 1); /* read */
    return unused;
}

int main(void)
{
    MUST(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    threads_run(writer, reader);
    MUST(first == 1 && readers == 1);
    return 0;
}
