/* The writer takes the lock, the reader does not.
 *
 * race: balance write read */
#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance = 100;

static void *deposit(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    balance += 20; /* write */
    MUST(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

static void *inquire(void *unused)
{
    const long seen = balance; /* read */
    MUST(pthread_mutex_lock(&lock) == 0);
    MUST(seen == 100 || seen == 120);
    MUST(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    threads_run(deposit, inquire);
    return 0;
}
