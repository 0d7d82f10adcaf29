/* What belongs to a connection is kept under its number. The number is given out again only after
 * it was closed: that orders its users.
 * no race */
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

enum { NUMBERS_MAX = 64 };

static long uses[NUMBERS_MAX];
static volatile int closed = -1; /* the number, once it is */

__attribute__((noinline, no_sanitize("thread"))) static int wait_for_close(void)
{
    while (closed < 0) {
        sched_yield();
    }
    return closed;
}

__attribute__((noinline, no_sanitize("thread"))) static void tell_close(int number)
{
    closed = number;
}

static int use(void)
{
    const int number = socket(AF_UNIX, SOCK_STREAM, 0);
    CLAIM(number >= 0 && number < NUMBERS_MAX);
    uses[number]++;
    CLAIM(close(number) == 0);
    return number;
}

static void *first(void *unused)
{
    tell_close(use());
    return unused;
}

static void *second(void *unused)
{
    const int number = wait_for_close();
    /* The recorder opens files of its own meanwhile, and may have the number for a moment. */
    int tries = 0;
    while (use() != number) {
        CLAIM(++tries < 100000);
        sched_yield();
    }
    return unused;
}

int main(void)
{
    run_both(first, second);
    return 0;
}
