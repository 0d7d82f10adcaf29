/* The submitter changes a job after it has given the job to the pool.
 *
 * race: main::job.retries change read */
#include "../race.h"

struct job {
    int number;
    int retries;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct job *slot;

static void *worker(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    while (slot == NULL) {
        MUST(pthread_cond_wait(&filled, &lock) == 0);
    }
    const struct job *taken = slot;
    MUST(pthread_mutex_unlock(&lock) == 0);
    MUST(taken->number == 5);
    MUST(taken->retries <= 3); /* read */
    return unused;
}

int main(void)
{
    static struct job job;
    const pthread_t thread = thread_start(worker, NULL);
    job.number = 5;
    MUST(pthread_mutex_lock(&lock) == 0);
    slot = &job;
    MUST(pthread_cond_signal(&filled) == 0);
    MUST(pthread_mutex_unlock(&lock) == 0);
    job.retries = 3; /* change */
    thread_join(thread);
    return 0;
}
