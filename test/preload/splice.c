/* Bytes go from a pipe straight into a socket, as many as there are.
 *
 * expect: 2 send
 * expect: 2 recv
 * order: send mode=pipe size=7
 * order: send mode=tcp size=7
 * order: recv mode=pipe size=7
 * order: recv mode=tcp size=7 */
#include <fcntl.h>

#include "program.h"

int main(void)
{
    const struct tcp_pair pair = tcp_connected();
    int ends[2];
    CLAIM(pipe(ends) == 0);
    write_all(ends[1], "content");
    CLAIM(splice(ends[0], NULL, pair.client, NULL, 100, 0) == 7);
    read_all(pair.server, 7);
    return 0;
}
