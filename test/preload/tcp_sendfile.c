/* A file goes straight into a socket.
 *
 * expect: 1 send
 * expect: 1 recv */
#include <sys/sendfile.h>

#include "program.h"

int main(void)
{
    const struct tcp_pair pair = tcp_connected();
    FILE *file = tmpfile();
    char bytes[16];
    CLAIM(file != NULL);
    CLAIM(fputs("content", file) >= 0);
    CLAIM(fflush(file) == 0);
    off_t offset = 0;
    CLAIM(sendfile(pair.client, fileno(file), &offset, 100) == 7);
    CLAIM(recv(pair.server, bytes, 7, MSG_WAITALL) == 7);
    CLAIM(fclose(file) == 0);
    return 0;
}
