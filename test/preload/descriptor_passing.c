/* A connection that is handed to another process goes on there.
 *
 * expect: 2 send
 * expect: 2 recv */
#include "program.h"

static void pass(int channel, int fd)
{
    char byte = 'x';
    struct iovec part = {&byte, 1};
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof fd)] = {0};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    CLAIM(sendmsg(channel, &message, 0) == 1);
}

static int take(int channel)
{
    char byte = 0;
    struct iovec part = {&byte, 1};
    int fd = -1;
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof fd)];
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    CLAIM(recvmsg(channel, &message, 0) == 1);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}

int main(void)
{
    int channel[2];
    CLAIM(socketpair(AF_UNIX, SOCK_STREAM, 0, channel) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        read_all(take(channel[1]), 5);
        return 0;
    }
    const struct tcp_pair pair = tcp_connected();
    write_all(pair.client, "hello");
    pass(channel[0], pair.server);
    child_wait(pid);
    return 0;
}
