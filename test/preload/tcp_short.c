/* What comes in other pieces than it was sent in is matched by its bytes.
 *
 * expect: 10 send
 * expect: 100 recv */
#include "program.h"

int main(void)
{
    const struct tcp_pair pair = tcp_connected();
    char bytes[10] = {0};
    for (int i = 0; i < 10; i++) {
        CLAIM(send(pair.client, bytes, sizeof bytes, 0) == sizeof bytes);
    }
    for (int i = 0; i < 100; i++) {
        CLAIM(recv(pair.server, bytes, 1, 0) == 1);
    }
    return 0;
}
