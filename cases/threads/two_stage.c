/* Two values that belong together, each under a lock of its own: a reader between the two stages of
 * an update sees the first of them new and the second old. All updates write the same values, so
 * that none of them may be past its second stage. The argument is the number of threads, 2 when
 * there is none. */
#include "threads.h"

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *update(void *unused)
{
    pthread_mutex_lock(&first_lock);
    first = 1;
#ifndef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
    pthread_mutex_lock(&second_lock);
    second = first + 1;
    pthread_mutex_unlock(&second_lock);
#ifdef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&first_lock);
    const int seen_first = first;
#ifndef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
    pthread_mutex_lock(&second_lock);
    const int seen_second = second;
    pthread_mutex_unlock(&second_lock);
#ifdef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
    assert(seen_first == 0 || seen_second == seen_first + 1);
    return unused;
}

int main(int argc, char **argv)
{
    threads_run_last(update, look, threads_asked(argc, argv, 2));
    return 0;
}
