/* Two threads make a pipe, use it alone and close it; they share a counter without a lock.
 *
 * race: bytes count count */
#include "../race.h"

static long bytes;

static void *use(void *unused)
{
    int ends[2];
    char buffer[4] = "abc";
    MUST(pipe(ends) == 0);
    MUST(write(ends[1], buffer, 4) == 4);
    MUST(read(ends[0], buffer, 4) == 4);
    bytes += 4; /* count */
    MUST(close(ends[0]) == 0);
    MUST(close(ends[1]) == 0);
    return unused;
}

int main(void)
{
    threads_run(use, use);
    MUST(bytes > 0);
    return 0;
}
