/* Two threads of a process talk to a third over one listener.
 *
 * expect: 2 connect
 * expect: 2 accept
 * expect: 40 send
 * expect: 40+ recv */
#include "program.h"

static struct sockaddr_in address;

static void *talk(void *argument)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    CLAIM(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    for (int i = 0; i < 10; i++) {
        write_all(fd, "ping");
        read_all(fd, 4);
    }
    CLAIM(close(fd) == 0);
    return argument;
}

int main(void)
{
    const int listener = socket_bound(SOCK_STREAM, &address);
    CLAIM(listen(listener, 2) == 0);
    const pthread_t threads[] = {thread_begin(talk, NULL), thread_begin(talk, NULL)};
    const int fds[] = {accept(listener, NULL, NULL), accept4(listener, NULL, NULL, SOCK_CLOEXEC)};
    for (int i = 0; i < 20; i++) {
        read_all(fds[i % 2], 4);
        write_all(fds[i % 2], "pong");
    }
    thread_wait(threads[0]);
    thread_wait(threads[1]);
    return 0;
}
