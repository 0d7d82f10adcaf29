/* Descriptors that tasks of one process reach each other by: made, shared and closed. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/model/description_lock.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/libc_objects.h"
#include "runtime/control/model/virtual_pid.h"
#include "runtime/control/sched/image.h"
#include "runtime/shared/raw_syscall.h"

static int make_pipe(int fds[2], int flags, const void *place)
{
    state_take_number(place);
    const int result = (int)sys(SYS_pipe2, fds, flags);
    if (result == 0) {
        end_made_pair(fds, CONTROL_PIPE, place);
    }
    return result;
}

RT_EXPORT int pipe2(int fds[2], int flags)
{
    return make_pipe(fds, flags, RT_PLACE);
}

RT_EXPORT int pipe(int fds[2])
{
    return make_pipe(fds, 0, RT_PLACE);
}

RT_EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
    state_take_number(RT_PLACE);
    const int result = (int)sys(SYS_socketpair, domain, type, protocol, fds);
    if (result == 0) {
        end_made_pair(fds, CONTROL_SOCKET, RT_PLACE);
    }
    return result;
}

static int made(long fd, enum control_descriptor kind, const void *place)
{
    end_made((int)fd, kind, place);
    return (int)fd;
}

RT_EXPORT int socket(int domain, int type, int protocol)
{
    if (!node_has_family(domain)) {
        return -1;
    }
    state_take_number(RT_PLACE);
    return made(sys(SYS_socket, domain, type, protocol), CONTROL_SOCKET, RT_PLACE);
}

RT_EXPORT int eventfd(unsigned value, int flags)
{
    state_take_number(RT_PLACE);
    const int fd = made(sys(SYS_eventfd2, value, flags), CONTROL_EVENTFD, RT_PLACE);
    struct end *e = control_is_on ? end_of(fd) : NULL;
    if (e != NULL) {
        end_gives(fd, value, RT_PLACE);
        e->is_semaphore = value == 0 && (flags & EFD_SEMAPHORE) != 0;
    }
    return fd;
}

RT_EXPORT int epoll_create1(int flags)
{
    state_take_number(RT_PLACE);
    return made(sys(SYS_epoll_create1, flags), CONTROL_EPOLL, RT_PLACE);
}

RT_EXPORT int epoll_create(int size)
{
    if (size <= 0) {
        errno = EINVAL;
        return -1;
    }
    return epoll_create1(0);
}

/* A wait for the set, and a close of the member, may find it before or after. */
static void take_member(int set, const void *place)
{
    if (control_is_mine() && task_has_others()) {
        (void)end_take(set, false,
                       &(struct act){.kind = EVENT_FILE_WRITE,
                                     .known_second = state_numbers(),
                                     .writes = true,
                                     .is_untraced = true,
                                     .place = place});
    }
}

RT_EXPORT int epoll_ctl(int set, int operation, int fd, struct epoll_event *event)
{
    take_member(set, RT_PLACE);
    end_use(set, RT_PLACE);
    end_use(fd, RT_PLACE);
    if (event != NULL && operation != EPOLL_CTL_DEL) {
        end_registers(fd, event->data.u64, RT_PLACE);
    }
    const int result = (int)sys(SYS_epoll_ctl, set, operation, fd, event);
    if (control_is_on) {
        run_state->io_stamp++;
    }
    if (result == 0 && operation != EPOLL_CTL_MOD) {
        end_member(set, fd, operation == EPOLL_CTL_ADD);
    }
    return result;
}

static int shared(int from, long to, const void *place)
{
    if (to >= 0) {
        end_shared(from, (int)to, place);
    }
    return (int)to;
}

RT_EXPORT int dup(int fd)
{
    state_take_number(RT_PLACE);
    end_use(fd, RT_PLACE);
    return shared(fd, sys(SYS_dup, fd), RT_PLACE);
}

static int duplicate(int from, int to, int flags, const void *place)
{
    if (control_is_mine() && task_has_peers()) {
        (void)end_take(to, false,
                       &(struct act){.kind = EVENT_CLOSE,
                                     .is_of_connection = true,
                                     .known_second = state_numbers(),
                                     .writes = true,
                                     .writes_second = true,
                                     .is_untraced = end_of(to) == NULL,
                                     .place = place});
    }
    end_use(from, place);
    file_lock_closes(to, place);
    end_closes(to, place);
    return shared(from, sys(SYS_dup3, from, to, flags), place);
}

