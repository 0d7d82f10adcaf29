/* Hooks of sockets and pipes. A send is recorded before the call, and corrected if fewer bytes
 * went; a receive is recorded after the call. Records of streams have the number of bytes, and a
 * hash of the content if they are few. Records of datagrams have a hash of their content, by which
 * the collector matches send and receive. Payloads are not kept. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/content.h"
#include "runtime/instrument/runtime_entry.h"
#include "runtime/record/hooks/close_locks.h"
#include "runtime/record/hooks/fd_identity.h"
#include "runtime/record/hooks/file_descriptors.h"
#include "runtime/record/hooks/shell.h"
#include "runtime/record/hooks/signal_edges.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/access.h"
#include "runtime/shared/real.h"

enum {
    ENDS_MAX = 320,
    UNITS_MAX = 1 << 16, /* of one write to an eventfd that is a semaphore */
    TOKEN_SIZE_MAX = 16,
};

static uint64_t hash_vector(const struct iovec *parts, size_t count, size_t size)
{
    uint64_t hash = CONTENT_NONE;
    for (size_t i = 0; i < count && size > 0; i++) {
        const size_t taken = parts[i].iov_len < size ? parts[i].iov_len : size;
        hash = content_hash(hash, parts[i].iov_base, taken);
        size -= taken;
    }
    return hash;
}

static size_t vector_size(const struct iovec *parts, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += parts[i].iov_len;
    }
    return size;
}

/* A datagram's record: hash, then the address it came from or goes to. */
struct datagram {
    uint64_t hash;
    char ends[ENDS_MAX];
};

/* One transfer, either way. */
struct transfer {
    int fd;
    const struct iovec *parts;
    size_t count;
    const struct sockaddr *address; /* the peer's, NULL: the connected one */
    socklen_t address_size;
    const void *place;
};

static struct rt_mark record_datagram(enum event_kind kind, struct descriptor d,
                                      const struct transfer *t, size_t size)
{
    if (kind == EVENT_SEND) {
        descriptor_bind(t->fd);
    }
    struct datagram more = {.hash = hash_vector(t->parts, t->count, size)};
    const uint32_t ends =
        descriptor_print_ends(t->fd, t->address, t->address_size, more.ends, ENDS_MAX);
    return rt_record((struct rt_event){.kind = kind,
                                       .mode = d.transport,
                                       .object = (const void *)(uintptr_t)d.number,
                                       .has_size = true,
                                       .size = size,
                                       .place = t->place,
                                       .more = &more,
                                       .more_size = sizeof more.hash + ends});
}

/* An operation on an eventfd that counts as a semaphore, or the SEM_INIT of any, with its value. */
static struct rt_mark record_units(enum event_kind kind, struct descriptor d,
                                   const struct transfer *t, int64_t value)
{
    descriptor_name(t->fd);
    return rt_record((struct rt_event){.kind = kind,
                                       .mode = RECORD_OF_DESCRIPTOR,
                                       .object = (const void *)(uintptr_t)d.number,
                                       .has_value = kind == EVENT_SEM_INIT,
                                       .value = value,
                                       .place = t->place});
}

/* A write posts as many units as its value; returns the mark of the last. */
static struct rt_mark record_posts(struct descriptor d, const struct transfer *t)
{
    uint64_t units = 0;
    if (t->count > 0 && t->parts[0].iov_len >= sizeof units) {
        memcpy(&units, t->parts[0].iov_base, sizeof units);
    }
    struct rt_mark mark = {0};
    for (uint64_t i = 0; i < units && i < UNITS_MAX; i++) {
        mark = record_units(EVENT_SEM_POST, d, t, 0);
    }
    return mark;
}

/* Bytes of a stream. Of a few that fill their buffers a hash is kept: equal pieces of one stream
 * may take each other's place. */
