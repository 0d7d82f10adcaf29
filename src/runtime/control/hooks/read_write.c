/* Reading and writing through descriptors. */
#include "runtime/control/hooks/read_write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "pick/operation_name.h"
#include "runtime/control/hooks/random.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/libc_objects.h"
#include "runtime/control/model/pending_signals.h"
#include "runtime/control/model/syscall_buffers.h"
#include "runtime/control/model/virtual_pid.h"
#include "runtime/control/sched/cluster_run.h"
#include "runtime/shared/raw_syscall.h"

/* Where the program makes the call, when that is not where the function is called. */
static __thread const void *outer_place;

void transfer_from(const void *place)
{
    outer_place = place;
}

/* Asked once in each call, before others can go. */
static const void *place_of(const void *caller)
{
    const void *place = outer_place != NULL ? outer_place : caller;
    outer_place = NULL;
    return place;
}

#define PLACE_ASKED place_of(RT_PLACE)

/* A system call that moves bytes. */
struct transfer {
    long number;
    long a[6];
    size_t size; /* asked for */
    bool is_send;
    bool is_prompt;  /* whatever the descriptor says, it does not wait */
    bool is_looking; /* at what stays there */
    bool is_silent;  /* no signal says that nobody reads */
    bool is_wrapped; /* the wrapper of the function tells its buffers (wire/libc_calls.h) */
    const void *place;
};

static int fd_of(const struct transfer *t)
{
    return (int)t->a[0];
}

/* Nobody reads there any more: said before it is tried, because the kernel would end us. */
static bool is_broken(const struct transfer *t)
{
    const struct end *e = end_of(fd_of(t));
    struct pollfd there = {.fd = fd_of(t), .events = POLLOUT};
    return t->is_send && e != NULL && e->kind == CONTROL_PIPE && sys_poll(&there, 1, 0) > 0 &&
           (there.revents & POLLERR) != 0;
}

/* A datagram between nodes goes to the address that the kernel has for the destination; where no
 * node listens, it is lost. */
static bool route(struct transfer *t, struct msghdr *message, struct sockaddr_storage *real)
{
    if (t->number == SYS_sendto) {
        const void *address = (const void *)t->a[4];
        socklen_t size = (socklen_t)t->a[5];
        const bool is_there = node_destination(fd_of(t), &address, &size, real);
        t->a[4] = (long)address;
        t->a[5] = size;
        return is_there;
    }
    *message = *(const struct msghdr *)t->a[1];
    const void *address = message->msg_name;
    const bool is_there = node_destination(fd_of(t), &address, &message->msg_namelen, real);
    message->msg_name = (void *)(uintptr_t)address;
    t->a[1] = (long)message;
    return is_there;
}

static long send_routed(const struct transfer *t)
{
    struct transfer routed = *t;
    struct msghdr message;
    struct sockaddr_storage real;
    return route(&routed, &message, &real) ? pid_call(routed.number, routed.a) : (long)t->size;
}

static long receive_known(const struct transfer *t)
{
    const bool is_message = t->number == SYS_recvmsg;
    struct msghdr *message = is_message ? (struct msghdr *)t->a[1] : NULL;
    socklen_t *size = is_message ? &message->msg_namelen : (socklen_t *)t->a[5];
    void *address = is_message ? message->msg_name : (void *)t->a[4];
    const socklen_t room = size == NULL ? 0 : *size;
    const long result = pid_call(t->number, t->a);
    if (result >= 0) {
        node_source(address, size, room);
    }
    return result;
}

static long perform(const struct transfer *t)
{
    const bool is_sent = t->number == SYS_sendto || t->number == SYS_sendmsg;
    const bool is_received = t->number == SYS_recvfrom || t->number == SYS_recvmsg;
    if (!node_is_here() || (!is_sent && !is_received)) {
        return pid_call(t->number, t->a);
    }
    return is_sent ? send_routed(t) : receive_known(t);
}

/* What a message counts as: bytes of a stream, or one, whole. */
static uint64_t amount(const struct transfer *t, long moved)
{
    const struct end *e = end_of(fd_of(t));
    int type = SOCK_STREAM;
    socklen_t size = sizeof type;
    if (e->kind == CONTROL_SOCKET) {
        (void)sys(SYS_getsockopt, fd_of(t), SOL_SOCKET, SO_TYPE, &type, &size);
    }
    if (e->kind == CONTROL_EVENTFD) {
        uint64_t value = 0;
        memcpy(&value, (const void *)t->a[1], sizeof value);
        return value;
    }
    return type == SOCK_STREAM ? (uint64_t)moved : 1;
}

