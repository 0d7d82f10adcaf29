/* Waits for descriptors that found something are told, those that did not are not.
 *
 * expect: 7 ready
 * order: send
 * order: ready value=1 text=poll
 * order: ready value=1 text=poll
 * order: ready value=1 text=ppoll
 * order: ready value=1 text=select
 * order: ready value=1 text=pselect
 * order: ready value=1 text=epoll_wait
 * order: ready value=1 text=epoll_pwait
 * order: recv */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "program.h"

static void use_poll(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    const struct timespec no_time = {0};
    CLAIM(poll(&one, 1, -1) == 1);
    CLAIM(poll(&one, 1, 0) == 1);
    CLAIM(ppoll(&one, 1, &no_time, NULL) == 1);
}

static void use_select(int fd)
{
    fd_set set;
    struct timeval no_time = {0};
    FD_ZERO(&set);
    FD_SET(fd, &set);
    CLAIM(select(fd + 1, &set, NULL, NULL, &no_time) == 1);
    CLAIM(pselect(fd + 1, &set, NULL, NULL, NULL, NULL) == 1);
}

static void use_epoll(int fd)
{
    const int watcher = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    CLAIM(epoll_ctl(watcher, EPOLL_CTL_ADD, fd, &event) == 0);
    CLAIM(epoll_wait(watcher, &event, 1, -1) == 1);
    CLAIM(epoll_pwait(watcher, &event, 1, 0, NULL) == 1);
}

int main(void)
{
    int ends[2];
    CLAIM(pipe(ends) == 0);
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    CLAIM(poll(&one, 1, 0) == 0);
    write_all(ends[1], "x");
    use_poll(ends[0]);
    use_select(ends[0]);
    use_epoll(ends[0]);
    read_all(ends[0], 1);
    CLAIM(poll(&one, 1, 0) == 0);
    return 0;
}
