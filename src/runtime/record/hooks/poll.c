/* Waits for descriptors: poll, select, epoll. A wait that returns a ready descriptor is recorded
 * after the call. A wait with timeout 0, or one that timed out, is not recorded. */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/timerfd.h>

#include "runtime/record/hooks/fd_identity.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/access.h"
#include "runtime/shared/real.h"

/* ---- registrations with epoll ---- */

enum { REGISTRATIONS_MAX = 1 << 16, DATA_BITS = 12 };

/* Registering a descriptor happens before each wait that returns it, in every execution. The event
 * of epoll carries only the program's data for the descriptor, so the table maps that data to the
 * registration. An entry that another one has displaced is not found: the wait then gets no edge.
 */
static struct {
    _Atomic uint64_t data;
    _Atomic uint32_t task; /* the task that registered it last, plus 1; 0: none */
} registrations[REGISTRATIONS_MAX];
static _Atomic int descriptor_of_data[1 << DATA_BITS];

_Static_assert(sizeof descriptor_of_data / sizeof *descriptor_of_data == 1 << DATA_BITS,
               "a hash of DATA_BITS bits is an index");
static _Atomic int *slot_of(uint64_t data)
{
    return &descriptor_of_data[data * UINT64_C(0x9e3779b97f4a7c15) >> (64 - DATA_BITS)];
}

static void record_order(enum event_kind kind, int fd, const void *place)
{
    const void *instance = descriptor_instance(fd);
    if (instance != NULL) {
        const int saved = errno;
        (void)rt_record((struct rt_event){.kind = kind, .object = instance, .place = place});
        errno = saved;
    }
}

static void registers(int fd, int operation, const struct epoll_event *event, const void *place)
{
    if ((operation == EPOLL_CTL_ADD || operation == EPOLL_CTL_MOD) && event != NULL && fd >= 0 &&
        fd < REGISTRATIONS_MAX && access_is_told() && rt_is_recording()) {
        const uint64_t data = event->data.u64;
        atomic_store_explicit(&registrations[fd].data, data, memory_order_relaxed);
        atomic_store_explicit(&registrations[fd].task, rt_self.number + 1, memory_order_relaxed);
        atomic_store_explicit(slot_of(data), fd, memory_order_relaxed);
        record_order(EVENT_HAPPENS_BEFORE, fd, place);
    }
}

static void returned(const struct epoll_event *events, int count, const void *place)
{
    for (int i = 0; i < count && access_is_told() && rt_is_recording(); i++) {
        const uint64_t data = events[i].data.u64;
        const int fd = atomic_load_explicit(slot_of(data), memory_order_relaxed);
        const uint32_t task = atomic_load_explicit(&registrations[fd].task, memory_order_relaxed);
        if (task == 0 ||
            atomic_load_explicit(&registrations[fd].data, memory_order_relaxed) != data) {
            continue;
        }
        if (task != rt_self.number + 1) {
            record_order(EVENT_HAPPENS_AFTER, fd, place);
        }
        if ((events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR | EPOLLRDHUP)) != 0) {
            descriptor_ready(fd, false, place);
        }
    }
}

static int made(int fd, const void *place)
{
    descriptor_made(fd, place);
    return fd;
}

RT_EXPORT int epoll_create(int size)
{
    return made(REAL(epoll_create)(size), RT_CALLER);
}

RT_EXPORT int epoll_create1(int flags)
{
    return made(REAL(epoll_create1)(flags), RT_CALLER);
}

RT_EXPORT int timerfd_create(int clock, int flags)
{
    return made(REAL(timerfd_create)(clock, flags), RT_CALLER);
}

RT_EXPORT int epoll_ctl(int set, int operation, int fd, struct epoll_event *event)
{
    descriptor_use(set, RT_CALLER);
    descriptor_use(fd, RT_CALLER);
    registers(fd, operation, event, RT_CALLER);
    return REAL(epoll_ctl)(set, operation, fd, event);
}

/* ---- waits ---- */

static void poll_uses(const struct pollfd *list, nfds_t count, const void *place)
{
    for (nfds_t i = 0; i < count && access_is_told(); i++) {
        descriptor_use(list[i].fd, place);
    }
}

/* How many descriptors the sets have. */
static nfds_t select_uses(int count, const fd_set *const sets[3], const void *place)
{
    nfds_t awaited = 0;
    for (int fd = 0; fd < count && fd < FD_SETSIZE && access_is_told(); fd++) {
        for (int i = 0; i < 3; i++) {
            if (sets[i] != NULL && FD_ISSET(fd, sets[i])) {
                descriptor_use(fd, place);
                awaited++;
                break;
            }
        }
    }
    return awaited;
}