/* A hash of a few bytes, by which equal messages are known; 0: there is none. Of a receive only
 * where it got as many as it asked for: otherwise it would have taken two messages. */
static uint64_t content_of(const struct transfer *t, long moved)
{
    enum { CONTENT_MAX = 16 };
    const bool is_single = t->number == SYS_read || t->number == SYS_write ||
                           t->number == SYS_recvfrom || t->number == SYS_sendto;
    const struct end *e = end_of(fd_of(t));
    const bool is_counter =
        e->kind == CONTROL_EVENTFD && !(e->is_semaphore && amount(t, moved) == 1);
    return !is_single || is_counter || moved > CONTENT_MAX || (size_t)moved != t->size
               ? 0
               : name_text((const char *)t->a[1], (size_t)moved) | 1;
}

static bool is_known(const struct end *e)
{
    return e != NULL && (e->kind == CONTROL_PIPE || e->kind == CONTROL_SOCKET ||
                         e->kind == CONTROL_EVENTFD || e->kind == CONTROL_TIMERFD);
}

static void tell(const struct transfer *t, long moved)
{
    const struct end *e = end_of(fd_of(t));
    if (!is_known(e) || moved < 0) {
        return;
    }
    if (moved == 0) { /* the end, and not an empty message */
        if (!t->is_send && t->size > 0 && e->kind != CONTROL_EVENTFD) {
            end_finished(fd_of(t), t->place);
        }
        return;
    }
    if (e->kind == CONTROL_TIMERFD) {
        end_seen(fd_of(t), POLLIN, t->place);
        return;
    }
    const struct moved m = {
        .amount = amount(t, moved), .size = (uint32_t)moved, .content = content_of(t, moved)};
    if (t->is_looking) {
        end_peeked(fd_of(t), m.amount, t->place);
    } else if (t->is_send) {
        end_sent(fd_of(t), &m, t->place);
        end_settle(fd_of(t));
    } else {
        end_received(fd_of(t), &m, t->place);
    }
}

static bool is_stream(const struct end *e)
{
    return e != NULL && e->kind != CONTROL_FILE;
}

/* The call, for people. */
static const char *name_of(const struct transfer *t)
{
    switch (t->number) {
    case SYS_readv: return "readv";
    case SYS_recvfrom: return "recvfrom";
    case SYS_recvmsg: return "recvmsg";
    case SYS_writev: return "writev";
    case SYS_sendto: return "sendto";
    case SYS_sendmsg: return "sendmsg";
    case SYS_pread64: return "pread";
    case SYS_preadv: return "preadv";
    case SYS_pwrite64: return "pwrite";
    case SYS_pwritev: return "pwritev";
    default: return t->is_send ? "write" : "read";
    }
}

/* One that does not wait would find what it found before. */
static bool repeats(const struct transfer *t)
{
    struct pollfd there = {.fd = fd_of(t), .events = t->is_send ? POLLOUT : POLLIN};
    return sys_poll(&there, 1, 0) == 0 && task_repeats(t->place, (const void *)t->a[0], 0);
}

/* Waits until the call can do something. False when it gave up: errno says why. */
static bool await(const struct transfer *t, bool is_waiting)
{
    const struct end *e = end_of(fd_of(t));
    const bool is_outer = end_is_outer(fd_of(t));
    if (!is_outer && !is_stream(e) && !task_has_peers()) {
        return true; /* a file that nobody else looks at */
    }
    const bool is_file = e == NULL ? !is_outer : e->kind == CONTROL_FILE;
    struct pollfd awaited = {.fd = fd_of(t), .events = t->is_send ? POLLOUT : POLLIN};
    if (is_outer) {
        control_outside(name_of(t));
    }
    const bool is_nothing = e != NULL && e->kind == CONTROL_PIPE && t->size == 0;
    const bool is_waited_for = is_waiting && !is_file && !is_nothing;
    const bool is_try = !is_waiting && !is_file;
    const bool is_there = end_take(
        fd_of(t), !t->is_send,
        &(struct act){.kind = is_file ? (t->is_send ? EVENT_FILE_WRITE : EVENT_FILE_READ)
                                      : (t->is_send ? EVENT_SEND : EVENT_RECV),
                      .is_of_all = is_file && state_is_anywhere(),
                      .writes = true,
                      .is_unsure = is_try,
                      .is_idle = is_try && repeats(t),
                      .wait = is_waited_for ? WAIT_READY : WAIT_NOTHING,
                      .descriptors = &awaited,
                      .descriptor_count = 1,
                      .deadline = is_waiting ? end_patience(fd_of(t), t->is_send) : 0,
                      .is_outer = is_outer,
                      .interruption = is_waited_for ? INTERRUPTED_MAYBE : INTERRUPTED_NEVER,
                      .is_cancellable = true,
                      .place = t->place});
    task_test_cancel();
    if (!is_there) {
        errno = sched_is_interrupted() ? EINTR : EAGAIN;
    }
    return is_there;
}

