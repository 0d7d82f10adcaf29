/* A thread counts before it calls pthread_once and another one after; whichever comes first,
 * nothing orders their counts.
 *
 * race: count before after */
#include "../race.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made;
static int count;

static void make(void)
{
    made = 1;
}

static void *counts_before(void *unused)
{
    count++; /* before */
    MUST(pthread_once(&once, make) == 0);
    MUST(made == 1);
    return unused;
}

static void *counts_after(void *unused)
{
    MUST(pthread_once(&once, make) == 0);
    count++; /* after */
    MUST(made == 1);
    return unused;
}

int main(void)
{
    threads_run(counts_before, counts_after);
    MUST(count > 0);
    return 0;
}
