/* A send that takes only a part is told with the part it took; one that takes nothing is not told.
 *
 * expect: 1+ send
 * expect: 1+ recv */
#include "program.h"

static char bytes[1 << 16];

int main(void)
{
    const struct tcp_pair pair = tcp_connected();
    size_t sent = 0;
    for (ssize_t got = 0; got >= 0; sent += (size_t)got) {
        got = send(pair.client, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got < 0) {
            CLAIM(errno == EAGAIN);
            break;
        }
    }
    CLAIM(shutdown(pair.client, SHUT_WR) == 0);
    for (ssize_t got = 1; got > 0; sent -= (size_t)got) {
        got = recv(pair.server, bytes, sizeof bytes, 0);
        CLAIM(got >= 0);
    }
    CLAIM(sent == 0);
    return 0;
}
