/* The submitter reads the results when the queue is empty, while the last job is still being worked
 * on.
 *
 * race: results store read */
#include <sched.h>

#include "../race.h"

enum { JOBS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int waiting = JOBS;
static int results[JOBS];

static int jobs_waiting(int taken)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    waiting -= taken;
    const int left = waiting;
    MUST(pthread_mutex_unlock(&lock) == 0);
    return left;
}

static void *worker(void *unused)
{
    for (int i = 0; i < JOBS; i++) {
        const int job = jobs_waiting(1);
        results[job] = job + 1; /* store */
    }
    return unused;
}

int main(void)
{
    const pthread_t thread = thread_start(worker, NULL);
    while (jobs_waiting(0) > 0) {
        (void)sched_yield();
    }
    int sum = 0;
    for (int i = 0; i < JOBS; i++) {
        sum += results[i]; /* read */
    }
    thread_join(thread);
    MUST(sum <= 6);
    return 0;
}
