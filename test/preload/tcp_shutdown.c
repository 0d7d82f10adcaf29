/* The end of one direction, then of the connection, as the peer sees it.
 *
 * expect: 1 shutdown
 * expect: 2 close
 * order: shutdown
 * order: recv
 * order: send
 * order: recv */
#include "program.h"

int main(void)
{
    const struct tcp_pair pair = tcp_connected();
    char bytes[8];
    CLAIM(shutdown(pair.client, SHUT_WR) == 0);
    CLAIM(read(pair.server, bytes, sizeof bytes) == 0);
    CLAIM(write(pair.server, "late", 4) == 4);
    CLAIM(close(pair.server) == 0);
    read_all(pair.client, 4);
    CLAIM(read(pair.client, bytes, sizeof bytes) == 0);
    CLAIM(close(pair.client) == 0);
    return 0;
}
