/* Datagrams over connected sockets.
 *
 * expect: 3 send
 * expect: 3 recv */
#include "program.h"

int main(void)
{
    struct sockaddr_in a;
    struct sockaddr_in b;
    const int one = socket_bound(SOCK_DGRAM, &a);
    const int two = socket_bound(SOCK_DGRAM, &b);
    char bytes[16];
    CLAIM(connect(one, (struct sockaddr *)&b, sizeof b) == 0);
    CLAIM(connect(two, (struct sockaddr *)&a, sizeof a) == 0);
    CLAIM(send(one, "hello", 5, 0) == 5);
    CLAIM(recv(two, bytes, sizeof bytes, 0) == 5);
    CLAIM(write(two, "answer", 6) == 6);
    CLAIM(read(one, bytes, sizeof bytes) == 6);
    CLAIM(send(two, "", 0, 0) == 0);
    CLAIM(recv(one, bytes, sizeof bytes, 0) == 0);
    return 0;
}