static struct rt_mark record_bytes(enum event_kind kind, struct descriptor d,
                                   const struct transfer *t, size_t size)
{
    const bool is_token = size > 0 && size <= TOKEN_SIZE_MAX && t->parts != NULL &&
                          vector_size(t->parts, t->count) == size;
    descriptor_name(t->fd);
    return rt_record(
        (struct rt_event){.kind = kind,
                          .mode = d.transport,
                          .object = (const void *)(uintptr_t)d.number,
                          .has_size = true,
                          .size = size,
                          .has_value = is_token,
                          .value = is_token ? (int64_t)hash_vector(t->parts, t->count, size) : 0,
                          .place = t->place});
}

static struct rt_mark record_transfer(enum event_kind kind, const struct transfer *t, size_t size)
{
    if (!rt_is_recording()) {
        return (struct rt_mark){0};
    }
    const int saved = errno;
    struct rt_mark mark = {0};
    const struct descriptor d = descriptor_of(t->fd);
    if (d.class == DESCRIPTOR_DATAGRAM) {
        mark = record_datagram(kind, d, t, size);
    } else if (d.class == DESCRIPTOR_STREAM) {
        mark = record_bytes(kind, d, t, size);
    } else if (d.class == DESCRIPTOR_EVENT) {
        /* A read needs the name, too: its sender is known by it. */
        descriptor_name(t->fd);
        mark = rt_record((struct rt_event){.kind = kind == EVENT_SEND ? EVENT_HAPPENS_BEFORE
                                                                      : EVENT_HAPPENS_AFTER,
                                           .mode = ANNOTATION_COUNTER,
                                           .object = (const void *)(uintptr_t)d.number,
                                           .place = t->place});
    } else if (d.class == DESCRIPTOR_SEMAPHORE) {
        mark = kind == EVENT_SEND ? record_posts(d, t) : record_units(EVENT_SEM_WAIT, d, t, 0);
    } else if (d.class == DESCRIPTOR_SIGNALS && t->count > 0) {
        signalled_by_descriptor(t->parts[0].iov_base,
                                size < t->parts[0].iov_len ? size : t->parts[0].iov_len, t->place);
    } else if (d.class == DESCRIPTOR_TIMER) {
        signalled_by_timer(t->fd, t->place);
    }
    errno = saved;
    return mark;
}

/* The kernel accesses the first size bytes of the buffers for the program: an access of the program
 * that only code built by `clew cc` has beside others. */
static void buffers_accessed(const struct transfer *t, size_t size, bool is_write)
{
    if (!access_is_told() || !rt_is_recording()) {
        return;
    }
    const int saved = errno;
    for (size_t i = 0; i < t->count && size > 0; i++) {
        const size_t moved = t->parts[i].iov_len < size ? t->parts[i].iov_len : size;
        (is_write ? clew_rt_write : clew_rt_read)(t->parts[i].iov_base, moved, t->place);
        size -= moved;
    }
    errno = saved;
}

/* Announces a send, which reads the buffers first. */
static struct rt_mark sending(const struct transfer *t, size_t size)
{
    descriptor_use(t->fd, t->place);
    buffers_accessed(t, size, false);
    return record_transfer(EVENT_SEND, t, size);
}

/* Called after a send, which may have failed because no process reads any more. */
static ssize_t sent(const struct transfer *t, struct rt_mark mark, ssize_t result)
{
    (void)rt_amend_sent(mark, result);
    if (result < 0 && errno == EPIPE) {
        descriptor_ready(t->fd, true, t->place);
    }
    return result;
}

/* After a receive: a failed one has no event, and a peeking one takes nothing. */
static ssize_t received(const struct transfer *t, int flags, ssize_t result)
{
    if (result >= 0 && (flags & MSG_PEEK) == 0) {
        (void)record_transfer(EVENT_RECV, t, (size_t)result);
    } else if (result >= 0) {
        descriptor_ready(t->fd, false, t->place);
    }
    if (result > 0) {
        buffers_accessed(t, (size_t)result, true);
    }
    return result;
}

