/* Two workers take jobs from a list, work without the lock and report each job as done under it.
 *
 * no race */
#include "../race.h"

enum { JOBS = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs[JOBS];
static int submitted;
static int taken;
static int done;

static void *worker(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    while (taken < JOBS) {
        if (taken == submitted) {
            MUST(pthread_cond_wait(&changed, &lock) == 0);
            continue;
        }
        int *job = &jobs[taken++];
        MUST(pthread_mutex_unlock(&lock) == 0);
        *job *= 2;
        MUST(pthread_mutex_lock(&lock) == 0);
        done++;
        MUST(pthread_cond_broadcast(&changed) == 0);
    }
    MUST(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    const pthread_t a = thread_start(worker, NULL);
    const pthread_t b = thread_start(worker, NULL);
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = i;
        MUST(pthread_mutex_lock(&lock) == 0);
        submitted++;
        MUST(pthread_cond_broadcast(&changed) == 0);
        MUST(pthread_mutex_unlock(&lock) == 0);
    }
    MUST(pthread_mutex_lock(&lock) == 0);
    while (done < JOBS) {
        MUST(pthread_cond_wait(&changed, &lock) == 0);
    }
    MUST(pthread_mutex_unlock(&lock) == 0);
    for (int i = 0; i < JOBS; i++) {
        MUST(jobs[i] == 2 * i);
    }
    thread_join(a);
    thread_join(b);
    return 0;
}
