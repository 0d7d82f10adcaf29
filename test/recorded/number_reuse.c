/* Two threads count without a lock. The second opens a descriptor and gets the number that the
 * first has closed; in another schedule it would get another number, and the counts would meet.
 * race: socket_count socket_count
 * race: open_count open_count
 * race: dup_count dup_count
 * race: pipe_count pipe_count
 * race: pair_count pair_count */
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

enum { NUMBERS_MAX = 1024 };

static long by_socket, by_open, by_dup, by_pipe, by_pair;
static volatile int closed; /* the number, once it is */

static void count_socket(void)
{
    by_socket++; /* socket_count */
}

static void count_open(void)
{
    by_open++; /* open_count */
}

static void count_dup(void)
{
    by_dup++; /* dup_count */
}

static void count_pipe(void)
{
    by_pipe++; /* pipe_count */
}

static void count_pair(void)
{
    by_pair++; /* pair_count */
}

/* The other end of a pair is kept open: it must not be the number that comes next. */
static int make_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int make_open(void)
{
    return open("/dev/null", O_RDONLY);
}

static int make_dup(void)
{
    return dup(0);
}

static int make_pipe(void)
{
    int ends[2] = {-1, -1};
    CLAIM(pipe(ends) == 0);
    return ends[0];
}

static int make_pair(void)
{
    int ends[2] = {-1, -1};
    CLAIM(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    return ends[0];
}

static const struct maker {
    int (*make)(void);
    void (*count)(void);
} makers[] = {{make_socket, count_socket},
              {make_open, count_open},
              {make_dup, count_dup},
              {make_pipe, count_pipe},
              {make_pair, count_pair}};
static const struct maker *maker;

__attribute__((noinline, no_sanitize("thread"))) static int wait_for_close(void)
{
    while (closed < 0) {
        sched_yield();
    }
    return closed;
}

__attribute__((noinline, no_sanitize("thread"))) static void set_closed(int number)
{
    closed = number;
}

static void *first(void *unused)
{
    const int number = maker->make();
    maker->count();
    CLAIM(close(number) == 0);
    set_closed(number);
    return unused;
}

/* The recorder opens files of its own meanwhile: lower numbers are kept until the wanted one comes,
 * higher ones are given back. */
static void *second(void *unused)
{
    const int wanted = wait_for_close();
    for (int number = maker->make(); number != wanted; number = maker->make()) {
        CLAIM(number < NUMBERS_MAX);
        if (number > wanted) {
            CLAIM(close(number) == 0);
            sched_yield();
        }
    }
    maker->count();
    return unused;
}

int main(void)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        maker = &makers[i];
        set_closed(-1);
        run_both(first, second);
    }
    return 0;
}
