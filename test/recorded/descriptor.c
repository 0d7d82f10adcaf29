/* What belongs to a connection is kept under its number. The number is given out again only after
 * it was closed. In the order of this run, --model observed, that orders its users (details_test.py
 * checks it). The other models cannot know that the place in the table depends on the number: they
 * leave the pair undecided.
 * may race: use use */
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

static int open_one(void)
{
    const int number = socket(AF_UNIX, SOCK_STREAM, 0);
    CLAIM(number >= 0 && number < NUMBERS_MAX);
    return number;
}

static void use(int number)
{
    uses[number]++; /* use */
    CLAIM(close(number) == 0);
}

static void *first(void *unused)
{
    const int number = open_one();
    use(number);
    tell_close(number);
    return unused;
}

/* The recorder opens files of its own meanwhile, so that the first number to be had may be another:
 * lower ones are kept until it comes. */
static void *second(void *unused)
{
    const int wanted = wait_for_close();
    int number = open_one();
    while (number != wanted) {
        if (number > wanted) {
            CLAIM(close(number) == 0);
            sched_yield();
        }
        number = open_one();
    }
    use(number);
    return unused;
}

int main(void)
{
    run_both(first, second);
    return 0;
}
