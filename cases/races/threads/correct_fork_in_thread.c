/* A thread forks while another one runs; the child changes its own copy of what the other thread
 * uses.
 *
 * no race */
#include "../race.h"

static int value = 1;

static void change_copy(void)
{
    value = 5;
}

static void *forking(void *unused)
{
    process_join(process_start(change_copy));
    return unused;
}

static void *counting(void *unused)
{
    for (int i = 0; i < 10; i++) {
        value++;
    }
    return unused;
}

int main(void)
{
    threads_run(forking, counting);
    MUST(value == 11);
    return 0;
}
