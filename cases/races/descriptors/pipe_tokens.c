/* Two threads announce their results by equal tokens in one pipe. The reader takes one token, which
 * may be of either, and reads the result of the one that was quicker here.
 *
 * race: quick set_quick use_quick */
#include "../race.h"

static int ends[2];
static int quick;

static void *compute_quickly(void *unused)
{
    quick = 3; /* set_quick */
    MUST(write(ends[1], "x", 1) == 1);
    return unused;
}

static void *compute_slowly(void *unused)
{
    MUST(usleep(2000) == 0);
    MUST(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void)
{
    char token = 0;
    MUST(pipe(ends) == 0);
    const pthread_t a = thread_start(compute_quickly, NULL);
    const pthread_t b = thread_start(compute_slowly, NULL);
    MUST(read(ends[0], &token, 1) == 1);
    const int result = quick; /* use_quick */
    MUST(result == 0 || result == 3);
    thread_join(a);
    thread_join(b);
    return 0;
}
