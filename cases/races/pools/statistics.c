/* Workers take their jobs under the lock but count them in a shared variable without it.
 *
 * race: handled count count */
#include "../race.h"

enum { JOBS = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_job;
static int handled;

static void *worker(void *unused)
{
    for (int i = 0; i < JOBS / 2; i++) {
        MUST(pthread_mutex_lock(&lock) == 0);
        const int job = next_job++;
        MUST(pthread_mutex_unlock(&lock) == 0);
        MUST(job < JOBS);
        handled++; /* count */
    }
    return unused;
}

int main(void)
{
    threads_run(worker, worker);
    MUST(handled > 0);
    MUST(next_job == JOBS);
    return 0;
}