/* The same call with more flags, where it has none too. */
static long send_on_socket(const struct transfer *t, int more)
{
    struct transfer send = *t;
    struct msghdr message = {.msg_iov = (struct iovec *)t->a[1], .msg_iovlen = (size_t)t->a[2]};
    switch (t->number) {
    case SYS_write:
        send.number = SYS_sendto;
        send.a[3] = more;
        break;
    case SYS_writev:
        send.number = SYS_sendmsg;
        send.a[1] = (long)&message;
        send.a[2] = more;
        break;
    case SYS_sendmsg: send.a[2] |= more; break;
    default: send.a[3] |= more; break;
    }
    return perform(&send);
}

static long perform_without_waiting(const struct transfer *t)
{
    const long flags = sys(SYS_fcntl, fd_of(t), F_GETFL);
    (void)sys(SYS_fcntl, fd_of(t), F_SETFL, flags | O_NONBLOCK);
    const long result = perform(t);
    const int saved = errno;
    (void)sys(SYS_fcntl, fd_of(t), F_SETFL, flags);
    errno = saved;
    return result;
}

/* The descriptor is ready. What may be more than there is room for is sent in parts, each when it
 * can be. */
static long perform_ready(const struct transfer *t, bool is_waiting)
{
    const struct end *e = end_of(fd_of(t));
    if (e == NULL || !t->is_send || e->kind == CONTROL_FILE) {
        return perform(t);
    }
    if (e->kind == CONTROL_SOCKET) {
        return send_on_socket(t, MSG_NOSIGNAL | (is_waiting ? MSG_DONTWAIT : 0));
    }
    if (is_broken(t)) {
        errno = EPIPE;
        return -1;
    }
    return !is_waiting || (e->kind == CONTROL_PIPE && t->size <= PIPE_BUF)
               ? perform(t)
               : perform_without_waiting(t);
}

static struct buffer_call buffers_of(const struct transfer *t)
{
    return (struct buffer_call){.number = t->number, .a = t->a, .place = t->place};
}

/* What was sent or received is told before the buffers are written: others may go first then. */
static long perform_and_tell(const struct transfer *t, bool is_waiting)
{
    const struct buffer_call buffers = buffers_of(t);
    struct transfer made = *t;
    struct buffer_own own;
    const bool is_told = !t->is_send && !t->is_wrapped;
    const bool has_own = is_told && buffer_take(&buffers, &own);
    if (has_own) {
        memcpy(made.a, own.a, sizeof made.a);
    }
    const long result = perform_ready(&made, is_waiting);
    const int saved = errno;
    if (result > 0 && t->is_send) {
        cluster_written(fd_of(t));
    }
    if (result >= 0) {
        sched_changed();
    }
    if (result >= 0 || errno != EAGAIN || !is_waiting) {
        tell(&made, result);
    }
    if (has_own) {
        buffer_give(&buffers, &own, result);
    } else if (is_told) {
        buffer_write(&buffers, result);
    }
    errno = saved;
    return result;
}

