/* A helper releases a recursive mutex once too often, so that its caller goes on without the lock.
 *
 * race: entries caller other */
#include "../race.h"

static pthread_mutex_t lock;
static int entries;

static void helper(void)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    MUST(pthread_mutex_unlock(&lock) == 0);
    MUST(pthread_mutex_unlock(&lock) == 0);
}

static void *caller(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    helper();
    entries++; /* caller */
    return unused;
}

static void *other(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    entries++; /* other */
    MUST(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    MUST(pthread_mutexattr_init(&attributes) == 0);
    MUST(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    MUST(pthread_mutex_init(&lock, &attributes) == 0);
    threads_run(caller, other);
    MUST(entries > 0);
    return 0;
}
