/* A connection that is refused was not made.
 *
 * expect: 0 connect
 * expect: 0 send */
#include "program.h"

int main(void)
{
    struct sockaddr_in address;
    const int taken = socket_bound(SOCK_STREAM, &address);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    CLAIM(connect(fd, (struct sockaddr *)&address, sizeof address) < 0);
    CLAIM(errno == ECONNREFUSED);
    CLAIM(send(fd, "x", 1, MSG_NOSIGNAL) < 0);
    CLAIM(close(taken) == 0);
    return 0;
}
