/* Bytes from and into several places.
 *
 * expect: 2 send
 * expect: 2 recv */
#include <sys/uio.h>

#include "program.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

int main(void)
{
    const struct tcp_pair pair = tcp_connected();
    char text[] = "hello";
    char room[10];
    struct iovec out[] = {{text, 2}, {text + 2, 3}};
    struct iovec in[] = {{room, 1}, {room + 1, 4}};
    struct msghdr message = {.msg_iov = out, .msg_iovlen = 2};
    CLAIM(writev(pair.client, out, COUNT(out)) == 5);
    CLAIM(readv(pair.server, in, COUNT(in)) == 5);
    CLAIM(sendmsg(pair.client, &message, 0) == 5);
    message = (struct msghdr){.msg_iov = in, .msg_iovlen = 2};
    CLAIM(recvmsg(pair.server, &message, MSG_WAITALL) == 5);
    CLAIM(memcmp(room, text, 5) == 0);
    return 0;
}