static long transfer(const struct transfer *t)
{
    if (!control_is_mine()) {
        return perform(t);
    }
    const long flags = sys(SYS_fcntl, fd_of(t), F_GETFL);
    const bool is_waiting = flags >= 0 && (flags & O_NONBLOCK) == 0 && !t->is_prompt;
    end_use(fd_of(t), t->place);
    while (true) {
        if (!await(t, is_waiting)) {
            return -1;
        }
        const long result = perform_and_tell(t, is_waiting);
        if (result >= 0 || errno != EAGAIN || !is_waiting) {
            if (result < 0 && (errno == EPIPE || errno == ECONNRESET)) {
                end_finished(fd_of(t), t->place);
            }
            if (result < 0 && errno == EPIPE && end_of(fd_of(t)) != NULL && !t->is_silent) {
                (void)signals_raise(control_self,
                                    &(siginfo_t){.si_signo = SIGPIPE, .si_code = SI_KERNEL});
                errno = EPIPE;
            }
            return result;
        }
    }
}

/* All of it: one who waits while sending to a stream comes back when everything is sent. */
static ssize_t send_whole(const struct transfer *t)
{
    struct transfer rest = *t;
    const struct buffer_call buffers = buffers_of(t);
    buffer_read(&buffers);
    long done = 0;
    const long flags = control_is_mine() ? sys(SYS_fcntl, fd_of(t), F_GETFL) : O_NONBLOCK;
    while (true) {
        const long result = transfer(&rest);
        if (result < 0) {
            return done > 0 ? done : result;
        }
        done += result;
        if ((size_t)result >= rest.size || t->is_prompt || (flags & O_NONBLOCK) != 0) {
            return done;
        }
        rest.a[1] += result;
        rest.a[2] -= result;
        rest.size -= (size_t)result;
    }
}

static ssize_t send_at_once(const struct transfer *t)
{
    const struct buffer_call buffers = buffers_of(t);
    buffer_read(&buffers);
    return transfer(t);
}

RT_EXPORT ssize_t read(int fd, void *bytes, size_t size)
{
    const struct end *e = control_is_on ? end_of(fd) : NULL;
    if (e != NULL && e->kind == CONTROL_RANDOM) {
        random_fill(bytes, size);
        return (ssize_t)size;
    }
    return transfer(&(struct transfer){.number = SYS_read,
                                       .a = {fd, (long)bytes, (long)size},
                                       .size = size,
                                       .place = PLACE_ASKED});
}

RT_EXPORT ssize_t write(int fd, const void *bytes, size_t size)
{
    return send_whole(&(struct transfer){.number = SYS_write,
                                         .a = {fd, (long)bytes, (long)size},
                                         .size = size,
                                         .is_send = true,
                                         .place = PLACE_ASKED});
}

static size_t size_of(const struct iovec *pieces, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += pieces[i].iov_len;
    }
    return size;
}

RT_EXPORT ssize_t readv(int fd, const struct iovec *pieces, int count)
{
    return transfer(&(struct transfer){.number = SYS_readv,
                                       .a = {fd, (long)pieces, count},
                                       .size = count > 0 ? size_of(pieces, (size_t)count) : 0,
                                       .place = PLACE_ASKED});
}

/* What a pipe takes at once goes at once; more than that, piece by piece. */
RT_EXPORT ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    const size_t size = count > 0 ? size_of(pieces, (size_t)count) : 0;
    const void *place = PLACE_ASKED;
    if (size <= PIPE_BUF || !control_is_mine() || end_of(fd) == NULL) {
        const struct transfer t = {.number = SYS_writev,
                                   .a = {fd, (long)pieces, count},
                                   .size = size,
                                   .is_send = true,
                                   .place = place};
        return send_at_once(&t);
    }
    ssize_t done = 0;
    for (int i = 0; i < count; i++) {
        transfer_from(place);
        const ssize_t result = write(fd, pieces[i].iov_base, pieces[i].iov_len);
        if (result < 0) {
            return done > 0 ? done : result;
        }
        done += result;
        if ((size_t)result < pieces[i].iov_len) {
            return done;
        }
    }
    return done;
}

/* One who wants all that was asked for waits again and again. */
RT_EXPORT ssize_t recvfrom(int fd, void *bytes, size_t size, int flags, __SOCKADDR_ARG address,
                           socklen_t *address_size)
{
    struct transfer t = {.number = SYS_recvfrom,
                         .a = {fd, (long)bytes, (long)size,
                               control_is_mine() ? flags & ~MSG_WAITALL : flags,
                               (long)address.__sockaddr__, (long)address_size},
                         .size = size,
                         .is_prompt = (flags & MSG_DONTWAIT) != 0,
                         .is_looking = (flags & MSG_PEEK) != 0,
                         .place = PLACE_ASKED};
    ssize_t done = transfer(&t);
    while ((flags & MSG_WAITALL) != 0 && control_is_mine() && done > 0 && (size_t)done < size) {
        t.a[1] = (long)bytes + done;
        t.a[2] = (long)size - done;
        const long result = transfer(&t);
        if (result <= 0) {
            break;
        }
        done += result;
    }
    return done;
}

