/* Two threads send each other a greeting over a pair of sockets and then both write the state.
 *
 * race: state left right */
#include "loopback.h"

static int ends[2];
static int state;

static void *left(void *unused)
{
    char greeting;
    MUST(write(ends[0], "l", 1) == 1);
    MUST(read(ends[0], &greeting, 1) == 1);
    state = 1; /* left */
    return unused;
}

static void *right(void *unused)
{
    char greeting;
    MUST(write(ends[1], "r", 1) == 1);
    MUST(read(ends[1], &greeting, 1) == 1);
    state = 2; /* right */
    return unused;
}

int main(void)
{
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    threads_run(left, right);
    MUST(state == 1 || state == 2);
    MUST(close(ends[0]) == 0 && close(ends[1]) == 0);
    return 0;
}
