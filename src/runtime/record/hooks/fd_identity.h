/* What the process's descriptors are: connections with two ends, pipes, files. Found out when a
 * descriptor is first used and remembered until it is closed.
 *
 * A connection gets a number, told to the collector once with its two ends; its messages then carry
 * the number. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_FD_IDENTITY_H
#define CLEW_RUNTIME_RECORD_HOOKS_FD_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum descriptor_class {
    DESCRIPTOR_UNKNOWN, /* not looked at yet */
    DESCRIPTOR_OTHER,   /* nothing clew records */
    DESCRIPTOR_STREAM,
    DESCRIPTOR_DATAGRAM,
    DESCRIPTOR_FILE,
    DESCRIPTOR_EVENT,     /* of eventfd */
    DESCRIPTOR_SEMAPHORE, /* of eventfd, with EFD_SEMAPHORE */
    DESCRIPTOR_SIGNALS,   /* of signalfd */
    DESCRIPTOR_TIMER,     /* of timerfd */
    DESCRIPTOR_PROCESS,   /* of pidfd_open */
};

struct descriptor {
    uint8_t class;             /* enum descriptor_class */
    uint8_t transport : 7;     /* enum event_mode, TRANSPORT_... */
    uint8_t is_half_named : 1; /* its own end has been told */
    uint16_t named_count;      /* its ends have been told since so many forks; 0: not yet */
    uint32_t number;           /* in the process */
};

/* Looks at fd, once. */
struct descriptor descriptor_of(int fd);

/* fd is about to be closed; fd has just been made. Whoever is given a number that another task has
 * closed comes after that: programs keep what belongs to a connection under its number. */
void descriptor_closes(int fd, const void *place);
void descriptor_made(int fd, const void *place);

/* What stands for the open file description of fd, in all processes that inherit it. fd has just
 * become another number of that of `from`. */
uint64_t descriptor_description(int fd);
void descriptor_shares(int fd, int from);

/* A call is about to use fd. Its close by another task races with that, unless one is ordered
 * before the other. Descriptors whose opening was not seen are left out. */
void descriptor_use(int fd, const void *place);

/* fd is about to be closed: the close of a pipe's end, or of a connection that was used here, comes
 * before what others learn from it. So does the end of the process, which closes pipes. */
void descriptor_ends(int fd, const void *place);
void descriptor_all_end(const void *place);

/* A call was told that fd is ready, or refused because the other side is gone (`is_refused`): it
 * comes after what made it so. errno stays. */
void descriptor_ready(int fd, bool is_refused, const void *place);

/* What stands for the open descriptor as an object; NULL when its opening was not seen. */
const void *descriptor_instance(int fd);

/* fd is closed, or now means something else; so are all from first to last. */
void descriptor_forget(int fd);
void descriptor_forget_range(unsigned first, unsigned last);

/* The process is a new one, and its collector knows no ends yet. */
void descriptor_forget_names(void);

/* Tells the collector the ends of a connected socket, once. */
void descriptor_name(int fd);

/* The same for the two ends of a pair that has just been made. */
void descriptor_name_pair(int fd, int other);

/* Gives a datagram socket that has no address the one it would get when it sends, so that the ends
 * of its first message are known before it goes. */
void descriptor_bind(int fd);

/* The two ends of a datagram, as "own" 0 "peer", the peer's address given or, when NULL, the
 * connected one. Returns the size. */
uint32_t descriptor_print_ends(int fd, const struct sockaddr *address, socklen_t address_size,
                               char *text, uint32_t size);

#endif
