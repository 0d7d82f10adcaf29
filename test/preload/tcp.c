/* A TCP conversation between two processes: every byte received was sent.
 *
 * expect: 1 connect
 * expect: 1 accept
 * expect: 3 send
 * expect: 2+ recv
 * order: main@n/1 connect
 * order: main@n/1 send
 * order: main@n recv */
#include "program.h"

static void serve(int listener)
{
    const int fd = accept(listener, NULL, NULL);
    CLAIM(fd >= 0);
    read_all(fd, 10);
    write_all(fd, "answer");
    CLAIM(close(fd) == 0);
}

static void ask(const struct sockaddr_in *address)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    CLAIM(connect(fd, (const struct sockaddr *)address, sizeof *address) == 0);
    write_all(fd, "hello");
    CLAIM(send(fd, "again", 5, MSG_NOSIGNAL) == 5);
    read_all(fd, 6);
    CLAIM(close(fd) == 0);
}

int main(void)
{
    struct sockaddr_in address;
    const int listener = socket_bound(SOCK_STREAM, &address);
    CLAIM(listen(listener, 1) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        ask(&address);
        return 0;
    }
    serve(listener);
    child_wait(pid);
    return 0;
}