RT_EXPORT ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
    const struct iovec part = {(void *)(uintptr_t)bytes, size};
    const struct transfer t = {.fd = fd, .parts = &part, .count = 1, .place = RT_PLACE};
    const struct rt_mark mark = sending(&t, size);
    return sent(&t, mark, REAL(send)(fd, bytes, size, flags));
}

/* A write to a file, when fd is one. */
static struct rt_mark file_write(int fd, size_t size, const void *place)
{
    return file_record(EVENT_FILE_WRITE,
                       (struct file_transfer){fd, true, size, file_offset(fd), place});
}

/* Records a read of a file, if fd is one. The call has moved the offset already. A failed read is
 * not recorded. */
static void file_read(int fd, ssize_t size, const void *place)
{
    const int64_t after = size < 0 ? -1 : file_offset(fd);
    if (size >= 0 && after >= size) {
        (void)file_record(EVENT_FILE_READ,
                          (struct file_transfer){fd, true, (uint64_t)size, after - size, place});
    }
}

RT_EXPORT ssize_t write(int fd, const void *bytes, size_t size)
{
    const struct iovec part = {(void *)(uintptr_t)bytes, size};
    const struct transfer t = {.fd = fd, .parts = &part, .count = 1, .place = RT_PLACE};
    if (rt_is_recording() && descriptor_of(fd).class == DESCRIPTOR_FILE) {
        descriptor_use(fd, RT_PLACE);
        buffers_accessed(&t, size, false);
        const struct rt_mark written = file_write(fd, size, RT_PLACE);
        return rt_amend_sent(written, REAL(write)(fd, bytes, size));
    }
    const struct rt_mark mark = sending(&t, size);
    return sent(&t, mark, REAL(write)(fd, bytes, size));
}

RT_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    const struct transfer t = {
        .fd = fd, .parts = parts, .count = count < 0 ? 0 : (size_t)count, .place = RT_PLACE};
    if (rt_is_recording() && descriptor_of(fd).class == DESCRIPTOR_FILE) {
        descriptor_use(fd, RT_PLACE);
        buffers_accessed(&t, vector_size(parts, t.count), false);
        const struct rt_mark written = file_write(fd, vector_size(parts, t.count), RT_PLACE);
        return rt_amend_sent(written, REAL(writev)(fd, parts, count));
    }
    const struct rt_mark mark = sending(&t, vector_size(parts, t.count));
    return sent(&t, mark, REAL(writev)(fd, parts, count));
}

RT_EXPORT ssize_t sendto(int fd, const void *bytes, size_t size, int flags, __CONST_SOCKADDR_ARG to,
                         socklen_t address_size)
{
    const struct iovec part = {(void *)(uintptr_t)bytes, size};
    const struct transfer t = {.fd = fd,
                               .parts = &part,
                               .count = 1,
                               .address = to.__sockaddr__,
                               .address_size = address_size,
                               .place = RT_CALLER};
    const struct rt_mark mark = sending(&t, size);
    return sent(&t, mark, REAL(sendto)(fd, bytes, size, flags, to.__sockaddr__, address_size));
}

static struct transfer transfer_of(int fd, const struct msghdr *message, const void *place)
{
    return (struct transfer){.fd = fd,
                             .parts = message->msg_iov,
                             .count = message->msg_iovlen,
                             .address = message->msg_name,
                             .address_size = message->msg_namelen,
                             .place = place};
}

static ssize_t send_message(int fd, const struct msghdr *message, int flags, const void *place)
{
    const struct transfer t = transfer_of(fd, message, place);
    const struct rt_mark mark = sending(&t, vector_size(t.parts, t.count));
    return sent(&t, mark, REAL(sendmsg)(fd, message, flags));
}

RT_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    return send_message(fd, message, flags, RT_PLACE);
}

/* Bytes that go from a file straight into a socket have no address and no hash. Only streams allow
 * it. */
