/* Two threads change one list length, each under another lock.
 *
 * race: length first second */
#include "../race.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static int length;

static void *append(void *unused)
{
    MUST(pthread_mutex_lock(&list_lock) == 0);
    length++; /* first */
    MUST(pthread_mutex_unlock(&list_lock) == 0);
    return unused;
}

static void *recycle(void *unused)
{
    MUST(pthread_mutex_lock(&pool_lock) == 0);
    length--; /* second */
    MUST(pthread_mutex_unlock(&pool_lock) == 0);
    return unused;
}

int main(void)
{
    threads_run(append, recycle);
    return 0;
}
