/* A counter that everybody locks, but the last thread not with the lock of the others. The argument
 * is the number of threads, 2 when there is none. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(pthread_mutex_t *with)
{
    pthread_mutex_lock(with);
    count = count + 1;
    pthread_mutex_unlock(with);
}

static void *add_one(void *unused)
{
    add(&lock);
    return unused;
}

static void *add_another(void *unused)
{
#ifdef FIXED
    add(&lock);
#else
    add(&other);
#endif
    return unused;
}

int main(int argc, char **argv)
{
    const size_t threads = threads_asked(argc, argv, 2);
    (void)other;
    threads_run_last(add_one, add_another, threads);
    assert(count == (int)threads);
    return 0;
}
