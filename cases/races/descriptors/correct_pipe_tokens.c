/* Two threads announce their results by equal tokens in one pipe; the reader takes both tokens
 * before it reads the results.
 *
 * no race */
#include "../race.h"

static int ends[2];
static int left;
static int right;

static void *compute_left(void *unused)
{
    left = 3;
    MUST(write(ends[1], "x", 1) == 1);
    return unused;
}

static void *compute_right(void *unused)
{
    right = 4;
    MUST(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void)
{
    char token = 0;
    MUST(pipe(ends) == 0);
    const pthread_t a = thread_start(compute_left, NULL);
    const pthread_t b = thread_start(compute_right, NULL);
    MUST(read(ends[0], &token, 1) == 1);
    MUST(read(ends[0], &token, 1) == 1);
    MUST(left + right == 7);
    thread_join(a);
    thread_join(b);
    return 0;
}