RT_EXPORT ssize_t sendfile(int fd, int from, off_t *offset, size_t size)
{
    const struct transfer t = {.fd = fd, .place = RT_CALLER};
    const struct rt_mark mark = sending(&t, size);
    return rt_amend_sent(mark, REAL(sendfile)(fd, from, offset, size));
}

RT_EXPORT ssize_t sendfile64(int fd, int from, off64_t *offset, size_t size)
{
    const struct transfer t = {.fd = fd, .place = RT_CALLER};
    const struct rt_mark mark = sending(&t, size);
    return rt_amend_sent(mark, REAL(sendfile64)(fd, from, offset, size));
}

/* From a pipe to a stream, or the other way; a file at either end has no event of its own. */
RT_EXPORT ssize_t splice(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size,
                         unsigned flags)
{
    const struct transfer out = {.fd = to, .place = RT_PLACE};
    descriptor_use(from, RT_PLACE);
    const struct rt_mark mark = sending(&out, size);
    const ssize_t result =
        rt_amend_sent(mark, REAL(splice)(from, from_offset, to, to_offset, size, flags));
    const struct transfer in = {.fd = from, .place = RT_PLACE};
    return received(&in, 0, result);
}

RT_EXPORT int eventfd_write(int fd, uint64_t value)
{
    const struct iovec part = {&value, sizeof value};
    const struct transfer t = {.fd = fd, .parts = &part, .count = 1, .place = RT_PLACE};
    descriptor_use(fd, RT_PLACE);
    const struct rt_mark mark = record_transfer(EVENT_SEND, &t, sizeof value);
    return (int)rt_amend_sent(mark, REAL(eventfd_write)(fd, value));
}

RT_EXPORT int eventfd_read(int fd, uint64_t *value)
{
    const struct transfer t = {.fd = fd, .place = RT_PLACE};
    descriptor_use(fd, RT_PLACE);
    return (int)received(&t, 0, REAL(eventfd_read)(fd, value));
}

RT_EXPORT ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
    descriptor_use(fd, RT_PLACE);
    const ssize_t result = REAL(recv)(fd, bytes, size, flags);
    const struct iovec part = {bytes, size};
    const struct transfer t = {.fd = fd, .parts = &part, .count = 1, .place = RT_PLACE};
    return received(&t, flags, result);
}

RT_EXPORT ssize_t read(int fd, void *bytes, size_t size)
{
    descriptor_use(fd, RT_PLACE);
    const ssize_t result = REAL(read)(fd, bytes, size);
    file_read(fd, result, RT_PLACE);
    const struct iovec part = {bytes, size};
    const struct transfer t = {.fd = fd, .parts = &part, .count = 1, .place = RT_PLACE};
    return received(&t, 0, result);
}

RT_EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
    descriptor_use(fd, RT_PLACE);
    const ssize_t result = REAL(readv)(fd, parts, count);
    file_read(fd, result, RT_PLACE);
    const struct transfer t = {
        .fd = fd, .parts = parts, .count = count < 0 ? 0 : (size_t)count, .place = RT_PLACE};
    return received(&t, 0, result);
}

RT_EXPORT ssize_t recvfrom(int fd, void *bytes, size_t size, int flags, __SOCKADDR_ARG to,
                           socklen_t *address_size)
{
    descriptor_use(fd, RT_CALLER);
    const ssize_t result = REAL(recvfrom)(fd, bytes, size, flags, to.__sockaddr__, address_size);
    const struct iovec part = {bytes, size};
    const struct transfer t = {.fd = fd,
                               .parts = &part,
                               .count = 1,
                               .address = to.__sockaddr__,
                               .address_size =
                                   result < 0 || to.__sockaddr__ == NULL ? 0 : *address_size,
                               .place = RT_CALLER};
    return received(&t, flags, result);
}

/* Descriptors that came with a message are new ones. */
static void forget_passed(struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        for (size_t at = 0; at + sizeof(int) <= c->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
            int passed = -1;
            memcpy(&passed, CMSG_DATA(c) + at, sizeof passed);
            descriptor_forget(passed);
        }
    }
}

