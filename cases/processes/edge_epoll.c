/* A daemon is told of requests by an edge-triggered epoll and reads one request for each event. Two
 * requests that come before it looks are one event: the second waits for a third that never comes.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUESTS = 2 };

static void serve(int client)
{
    const int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = client};
    char request = 0;
    epoll_ctl(set, EPOLL_CTL_ADD, client, &event);
    while (epoll_wait(set, &event, 1, -1) == 1) {
#ifdef FIXED
        while (read(client, &request, 1) == 1)
#else
        if (read(client, &request, 1) == 1)
#endif
        {
            if (write(client, &request, 1) != 1) {
                exit(1);
            }
        }
        if ((event.events & EPOLLHUP) != 0) {
            exit(0);
        }
    }
}

int main(void)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return 2;
    }
    if (fork() == 0) {
        setsid();
        close(ends[0]);
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        serve(ends[1]);
    }
    close(ends[1]);
    for (int i = 0; i < REQUESTS; i++) {
        if (write(ends[0], "r", 1) != 1) {
            return 1;
        }
    }
    for (int i = 0; i < REQUESTS; i++) {
        char answer = 0;
        if (read(ends[0], &answer, 1) != 1) {
            return 1;
        }
    }
    return 0;
}
