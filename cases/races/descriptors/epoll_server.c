/* Two workers wait for connections in one epoll instance and count what they have served without a
 * lock.
 *
 * race: served count count */
#include <sys/epoll.h>
#include <sys/socket.h>

#include "../race.h"

static int events_fd;
static int served;

static void *worker(void *unused)
{
    struct epoll_event event;
    char request;
    MUST(epoll_wait(events_fd, &event, 1, -1) == 1);
    MUST(read(event.data.fd, &request, 1) == 1);
    served++; /* count */
    MUST(close(event.data.fd) == 0);
    return unused;
}

static int connection_new(void)
{
    int ends[2];
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = ends[0]};
    MUST(epoll_ctl(events_fd, EPOLL_CTL_ADD, ends[0], &event) == 0);
    return ends[1];
}

int main(void)
{
    events_fd = epoll_create1(EPOLL_CLOEXEC);
    MUST(events_fd >= 0);
    const pthread_t a = thread_start(worker, NULL);
    const pthread_t b = thread_start(worker, NULL);
    const int first = connection_new();
    const int second = connection_new();
    MUST(write(first, "a", 1) == 1);
    MUST(write(second, "b", 1) == 1);
    thread_join(a);
    thread_join(b);
    MUST(served > 0);
    MUST(close(first) == 0 && close(second) == 0 && close(events_fd) == 0);
    return 0;
}
