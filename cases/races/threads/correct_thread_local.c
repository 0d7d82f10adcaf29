/* Each thread counts in a thread-local variable and adds it to the total under the lock.
 *
 * no race */
#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int own;
static int total;

static void *count(void *unused)
{
    for (int i = 0; i < 50; i++) {
        own++;
    }
    MUST(pthread_mutex_lock(&lock) == 0);
    total += own;
    MUST(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    threads_run(count, count);
    MUST(total == 100);
    return 0;
}
