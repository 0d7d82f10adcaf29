/* A descriptor that one thread still uses races with its close by another. Closing behind a join,
 * and in the thread that epoll hands the descriptor to, does not.
 * race: use close
 * race: poll drop
 * EPOLL_CTL_MOD orders what came before it and the wait that it lets return, which gcc's
 * ThreadSanitizer does not model. sanitizer alone: take shut */
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

static int ends[2], polled[2], pair[2], set;
static atomic_int turn;

static void await(int wanted)
{
    while (atomic_load_explicit(&turn, memory_order_relaxed) != wanted) {
        (void)sched_yield();
    }
}

static void go(int next)
{
    atomic_store_explicit(&turn, next, memory_order_relaxed);
}

static void arm(int operation)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data = {.ptr = &pair}};
    CLAIM(epoll_ctl(set, operation, pair[0], &event) == 0);
}

/* Reads what came, and lets whoever waits have the rest. */
static void *serve(void *unused)
{
    struct epoll_event event;
    char byte;
    CLAIM(epoll_wait(set, &event, 1, -1) == 1 && event.data.ptr == &pair);
    CLAIM(read(pair[0], &byte, 1) == 1); /* take */
    if (byte == 'a') {
        arm(EPOLL_CTL_MOD);
        CLAIM(write(ends[1], "x", 1) == 1);                                          /* use */
        CLAIM(poll(&(struct pollfd){.fd = polled[0], .events = POLLIN}, 1, 0) == 0); /* poll */
        go(1);
    } else {
        await(1);
        CLAIM(close(pair[0]) == 0);   /* shut */
        CLAIM(close(ends[1]) == 0);   /* close */
        CLAIM(close(polled[0]) == 0); /* drop */
    }
    return unused;
}

int main(void)
{
    CLAIM(pipe(ends) == 0 && pipe(polled) == 0);
    CLAIM(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    set = epoll_create1(0);
    CLAIM(set >= 0);
    arm(EPOLL_CTL_ADD);
    CLAIM(write(pair[1], "ab", 2) == 2);
    run_both(serve, serve);
    CLAIM(close(set) == 0 && close(ends[0]) == 0 && close(polled[1]) == 0 && close(pair[1]) == 0);
    return 0;
}
