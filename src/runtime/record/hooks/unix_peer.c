#include "runtime/record/hooks/unix_peer.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct question {
    struct nlmsghdr header;
    struct unix_diag_req request;
};

/* The attribute UNIX_DIAG_PEER of the answer, if it has one. */
static uint32_t peer_in_answer(const unsigned char *bytes, size_t size)
{
    struct nlmsghdr header;
    if (size < sizeof header) {
        return 0;
    }
    memcpy(&header, bytes, sizeof header);
    if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || header.nlmsg_len > size) {
        return 0;
    }
    size_t at = NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(struct unix_diag_msg));
    struct rtattr attribute;
    while (at + sizeof attribute <= header.nlmsg_len) {
        memcpy(&attribute, bytes + at, sizeof attribute);
        uint32_t inode = 0;
        if (attribute.rta_len < sizeof attribute || at + attribute.rta_len > header.nlmsg_len) {
            return 0;
        }
        if (attribute.rta_type == UNIX_DIAG_PEER && attribute.rta_len >= RTA_LENGTH(sizeof inode)) {
            memcpy(&inode, bytes + at + RTA_LENGTH(0), sizeof inode);
            return inode;
        }
        at += RTA_ALIGN(attribute.rta_len);
    }
    return 0;
}

uint32_t unix_peer(uint32_t inode)
{
    const struct question question = {
        .header = {.nlmsg_len = sizeof question,
                   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                   .nlmsg_flags = NLM_F_REQUEST},
        .request = {.sdiag_family = AF_UNIX,
                    .udiag_ino = inode,
                    .udiag_states = UINT32_MAX,
                    .udiag_show = UDIAG_SHOW_PEER,
                    .udiag_cookie = {UINT32_MAX, UINT32_MAX}},
    };
    const long fd = syscall(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0) {
        return 0;
    }
    unsigned char answer[512];
    uint32_t peer = 0;
    if (syscall(SYS_sendto, fd, &question, sizeof question, 0, NULL, 0) == (long)sizeof question) {
        const long size = syscall(SYS_recvfrom, fd, answer, sizeof answer, 0, NULL, NULL);
        peer = size > 0 ? peer_in_answer(answer, (size_t)size) : 0;
    }
    (void)syscall(SYS_close, fd);
    return peer;
}
