/* Writers that all write the same two values, one after the other, and one who looks: it must come
 * between the two of the very first writer, and the more writers there are, the less likely that
 * is. The argument is the number of threads, 3 when there is none. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void enter(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static void *set(void *unused)
{
    enter();
    first = 1;
    second = -1;
    leave();
    return unused;
}

static void *look(void *unused)
{
    enter();
    const int seen_first = first;
    const int seen_second = second;
    leave();
    assert(seen_first + seen_second == 0);
    return unused;
}

int main(int argc, char **argv)
{
    (void)lock;
    threads_run_last(set, look, threads_asked(argc, argv, 3));
    return 0;
}
