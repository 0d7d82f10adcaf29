/* A worker of a thread pool leaves as soon as it is told to stop, with jobs still in the queue. */
#include <stdbool.h>

#include "threads.h"

enum { JOBS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_stopping;
static int queued, done;

static bool has_to_leave(void)
{
#ifdef FIXED
    return is_stopping && queued == 0;
#else
    return is_stopping;
#endif
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!has_to_leave()) {
        if (queued > 0) {
            queued--;
            done++;
        } else {
            pthread_cond_wait(&changed, &lock);
        }
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *use_pool(void *unused)
{
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&lock);
        queued++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    is_stopping = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(work, use_pool);
    assert(done == JOBS);
    return 0;
}
