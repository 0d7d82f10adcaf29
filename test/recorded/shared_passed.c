/* A memfd that one process makes and passes to another through a socket.
 *
 * race: maker_writes receiver_writes */
#define _GNU_SOURCE
#include <string.h>
#include <sys/socket.h>

#include "shared.h"

static int ends[2];

union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
};

static void pass(int fd)
{
    char byte = 0;
    union control control = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    CLAIM(sendmsg(ends[0], &message, 0) == 1);
}

static int take(void)
{
    char byte = 0;
    int fd = -1;
    union control control = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    CLAIM(recvmsg(ends[1], &message, 0) == 1);
    CLAIM(CMSG_FIRSTHDR(&message) != NULL);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}

static void receiver(void)
{
    long *s = map_shared(take(), PAGE);
    CLAIM(s[0] == 1); /* written before the message */
    s[1] = 2;         /* receiver_writes */
}

int main(void)
{
    CLAIM(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    const pid_t pid = start(receiver);
    const int fd = memfd_create("clew-test", 0);
    CLAIM(fd >= 0 && ftruncate(fd, PAGE) == 0);
    long *s = map_shared(fd, PAGE);
    s[0] = 1;
    pass(fd);
    s[1] = 1; /* maker_writes */
    wait_for(pid);
    return 0;
}
