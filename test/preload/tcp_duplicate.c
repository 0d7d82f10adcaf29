/* A connection under several numbers is one connection, and one number that nothing takes the place
 * of is not closed.
 *
 * expect: 4 send
 * expect: 1 close
 * expect: 1 recv */
#include "program.h"

int main(void)
{
    const struct tcp_pair pair = tcp_connected();
    const int other = dup(pair.client);
    CLAIM(dup2(pair.client, 50) == 50);
    char bytes[4];
    CLAIM(write(pair.client, "a", 1) == 1);
    CLAIM(write(other, "b", 1) == 1);
    CLAIM(close(other) == 0);
    CLAIM(write(50, "c", 1) == 1);
    CLAIM(dup2(-1, 50) < 0);
    CLAIM(dup3(50, 50, 0) < 0);
    CLAIM(write(50, "d", 1) == 1);
    CLAIM(recv(pair.server, bytes, 4, MSG_WAITALL) == 4);
    CLAIM(memcmp(bytes, "abcd", 4) == 0);
    return 0;
}
