/* Sockets on this machine alone, for the programs of this folder and of its neighbours. */
#ifndef CLEW_CASES_RACES_LOOPBACK_H
#define CLEW_CASES_RACES_LOOPBACK_H

#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../race.h"

/* A socket bound to a free port of the loopback address, which is written to address. */
static inline int loopback_bound(int type, struct sockaddr_in *address)
{
    const int fd = socket(AF_INET, type, 0);
    MUST(fd >= 0);
    *address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    MUST(bind(fd, (const struct sockaddr *)address, sizeof *address) == 0);
    socklen_t size = sizeof *address;
    MUST(getsockname(fd, (struct sockaddr *)address, &size) == 0);
    return fd;
}

static inline int loopback_listening(struct sockaddr_in *address)
{
    const int fd = loopback_bound(SOCK_STREAM, address);
    MUST(listen(fd, 8) == 0);
    return fd;
}

static inline int loopback_connected(int type, const struct sockaddr_in *address)
{
    const int fd = socket(AF_INET, type, 0);
    MUST(fd >= 0);
    MUST(connect(fd, (const struct sockaddr *)address, sizeof *address) == 0);
    return fd;
}

/* The abstract address NAME of this program's Unix sockets; it leaves no file behind. */
static inline socklen_t unix_address(struct sockaddr_un *address, const char *name, pid_t program)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "clew-%s-%d",
                                name, (int)program);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

#endif