RT_EXPORT int dup3(int from, int to, int flags)
{
    return duplicate(from, to, flags, RT_PLACE);
}

static bool is_look(int command)
{
    switch (command) {
    case F_GETFL:
    case F_GETFD:
    case F_GETOWN:
    case F_GETOWN_EX:
    case F_GETSIG:
    case F_GETLEASE:
    case F_GETPIPE_SZ:
    case F_GETLK:
    case F_OFD_GETLK:
    case F_GET_SEALS: return true;
    default: return false;
    }
}

/* Locks of the process exclude none of its tasks. */
static bool is_of_others(int command)
{
    return run_state->process_count <= 1 &&
           (command == F_GETLK || command == F_SETLK || command == F_SETLKW);
}

static int file_control(int fd, int command, void *argument, const void *place)
{
    if (control_is_mine() && argument != NULL && file_lock_is_command(command)) {
        return file_lock_control(fd, command, argument, place);
    }
    end_use(fd, place);
    if (command == F_SETFL) {
        state_touch_all(place); /* who uses the descriptor waits, or does not */
    } else if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
        state_take_number(place);
    } else if (!is_of_others(command)) {
        state_touch_descriptor(fd, !is_look(command), place);
    }
    const long result = pid_call(SYS_fcntl, (const long[6]){fd, command, (long)argument});
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
        return shared(fd, result, place);
    }
    if (command == F_SETFL && control_is_on && end_of(fd) == NULL) {
        control_changed();
    }
    return (int)result;
}

RT_EXPORT int dup2(int from, int to)
{
    return from != to                                        ? duplicate(from, to, 0, RT_PLACE)
           : file_control(from, F_GETFD, NULL, RT_PLACE) < 0 ? -1
                                                             : to;
}

#define ARGUMENT_OF(last, argument)        \
    va_list rest;                          \
    va_start(rest, last);                  \
    void *argument = va_arg(rest, void *); \
    va_end(rest)

RT_EXPORT int fcntl(int fd, int command, ...)
{
    ARGUMENT_OF(command, argument);
    return file_control(fd, command, argument, RT_PLACE);
}

RT_EXPORT int fcntl64(int fd, int command, ...)
{
    ARGUMENT_OF(command, argument);
    return file_control(fd, command, argument, RT_PLACE);
}

/* Whoever reads at the other end finds out. */
static void take_close(int fd, enum event_kind kind, const void *place)
{
    if (control_is_mine() && task_has_peers()) {
        (void)end_take(fd, false,
                       &(struct act){.kind = kind,
                                     .is_of_connection = true,
                                     .known_second = kind == EVENT_CLOSE ? state_numbers() : NULL,
                                     .writes = true,
                                     .is_untraced = end_of(fd) == NULL,
                                     .place = place});
    }
}

RT_EXPORT int close(int fd)
{
    if (image_is_page(fd)) {
        errno = EBADF;
        return -1;
    }
    take_close(fd, EVENT_CLOSE, RT_PLACE);
    file_lock_closes(fd, RT_PLACE);
    end_closes(fd, RT_PLACE);
    const int result = (int)sys(SYS_close, fd);
    if (result == 0 && control_is_on) {
        end_closed(fd);
    }
    return result;
}

long end_close_range(unsigned first, unsigned last, unsigned flags)
{
    enum { KNOWN = CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC };
    if (first > last || (flags & ~(unsigned)KNOWN) != 0) {
        errno = EINVAL;
        return -1;
    }
    const int saved = errno;
    for (unsigned fd = first; fd <= last && fd < END_DESCRIPTORS_MAX; fd++) {
        const long kept = image_is_page((int)fd) ? -1 : sys(SYS_fcntl, fd, F_GETFD);
        if (kept >= 0 && (flags & CLOSE_RANGE_CLOEXEC) != 0) {
            (void)sys(SYS_fcntl, fd, F_SETFD, kept | FD_CLOEXEC);
        } else if (kept >= 0) {
            (void)close((int)fd);
        }
    }
    errno = saved;
    const unsigned rest = first > END_DESCRIPTORS_MAX ? first : (unsigned)END_DESCRIPTORS_MAX;
    return last < rest ? 0 : sys(SYS_close_range, rest, last, flags);
}