/* A message of this size was received, with its ancillary data. */
static void message_received(const struct transfer *t, struct msghdr *message, int flags,
                             size_t size)
{
    forget_passed(message);
    (void)received(t, flags, (ssize_t)size);
}

RT_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    descriptor_use(fd, RT_PLACE);
    const ssize_t result = REAL(recvmsg)(fd, message, flags);
    if (result >= 0) {
        const struct transfer t = transfer_of(fd, message, RT_PLACE);
        message_received(&t, message, flags, (size_t)result);
    }
    return result;
}

/* Several messages in one call: each is announced; those that did not go are taken back. */
RT_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    int done = 0;
    while ((unsigned)done < count) {
        const ssize_t size = send_message(fd, &messages[done].msg_hdr, flags, RT_PLACE);
        if (size < 0) {
            return done == 0 ? -1 : done;
        }
        messages[done++].msg_len = (unsigned)size;
    }
    return done;
}

RT_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                       struct timespec *timeout)
{
    descriptor_use(fd, RT_PLACE);
    const int result = REAL(recvmmsg)(fd, messages, count, flags, timeout);
    for (int i = 0; i < result; i++) {
        const struct transfer t = transfer_of(fd, &messages[i].msg_hdr, RT_PLACE);
        message_received(&t, &messages[i].msg_hdr, flags, messages[i].msg_len);
    }
    return result;
}

/* A step in a connection's life. */
static void record_step(enum event_kind kind, int fd, const void *place)
{
    if (!rt_is_recording()) {
        return;
    }
    const int saved = errno;
    const struct descriptor d = descriptor_of(fd);
    if (d.class == DESCRIPTOR_STREAM) {
        descriptor_name(fd);
        (void)rt_record((struct rt_event){.kind = kind,
                                          .mode = d.transport,
                                          .object = (const void *)(uintptr_t)d.number,
                                          .place = place});
    }
    errno = saved;
}

/* The stamp must come before the other side can accept; the own end, which the kernel chooses, is
 * known only after. A connect that fails at once is taken back. */
RT_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t address_size)
{
    struct rt_mark mark = {0};
    descriptor_use(fd, RT_CALLER);
    if (rt_is_recording()) {
        const struct descriptor d = descriptor_of(fd);
        if (d.class == DESCRIPTOR_STREAM) {
            mark = rt_record((struct rt_event){.kind = EVENT_CONNECT,
                                               .mode = d.transport,
                                               .object = (const void *)(uintptr_t)d.number,
                                               .place = RT_CALLER});
        }
    }
    const int result = REAL(connect)(fd, to.__sockaddr__, address_size);
    const int saved = errno;
    if (result < 0 && saved != EINPROGRESS && saved != EINTR) {
        rt_amend_void(mark);
    } else if (mark.record != NULL) {
        descriptor_name(fd);
    }
    errno = saved;
    return result;
}

static int accepted(int fd, const void *place)
{
    if (fd >= 0) {
        descriptor_made(fd, place);
        record_step(EVENT_ACCEPT, fd, place);
    }
    return fd;
}

RT_EXPORT int accept(int fd, __SOCKADDR_ARG to, socklen_t *address_size)
{
    descriptor_use(fd, RT_CALLER);
    return accepted(REAL(accept)(fd, to.__sockaddr__, address_size), RT_CALLER);
}

RT_EXPORT int accept4(int fd, __SOCKADDR_ARG to, socklen_t *address_size, int flags)
{
    descriptor_use(fd, RT_CALLER);
    return accepted(REAL(accept4)(fd, to.__sockaddr__, address_size, flags), RT_CALLER);
}

RT_EXPORT int shutdown(int fd, int how)
{
    descriptor_use(fd, RT_PLACE);
    if (how != SHUT_RD) {
        record_step(EVENT_SHUTDOWN, fd, RT_PLACE);
    }
    return REAL(shutdown)(fd, how);
}

