/* A counter is added to atomically and read plainly.
 *
 * race: counter add read */
#include "../race.h"

static int counter;

static void *add(void *unused)
{
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST); /* add */
    return unused;
}

static void *report(void *unused)
{
    MUST(counter <= 1); /* read */
    return unused;
}

int main(void)
{
    threads_run(add, report);
    return 0;
}
