/* A connection under several numbers is one connection.
 *
 * expect: 3 send
 * expect: 1 recv */
#include "program.h"

int main(void)
{
    const struct tcp_pair pair = tcp_connected();
    const int other = dup(pair.client);
    CLAIM(dup2(pair.client, 50) == 50);
    char bytes[3];
    CLAIM(write(pair.client, "a", 1) == 1);
    CLAIM(write(other, "b", 1) == 1);
    CLAIM(close(other) == 0);
    CLAIM(write(50, "c", 1) == 1);
    CLAIM(recv(pair.server, bytes, 3, MSG_WAITALL) == 3);
    CLAIM(memcmp(bytes, "abc", 3) == 0);
    return 0;
}