/* `awaited`: how many descriptors were waited for; 0: the call does not say. */
static int woken(int ready, nfds_t awaited, const char *call, const void *place)
{
    if (ready > 0) {
        (void)rt_record((struct rt_event){.kind = EVENT_READY,
                                          .has_size = awaited > 0,
                                          .size = awaited,
                                          .has_value = true,
                                          .value = ready,
                                          .place = place,
                                          .more = call,
                                          .more_size = strlen(call)});
    }
    return ready;
}

/* A task that may read, or that learns of the other side's close, happens after the cause. */
static int polled(int ready, const struct pollfd *list, nfds_t count, const char *call,
                  const void *place)
{
    (void)woken(ready, count, call, place);
    for (nfds_t i = 0; i < count && ready > 0; i++) {
        if ((list[i].revents & (POLLIN | POLLHUP | POLLERR | POLLRDHUP)) != 0) {
            descriptor_ready(list[i].fd, false, place);
        }
    }
    return ready;
}

struct select_call {
    const char *name;
    nfds_t awaited;
    const void *place;
};

static int selected(int ready, int count, const fd_set *read, const struct select_call *call)
{
    (void)woken(ready, call->awaited, call->name, call->place);
    for (int fd = 0; fd < count && fd < FD_SETSIZE && ready > 0 && read != NULL; fd++) {
        if (FD_ISSET(fd, read)) {
            descriptor_ready(fd, false, call->place);
        }
    }
    return ready;
}

static int woken_set(int ready, const struct epoll_event *events, const char *call,
                     const void *place)
{
    (void)woken(ready, 0, call, place);
    returned(events, ready, place);
    return ready;
}

RT_EXPORT int poll(struct pollfd *list, nfds_t count, int timeout)
{
    poll_uses(list, count, RT_CALLER);
    return polled(REAL(poll)(list, count, timeout), list, count, "poll", RT_CALLER);
}

RT_EXPORT int ppoll(struct pollfd *list, nfds_t count, const struct timespec *timeout,
                    const sigset_t *signals)
{
    poll_uses(list, count, RT_CALLER);
    return polled(REAL(ppoll)(list, count, timeout, signals), list, count, "ppoll", RT_CALLER);
}

/* The variants of poll and ppoll that programs built with _FORTIFY_SOURCE call. */
RT_EXPORT int __poll_chk(struct pollfd *list, nfds_t count, int timeout, size_t room);
RT_EXPORT int __poll_chk(struct pollfd *list, nfds_t count, int timeout, size_t room)
{
    poll_uses(list, count, RT_CALLER);
    return polled(REAL(__poll_chk)(list, count, timeout, room), list, count, "poll", RT_CALLER);
}

RT_EXPORT int __ppoll_chk(struct pollfd *list, nfds_t count, const struct timespec *timeout,
                          const sigset_t *signals, size_t room);
RT_EXPORT int __ppoll_chk(struct pollfd *list, nfds_t count, const struct timespec *timeout,
                          const sigset_t *signals, size_t room)
{
    poll_uses(list, count, RT_CALLER);
    return polled(REAL(__ppoll_chk)(list, count, timeout, signals, room), list, count, "ppoll",
                  RT_CALLER);
}

RT_EXPORT int select(int count, fd_set *read, fd_set *write, fd_set *special,
                     struct timeval *timeout)
{
    const fd_set *const sets[] = {read, write, special};
    const struct select_call call = {"select", select_uses(count, sets, RT_CALLER), RT_CALLER};
    return selected(REAL(select)(count, read, write, special, timeout), count, read, &call);
}

RT_EXPORT int pselect(int count, fd_set *read, fd_set *write, fd_set *special,
                      const struct timespec *timeout, const sigset_t *signals)
{
    const fd_set *const sets[] = {read, write, special};
    const struct select_call call = {"pselect", select_uses(count, sets, RT_CALLER), RT_CALLER};
    return selected(REAL(pselect)(count, read, write, special, timeout, signals), count, read,
                    &call);
}

RT_EXPORT int epoll_wait(int fd, struct epoll_event *events, int room, int timeout)
{
    descriptor_use(fd, RT_CALLER);
    return woken_set(REAL(epoll_wait)(fd, events, room, timeout), events, "epoll_wait", RT_CALLER);
}

RT_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int room, int timeout,
                          const sigset_t *signals)
{
    descriptor_use(fd, RT_CALLER);
    return woken_set(REAL(epoll_pwait)(fd, events, room, timeout, signals), events, "epoll_pwait",
                     RT_CALLER);
}

RT_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int room,
                           const struct timespec *timeout, const sigset_t *signals)
{
    descriptor_use(fd, RT_CALLER);
    return woken_set(REAL(epoll_pwait2)(fd, events, room, timeout, signals), events, "epoll_pwait2",
                     RT_CALLER);
}
