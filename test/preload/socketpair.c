/* Pairs of sockets, streams and datagrams, across a fork.
 *
 * expect: 3 send
 * expect: 3 recv
 * order: main@n send
 * order: main@n/1 recv
 * order: main@n/1 send
 * order: main@n recv */
#include "program.h"

int main(void)
{
    int streams[2];
    int datagrams[2];
    char bytes[16];
    CLAIM(socketpair(AF_UNIX, SOCK_STREAM, 0, streams) == 0);
    CLAIM(socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        read_all(streams[1], 5);
        CLAIM(send(datagrams[1], "one", 3, 0) == 3);
        CLAIM(send(datagrams[1], "one", 3, 0) == 3);
        return 0;
    }
    write_all(streams[0], "hello");
    CLAIM(recv(datagrams[0], bytes, sizeof bytes, 0) == 3);
    CLAIM(recv(datagrams[0], bytes, sizeof bytes, 0) == 3);
    child_wait(pid);
    return 0;
}
