/* The routine of pthread_once is before every return from a call. What a thread did before its own
 * call is not, whichever thread ran the routine.
 *
 * race: before after */
#include "program.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static long made, count;

static void make(void)
{
    made = 7;
}

static void *counts_before(void *unused)
{
    count++; /* before */
    CLAIM(pthread_once(&once, make) == 0);
    CLAIM(made == 7);
    return unused;
}

static void *counts_after(void *unused)
{
    CLAIM(pthread_once(&once, make) == 0);
    count++; /* after */
    CLAIM(made == 7);
    return unused;
}

int main(void)
{
    run_both(counts_before, counts_after);
    return 0;
}
