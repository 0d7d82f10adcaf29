/* What a call learns without receiving anything: that bytes are there, that the other side is gone,
 * that a child has ended. What made it so comes before.
 * no race */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static int ends[2], data;

static void *write_one(void *unused)
{
    data++;
    CLAIM(write(ends[1], "12345678", 8) == 8);
    return unused;
}

static void *close_end(void *end)
{
    data++;
    CLAIM(close(*(const int *)end) == 0);
    return NULL;
}

static pthread_t start(thread_function *function, void *argument)
{
    pthread_t thread;
    CLAIM(pthread_create(&thread, NULL, function, argument) == 0);
    return thread;
}

/* What another thread did is used before the thread is joined. */
static void finish(pthread_t thread)
{
    CLAIM(data == 1);
    CLAIM(pthread_join(thread, NULL) == 0);
    data = 0;
}

static void by_bytes(void)
{
    char byte = 0;
    fd_set set;
    CLAIM(pipe(ends) == 0);
    pthread_t writer = start(write_one, NULL);
    struct pollfd polled = {ends[0], POLLIN, 0};
    CLAIM(poll(&polled, 1, -1) == 1);
    finish(writer);
    CLAIM(read(ends[0], &byte, 1) == 1 && pipe(ends) == 0);
    writer = start(write_one, NULL);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    CLAIM(select(ends[0] + 1, &set, NULL, NULL, NULL) == 1);
    finish(writer);
    CLAIM(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    writer = start(write_one, NULL);
    CLAIM(recv(ends[0], &byte, 1, MSG_PEEK) == 1);
    finish(writer);
}

static void by_events(void)
{
    const int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    ends[1] = eventfd(0, 0);
    CLAIM(set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, ends[1], &event) == 0);
    const pthread_t writer = start(write_one, NULL);
    CLAIM(epoll_wait(set, &event, 1, -1) == 1);
    finish(writer);
}

static void by_ends(void)
{
    char byte = 0;
    CLAIM(pipe(ends) == 0);
    pthread_t closer = start(close_end, &ends[1]);
    CLAIM(read(ends[0], &byte, 1) == 0);
    finish(closer);
    CLAIM(pipe(ends) == 0);
    closer = start(close_end, &ends[1]);
    struct pollfd polled = {ends[0], POLLIN, 0};
    CLAIM(poll(&polled, 1, -1) == 1 && (polled.revents & POLLHUP) != 0);
    finish(closer);
    CLAIM(pipe2(ends, O_NONBLOCK) == 0);
    closer = start(close_end, &ends[0]);
    while (write(ends[1], "x", 1) >= 0 || errno == EAGAIN) {
        (void)usleep(100);
    }
    finish(closer);
}

static void by_children(int *shared)
{
    char byte = 0;
    CLAIM(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        *shared = 1;
        _exit(0); /* closes its copy of the pipe's end */
    }
    CLAIM(close(ends[1]) == 0 && read(ends[0], &byte, 1) == 0);
    CLAIM(*shared == 1 && waitpid(child, NULL, 0) == child);
    child = fork();
    if (child == 0) {
        *shared = 2;
        _exit(0);
    }
    struct pollfd polled = {(int)syscall(SYS_pidfd_open, child, 0), POLLIN, 0};
    CLAIM(polled.fd < 0 || (poll(&polled, 1, -1) == 1 && *shared == 2));
    CLAIM(waitpid(child, NULL, 0) == child);
}

int main(void)
{
    int *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CLAIM(shared != MAP_FAILED && signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    by_bytes();
    by_events();
    by_ends();
    by_children(shared);
    return 0;
}
