/* A number that is closed behind libc's back, or by the dozen, means something else afterwards.
 *
 * expect: 3 send
 * expect: 3 recv */
#include <sys/syscall.h>

#include "program.h"

static void talk(const struct tcp_pair *pair)
{
    CLAIM(write(pair->client, "x", 1) == 1);
    read_all(pair->server, 1);
}

int main(void)
{
    struct tcp_pair pair = tcp_connected();
    talk(&pair);
    CLAIM(syscall(SYS_close, pair.client) == 0);
    CLAIM(syscall(SYS_close, pair.server) == 0);
    pair = tcp_connected();
    talk(&pair);
    CLAIM(close_range(3, 100, 0) == 0);
    pair = tcp_connected();
    talk(&pair);
    return 0;
}
