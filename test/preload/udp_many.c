/* Several datagrams in one call, and one that is cut because there was no room for it.
 *
 * expect: 4 send
 * expect: 4 recv */
#include "program.h"

int main(void)
{
    struct sockaddr_in a;
    struct sockaddr_in b;
    const int one = socket_bound(SOCK_DGRAM, &a);
    const int two = socket_bound(SOCK_DGRAM, &b);
    char texts[3][8] = {"one", "two", "three"};
    char rooms[3][8];
    struct iovec out[3];
    struct iovec in[3];
    struct mmsghdr sent[3] = {0};
    struct mmsghdr got[3] = {0};
    CLAIM(connect(one, (struct sockaddr *)&b, sizeof b) == 0);
    for (int i = 0; i < 3; i++) {
        out[i] = (struct iovec){texts[i], strlen(texts[i])};
        in[i] = (struct iovec){rooms[i], sizeof rooms[i]};
        sent[i].msg_hdr = (struct msghdr){.msg_iov = &out[i], .msg_iovlen = 1};
        got[i].msg_hdr = (struct msghdr){.msg_iov = &in[i], .msg_iovlen = 1};
    }
    CLAIM(sendmmsg(one, sent, 3, 0) == 3);
    CLAIM(recvmmsg(two, got, 3, 0, NULL) == 3);
    CLAIM(got[2].msg_len == 5);
    CLAIM(send(one, "too long", 8, 0) == 8);
    CLAIM(recv(two, rooms[0], 3, 0) == 3);
    return 0;
}
