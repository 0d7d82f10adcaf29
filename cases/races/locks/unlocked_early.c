/* A value is read under the lock and written back after the lock was released.
 *
 * race: stock read write
 * may race: stock write write */
#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 10;

static void *sell(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    const int left = stock - 1; /* read */
    MUST(pthread_mutex_unlock(&lock) == 0);
    stock = left; /* write */
    return unused;
}

int main(void)
{
    threads_run(sell, sell);
    return 0;
}
