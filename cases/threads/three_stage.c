/* A pipeline of three values under a lock each, after the twostage programs of the SCTBench suite.
 * Each of N - 1 threads sets the first, the second and the third in turn; the last thread checks
 * that they go together. The argument is N, 3 when there is none. The twin holds one lock all the
 * time. */
#include "threads.h"

enum { STAGES = 3 };

static pthread_mutex_t locks[STAGES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                        PTHREAD_MUTEX_INITIALIZER};
static int stages[STAGES];
#ifdef FIXED
static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *advance(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&all);
#endif
    for (int i = 0; i < STAGES; i++) {
        pthread_mutex_lock(&locks[i]);
        stages[i] = i == 0 ? 1 : stages[i - 1] + 1;
        pthread_mutex_unlock(&locks[i]);
    }
#ifdef FIXED
    pthread_mutex_unlock(&all);
#endif
    return unused;
}

static int stage(int i)
{
    pthread_mutex_lock(&locks[i]);
    const int value = stages[i];
    pthread_mutex_unlock(&locks[i]);
    return value;
}

static void *check(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&all);
#endif
    const int second = stage(1);
    const int third = stage(2);
#ifdef FIXED
    pthread_mutex_unlock(&all);
#endif
    assert(second == 0 || third == 3);
    return unused;
}

int main(int argc, char **argv)
{
    threads_run_last(advance, check, threads_asked(argc, argv, 3));
    return 0;
}
