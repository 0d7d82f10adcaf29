/* The thread is created before the settings that it reads are written.
 *
 * race: limit write read */
#include "../race.h"

static int limit;

static void *worker(void *unused)
{
    MUST(limit >= 0); /* read */
    return unused;
}

int main(void)
{
    const pthread_t thread = thread_start(worker, NULL);
    limit = 8; /* write */
    thread_join(thread);
    return 0;
}