RT_EXPORT ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
    transfer_from(RT_PLACE);
    return recvfrom(fd, bytes, size, flags, (__SOCKADDR_ARG){NULL}, NULL);
}

RT_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    return transfer(&(struct transfer){.number = SYS_recvmsg,
                                       .a = {fd, (long)message, flags},
                                       .size = size_of(message->msg_iov, message->msg_iovlen),
                                       .is_prompt = (flags & MSG_DONTWAIT) != 0,
                                       .is_looking = (flags & MSG_PEEK) != 0,
                                       .place = PLACE_ASKED});
}

RT_EXPORT ssize_t sendto(int fd, const void *bytes, size_t size, int flags,
                         __CONST_SOCKADDR_ARG address, socklen_t address_size)
{
    return send_whole(&(struct transfer){
        .number = SYS_sendto,
        .a = {fd, (long)bytes, (long)size, flags, (long)address.__sockaddr__, address_size},
        .size = size,
        .is_send = true,
        .is_prompt = (flags & MSG_DONTWAIT) != 0,
        .is_silent = (flags & MSG_NOSIGNAL) != 0,
        .place = PLACE_ASKED});
}

RT_EXPORT ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
    transfer_from(RT_PLACE);
    return sendto(fd, bytes, size, flags, (__CONST_SOCKADDR_ARG){NULL}, 0);
}

RT_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    return send_at_once(&(struct transfer){.number = SYS_sendmsg,
                                           .a = {fd, (long)message, flags},
                                           .size = size_of(message->msg_iov, message->msg_iovlen),
                                           .is_send = true,
                                           .is_prompt = (flags & MSG_DONTWAIT) != 0,
                                           .is_silent = (flags & MSG_NOSIGNAL) != 0,
                                           .place = PLACE_ASKED});
}

/* At a place of a file: what has none says so at once. */
static ssize_t transfer_at(const struct transfer *t)
{
    if (!control_is_mine() || is_stream(end_of(fd_of(t)))) {
        return perform(t);
    }
    return transfer(t);
}

#define AT_HOOK(name, system_call, bytes_type, offset_type, sends)                        \
    RT_EXPORT ssize_t name(int fd, bytes_type *bytes, size_t size, offset_type offset)    \
    {                                                                                     \
        return transfer_at(&(struct transfer){.number = SYS_##system_call,                \
                                              .a = {fd, (long)bytes, (long)size, offset}, \
                                              .size = size,                               \
                                              .is_send = (sends),                         \
                                              .is_wrapped = true,                         \
                                              .place = PLACE_ASKED});                     \
    }
AT_HOOK(pread, pread64, void, off_t, false)
AT_HOOK(pread64, pread64, void, off64_t, false)
AT_HOOK(pwrite, pwrite64, const void, off_t, true)
AT_HOOK(pwrite64, pwrite64, const void, off64_t, true)

#define VECTOR_HOOK(name, system_call, offset_type, sends)                                    \
    RT_EXPORT ssize_t name(int fd, const struct iovec *pieces, int count, offset_type offset) \
    {                                                                                         \
        return transfer_at(                                                                   \
            &(struct transfer){.number = SYS_##system_call,                                   \
                               .a = {fd, (long)pieces, count, offset},                        \
                               .size = count > 0 ? size_of(pieces, (size_t)count) : 0,        \
                               .is_send = (sends),                                            \
                               .is_wrapped = true,                                            \
                               .place = PLACE_ASKED});                                        \
    }
VECTOR_HOOK(preadv, preadv, off_t, false)
VECTOR_HOOK(preadv64, preadv, off64_t, false)
VECTOR_HOOK(pwritev, pwritev, off_t, true)
VECTOR_HOOK(pwritev64, pwritev, off64_t, true)

RT_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    transfer_from(RT_PLACE);
    return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

RT_EXPORT int eventfd_write(int fd, eventfd_t value)
{
    transfer_from(RT_PLACE);
    return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}