RT_EXPORT int shutdown(int fd, int how)
{
    take_close(fd, EVENT_SHUTDOWN, RT_PLACE);
    end_use(fd, RT_PLACE);
    end_shuts(fd, RT_PLACE);
    return (int)sys(SYS_shutdown, fd, how);
}

/* Connections */

static int type_of(int fd)
{
    int type = 0;
    socklen_t size = sizeof type;
    return sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 ? type : -1;
}

/* Nobody of this run listens where the socket asks for a connection. A refusal is the kernel's, and
 * the same in every run; anything else comes from outside. */
static void note_stranger(int fd, int result)
{
    const int saved = errno;
    struct pollfd there = {.fd = fd, .events = POLLOUT};
    const bool is_refused =
        node_is_here() || (result != 0 && errno != EINPROGRESS && errno != EAGAIN) ||
        (result != 0 && sys_poll(&there, 1, 0) > 0 && (there.revents & (POLLERR | POLLHUP)) != 0);
    if (is_refused) {
        end_of(fd)->is_inner = true;
    } else {
        control_outside("connect");
    }
    errno = saved;
}

RT_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
    const int type = control_is_mine() ? type_of(fd) : -1;
    struct end *to = control_is_mine() ? node_listener(fd, address.__sockaddr__, size, type) : NULL;
    if (to != NULL) {
        const struct object object = to->object;
        (void)sched_take(&(struct act){
            .kind = EVENT_CONNECT, .known = &object, .writes = true, .place = RT_PLACE});
    } else if (control_is_mine() && end_of(fd) != NULL) { /* somebody may listen there first */
        (void)sched_take(&(struct act){
            .kind = EVENT_CONNECT, .is_of_all = true, .is_untraced = true, .place = RT_PLACE});
        to = node_listener(fd, address.__sockaddr__, size, type);
    }
    end_use(fd, RT_PLACE);
    const int result = node_connect(fd, address.__sockaddr__, size, to);
    if (to == NULL && control_is_mine() && end_of(fd) != NULL) {
        note_stranger(fd, result);
    }
    if (to != NULL && (result == 0 || errno == EINPROGRESS)) {
        const int saved = errno;
        end_connects(fd, to, RT_PLACE);
        errno = saved;
    }
    return result;
}

RT_EXPORT int accept4(int fd, __SOCKADDR_ARG address, socklen_t *size, int flags)
{
    if (control_is_mine()) {
        struct pollfd awaited = {.fd = fd, .events = POLLIN};
        const bool is_waiting = (sys(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) == 0;
        const bool is_idle = !is_waiting && sys_poll(&awaited, 1, 0) == 0 &&
                             task_repeats(RT_PLACE, (const void *)(intptr_t)fd, 0);
        const bool is_there =
            end_take(fd, false,
                     &(struct act){.kind = EVENT_ACCEPT,
                                   .known_second = state_numbers(),
                                   .writes = true,
                                   .writes_second = true,
                                   .is_unsure = !is_waiting,
                                   .is_idle = is_idle,
                                   .wait = is_waiting ? WAIT_READY : WAIT_NOTHING,
                                   .descriptors = &awaited,
                                   .descriptor_count = 1,
                                   .deadline = is_waiting ? end_patience(fd, false) : 0,
                                   .is_outer = end_is_outer(fd),
                                   .interruption = INTERRUPTED_MAYBE,
                                   .is_cancellable = true,
                                   .place = RT_PLACE});
        task_test_cancel();
        if (!is_there) {
            errno = sched_is_interrupted() ? EINTR : EAGAIN;
            return -1;
        }
    }
    end_use(fd, RT_PLACE);
    const socklen_t room = size == NULL ? 0 : *size;
    const int result = (int)sys(SYS_accept4, fd, address.__sockaddr__, size, flags);
    if (result >= 0 && control_is_on) {
        sched_changed();
        control->result.has_accepted = 1;
        const struct end *from = end_accepts(fd, result, RT_PLACE);
        node_accepted(result, fd, from, address.__sockaddr__, size, room);
    }
    return result;
}

RT_EXPORT int accept(int fd, __SOCKADDR_ARG address, socklen_t *size)
{
    return accept4(fd, address, size, 0);
}
