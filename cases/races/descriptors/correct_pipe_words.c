/* Two threads announce their results by different letters in one pipe; the reader uses the result
 * that the letter names.
 *
 * no race */
#include "../race.h"

static int ends[2];
static int results[2];

static void *compute_left(void *unused)
{
    results[0] = 3;
    MUST(write(ends[1], "l", 1) == 1);
    return unused;
}

static void *compute_right(void *unused)
{
    results[1] = 4;
    MUST(write(ends[1], "r", 1) == 1);
    return unused;
}

int main(void)
{
    char letter = 0;
    MUST(pipe(ends) == 0);
    const pthread_t a = thread_start(compute_left, NULL);
    const pthread_t b = thread_start(compute_right, NULL);
    MUST(read(ends[0], &letter, 1) == 1);
    MUST(letter == 'l' ? results[0] == 3 : results[1] == 4);
    thread_join(a);
    thread_join(b);
    return 0;
}
