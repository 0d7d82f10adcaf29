/* Peeking receives nothing.
 *
 * expect: 1 send
 * expect: 1 recv */
#include "program.h"

int main(void)
{
    const struct tcp_pair pair = tcp_connected();
    char bytes[5];
    CLAIM(send(pair.client, "hello", 5, 0) == 5);
    CLAIM(recv(pair.server, bytes, 5, MSG_PEEK | MSG_WAITALL) == 5);
    CLAIM(recv(pair.server, bytes, 5, MSG_WAITALL) == 5);
    return 0;
}