/* The descriptor is about to be closed. */
static void closes(int fd, const void *place)
{
    descriptor_ends(fd, place);
    lock_forget(fd, place);
    descriptor_closes(fd, place);
}

RT_EXPORT int close(int fd)
{
    if (fd >= 0) {
        closes(fd, RT_PLACE);
    }
    return REAL(close)(fd);
}

/* A new descriptor. Its number may have been closed by a call without a hook, so the old identity
 * is forgotten. */
static int made(int fd, const void *place)
{
    descriptor_made(fd, place);
    return fd;
}

static int copied(int fd, int from, const void *place)
{
    descriptor_made(fd, place);
    descriptor_shares(fd, from);
    return fd;
}

RT_EXPORT int dup(int fd)
{
    descriptor_use(fd, RT_PLACE);
    return copied(REAL(dup)(fd), fd, RT_PLACE);
}

/* Another descriptor takes the place of this one, which is closed, if there is another. */
static void replaces(int from, int to, const void *place)
{
    const int saved = errno;
    descriptor_use(from, place);
    if (from != to && to >= 0 && syscall(SYS_fcntl, from, F_GETFD) >= 0) {
        closes(to, place);
    }
    errno = saved;
}

RT_EXPORT int dup2(int from, int to)
{
    replaces(from, to, RT_PLACE);
    return from == to ? REAL(dup2)(from, to) : copied(REAL(dup2)(from, to), from, RT_PLACE);
}

RT_EXPORT int dup3(int from, int to, int flags)
{
    replaces(from, to, RT_PLACE);
    return copied(REAL(dup3)(from, to, flags), from, RT_PLACE);
}

RT_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    descriptor_forget_range(first, last);
    return REAL(close_range)(first, last, flags);
}

RT_EXPORT void closefrom(int first)
{
    descriptor_forget_range(first < 0 ? 0 : (unsigned)first, UINT32_MAX);
    REAL(closefrom)(first);
}

RT_EXPORT int fclose(FILE *file)
{
    if (shell_is_stream(file)) {
        return pclose(file);
    }
    closes(fileno(file), RT_PLACE);
    return REAL(fclose)(file);
}

RT_EXPORT int eventfd(unsigned count, int flags)
{
    const int fd = made(REAL(eventfd)(count, flags), RT_PLACE);
    const struct transfer t = {.fd = fd, .place = RT_PLACE};
    if (fd >= 0 && ((flags & EFD_SEMAPHORE) != 0 || count > 0) && rt_is_recording()) {
        const int saved = errno;
        const struct descriptor d = descriptor_of(fd);
        if (d.class == DESCRIPTOR_SEMAPHORE || d.class == DESCRIPTOR_EVENT) {
            (void)record_units(EVENT_SEM_INIT, d, &t, count);
        }
        errno = saved;
    }
    return fd;
}

RT_EXPORT int socket(int domain, int type, int protocol)
{
    return made(REAL(socket)(domain, type, protocol), RT_PLACE);
}

RT_EXPORT int socketpair(int domain, int type, int protocol, int pair[2])
{
    const int result = REAL(socketpair)(domain, type, protocol, pair);
    if (result == 0) {
        (void)made(pair[0], RT_CALLER);
        (void)made(pair[1], RT_CALLER);
        if (rt_is_recording()) {
            descriptor_name_pair(pair[0], pair[1]);
        }
    }
    return result;
}

static int made_pipe(int result, const int ends[static 2], const void *place)
{
    if (result == 0) {
        (void)made(ends[0], place);
        (void)made(ends[1], place);
    }
    return result;
}

RT_EXPORT int pipe(int ends[2])
{
    return made_pipe(REAL(pipe)(ends), ends, RT_CALLER);
}

RT_EXPORT int pipe2(int ends[2], int flags)
{
    return made_pipe(REAL(pipe2)(ends, flags), ends, RT_CALLER);
}
