/* The writer of a pair of values holds the spin lock; the reader takes it for the first of them
 * only.
 *
 * race: second write read */
#include "../race.h"

static pthread_spinlock_t lock;
static int first;
static int second;

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
    const int seen = first;
    MUST(pthread_spin_unlock(&lock) == 0);
    MUST(seen + second <= 2); /* read */
    return unused;
}

int main(void)
{
    MUST(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    threads_run(writer, reader);
    return 0;
}
