/* Threads that reach each other through descriptors: a run ends with status 0 whoever goes when,
 * and with another when something did not do what it says. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "need.h"

enum { LARGE = 300000 };

static pthread_t begin(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, run, argument) == 0);
    return thread;
}

static void end(pthread_t thread)
{
    NEED(pthread_join(thread, NULL) == 0);
}

static void *write_one(void *fd)
{
    NEED(write(*(int *)fd, "x", 1) == 1);
    return NULL;
}

static void *write_large(void *fd)
{
    char *bytes = malloc(LARGE);
    NEED(bytes != NULL);
    memset(bytes, 'y', LARGE);
    NEED(write(*(int *)fd, bytes, LARGE) == LARGE);
    NEED(close(*(int *)fd) == 0);
    free(bytes);
    return NULL;
}

static void use_pipe(void)
{
    int fds[2];
    char bytes[4096];
    NEED(pipe(fds) == 0);
    const pthread_t first = begin(write_one, &fds[1]);
    const pthread_t second = begin(write_one, &fds[1]);
    NEED(read(fds[0], bytes, 0) == 0); /* nothing is there at once */
    NEED(read(fds[0], bytes, 1) == 1 && read(fds[0], bytes, 1) == 1);
    NEED(read(fds[0], bytes, 0) == 0);
    end(first);
    end(second);
    const pthread_t large = begin(write_large, &fds[1]);
    size_t all = 0;
    ssize_t got = 0;
    while ((got = read(fds[0], bytes, sizeof bytes)) > 0) {
        all += (size_t)got;
    }
    NEED(got == 0 && all == LARGE);
    end(large);
    NEED(close(fds[0]) == 0);
}

static void use_flags(void)
{
    int fds[2];
    char byte = 0;
    NEED(pipe2(fds, O_NONBLOCK) == 0);
    NEED(read(fds[0], &byte, 1) == -1 && errno == EAGAIN);
    const int other = dup(fds[1]);
    NEED(close(fds[1]) == 0 && read(fds[0], &byte, 1) == -1 && errno == EAGAIN);
    struct iovec pieces[2] = {{.iov_base = "a", .iov_len = 1}, {.iov_base = "bc", .iov_len = 2}};
    NEED(writev(other, pieces, 2) == 3 && close(other) == 0);
    char all[4] = "";
    NEED(read(fds[0], all, 4) == 3 && strcmp(all, "abc") == 0 && read(fds[0], all, 4) == 0);
    NEED(close(fds[0]) == 0);
}

static void *answer(void *argument)
{
    const int fd = *(int *)argument;
    char word[5] = "";
    NEED(recv(fd, word, 4, MSG_WAITALL) == 4 && strcmp(word, "ping") == 0);
    NEED(send(fd, "pong", 4, 0) == 4);
    return NULL;
}

static void ask(int fd)
{
    char word[5] = "";
    NEED(send(fd, "pi", 2, 0) == 2 && write(fd, "ng", 2) == 2);
    NEED(read(fd, word, 4) == 4 && strcmp(word, "pong") == 0);
}

static void use_pair(void)
{
    int fds[2];
    NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
    const pthread_t thread = begin(answer, &fds[1]);
    ask(fds[0]);
    end(thread);
    const struct timeval second = {.tv_sec = 1};
    char byte = 0;
    NEED(setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second) == 0);
    NEED(recv(fds[0], &byte, 1, 0) == -1 && errno == EAGAIN);
    NEED(shutdown(fds[1], SHUT_WR) == 0 && recv(fds[0], &byte, 1, 0) == 0);
    NEED(close(fds[0]) == 0 && close(fds[1]) == 0);
}

static void *serve(void *argument)
{
    int fd = accept(*(int *)argument, NULL, NULL);
    NEED(fd >= 0);
    (void)answer(&fd);
    NEED(close(fd) == 0);
    return NULL;
}

static void use_loopback(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    NEED(bind(listening, (struct sockaddr *)&address, size) == 0 && listen(listening, 5) == 0);
    NEED(getsockname(listening, (struct sockaddr *)&address, &size) == 0);
    const pthread_t thread = begin(serve, &listening);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    NEED(connect(fd, (struct sockaddr *)&address, size) == 0);
    ask(fd);
    end(thread);
    char byte = 0;
    NEED(read(fd, &byte, 1) == 0);
    const struct timeval second = {.tv_sec = 1};
    NEED(setsockopt(listening, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second) == 0);
    NEED(accept(listening, NULL, NULL) == -1 && errno == EAGAIN);
    NEED(close(fd) == 0 && close(listening) == 0);
}

static void use_poll(void)
{
    int first[2];
    int second[2];
    NEED(pipe(first) == 0 && pipe(second) == 0);
    struct pollfd both[2] = {{.fd = first[0], .events = POLLIN},
                             {.fd = second[0], .events = POLLIN}};
    struct timespec before;
    struct timespec after;
    NEED(clock_gettime(CLOCK_MONOTONIC, &before) == 0);
    NEED(poll(both, 2, 5000) == 0);
    NEED(clock_gettime(CLOCK_MONOTONIC, &after) == 0 && after.tv_sec >= before.tv_sec + 5);
    const pthread_t thread = begin(write_one, &second[1]);
    NEED(poll(both, 2, -1) == 1 && both[0].revents == 0 && both[1].revents == POLLIN);
    end(thread);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(first[0], &set);
    FD_SET(second[0], &set);
    NEED(select(FD_SETSIZE, &set, NULL, NULL, NULL) == 1 && FD_ISSET(second[0], &set));
    struct timeval second_long = {.tv_sec = 1};
    FD_ZERO(&set);
    FD_SET(first[0], &set);
    NEED(select(first[0] + 1, &set, NULL, NULL, &second_long) == 0);
    for (int i = 0; i < 2; i++) {
        NEED(close(first[i]) == 0 && close(second[i]) == 0);
    }
}

static void *raise_event(void *fd)
{
    NEED(eventfd_write(*(int *)fd, 2) == 0);
    return NULL;
}

static void use_epoll(void)
{
    int event = eventfd(0, EFD_SEMAPHORE);
    const int set = epoll_create1(0);
    struct epoll_event wanted = {.events = EPOLLIN, .data = {.fd = event}};
    struct epoll_event came = {0};
    NEED(event >= 0 && set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, event, &wanted) == 0);
    NEED(epoll_wait(set, &came, 1, 100) == 0);
    const pthread_t thread = begin(raise_event, &event);
    NEED(epoll_wait(set, &came, 1, -1) == 1 && came.data.fd == event);
    eventfd_t value = 0;
    NEED(eventfd_read(event, &value) == 0 && value == 1 && eventfd_read(event, &value) == 0);
    end(thread);
    NEED(close(event) == 0 && close(set) == 0);
}

int main(void)
{
    use_pipe();
    use_flags();
    use_pair();
    use_loopback();
    use_poll();
    use_epoll();
    return 0;
}
