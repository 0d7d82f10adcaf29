/* The worker whose count is the last one adds up the results of all.
 *
 * no race */
#include <stdatomic.h>

#include "../race.h"

static atomic_int finished;
static int left;
static int right;
static int sum;

static void add_up_if_last(void)
{
    if (atomic_fetch_add(&finished, 1) + 1 == 2) {
        sum = left + right;
    }
}

static void *make_left(void *unused)
{
    left = 3;
    add_up_if_last();
    return unused;
}

static void *make_right(void *unused)
{
    right = 4;
    add_up_if_last();
    return unused;
}

int main(void)
{
    threads_run(make_left, make_right);
    MUST(sum == 7);
    return 0;
}
