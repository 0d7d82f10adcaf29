/* The identity of each file descriptor of the process: a connection with two ends, a pipe, a file.
 * Determined at the descriptor's first use and kept until its close.
 *
 * A connection gets a number. One record (RECORD_NAME) gives the collector its two ends; its
 * messages then carry the number. */
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
    uint8_t is_half_named : 1; /* its own end is recorded */
    uint16_t named_count;      /* forks so far when its ends were recorded, plus 1; 0: not yet */
    uint32_t number;           /* in the process */
};

/* Looks at fd, once. */
struct descriptor descriptor_of(int fd);

/* fd is about to be closed; fd was just created. The close of a number happens before the events of
 * the next descriptor with that number: programs keep a connection's state under its number. */
void descriptor_closes(int fd, const void *place);
void descriptor_made(int fd, const void *place);

/* The object that stands for the open file description of fd, in all processes that inherit it. The
 * second: fd has just become a duplicate of `from`. */
uint64_t descriptor_description(int fd);
void descriptor_shares(int fd, int from);

/* A call is about to use fd. Its close by another task races with that, unless one is ordered
 * before the other. Descriptors whose opening was not seen are left out. */
void descriptor_use(int fd, const void *place);

/* fd is about to be closed. The close of a pipe's end, or of a connection that was used here,
 * happens before the events by which other tasks learn of it. The end of the process closes pipes,
 * too. */
void descriptor_ends(int fd, const void *place);
void descriptor_all_end(const void *place);

/* A call returned that fd is ready, or failed because the other side is closed (`is_refused`): the
 * cause happens before it. Preserves errno. */
void descriptor_ready(int fd, bool is_refused, const void *place);

/* The object that stands for the open descriptor; NULL if its opening was not recorded. */
const void *descriptor_instance(int fd);

/* fd is closed, or now means something else; so are all from first to last. */
void descriptor_forget(int fd);
void descriptor_forget_range(unsigned first, unsigned last);

/* The process is a new one, and its collector knows no ends yet. */
void descriptor_forget_names(void);

/* Records the ends of a connected socket, once. */
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
