/* Two threads count while they hold the lock of a stream.
 *
 * no race */
#include "../race.h"

static int total;

static void *worker(void *unused)
{
    flockfile(stdout);
    total++;
    funlockfile(stdout);
    return unused;
}

int main(void)
{
    threads_run(worker, worker);
    return 0;
}
