/* Two threads announce their results in one pipe; the reader takes one byte and reads both results.
 *
 * race: left set_left use_left
 * race: right set_right use_right */
#include "../race.h"

static int ends[2];
static int left;
static int right;

static void *compute_left(void *unused)
{
    left = 3; /* set_left */
    MUST(write(ends[1], "x", 1) == 1);
    return unused;
}

static void *compute_right(void *unused)
{
    right = 4; /* set_right */
    MUST(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void)
{
    char byte;
    MUST(pipe(ends) == 0);
    const pthread_t a = thread_start(compute_left, NULL);
    const pthread_t b = thread_start(compute_right, NULL);
    MUST(read(ends[0], &byte, 1) == 1);
    int sum = left; /* use_left */
    sum += right;   /* use_right */
    thread_join(a);
    thread_join(b);
    MUST(sum <= 7);
    return 0;
}
