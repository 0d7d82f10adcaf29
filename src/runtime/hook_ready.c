/* Waits for descriptors: poll, select, epoll. A wait that found something ready is told when it is
 * over; one that only looked, or ran out of time, tells nothing. */
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "runtime/real.h"
#include "runtime/rt.h"

static int woken(int ready, const char *call, const void *place)
{
    if (ready > 0) {
        (void)rt_record((struct rt_event){.kind = EVENT_READY,
                                          .has_value = true,
                                          .value = ready,
                                          .place = place,
                                          .more = call,
                                          .more_size = strlen(call)});
    }
    return ready;
}

RT_EXPORT int poll(struct pollfd *list, nfds_t count, int timeout)
{
    return woken(REAL(poll)(list, count, timeout), "poll", RT_PLACE);
}

RT_EXPORT int ppoll(struct pollfd *list, nfds_t count, const struct timespec *timeout,
                    const sigset_t *signals)
{
    return woken(REAL(ppoll)(list, count, timeout, signals), "ppoll", RT_PLACE);
}

/* What poll and ppoll become in programs built with _FORTIFY_SOURCE. */
RT_EXPORT int __poll_chk(struct pollfd *list, nfds_t count, int timeout, size_t room);
RT_EXPORT int __poll_chk(struct pollfd *list, nfds_t count, int timeout, size_t room)
{
    return woken(REAL(__poll_chk)(list, count, timeout, room), "poll", RT_PLACE);
}

RT_EXPORT int __ppoll_chk(struct pollfd *list, nfds_t count, const struct timespec *timeout,
                          const sigset_t *signals, size_t room);
RT_EXPORT int __ppoll_chk(struct pollfd *list, nfds_t count, const struct timespec *timeout,
                          const sigset_t *signals, size_t room)
{
    return woken(REAL(__ppoll_chk)(list, count, timeout, signals, room), "ppoll", RT_PLACE);
}

RT_EXPORT int select(int count, fd_set *read, fd_set *write, fd_set *special,
                     struct timeval *timeout)
{
    return woken(REAL(select)(count, read, write, special, timeout), "select", RT_PLACE);
}

RT_EXPORT int pselect(int count, fd_set *read, fd_set *write, fd_set *special,
                      const struct timespec *timeout, const sigset_t *signals)
{
    return woken(REAL(pselect)(count, read, write, special, timeout, signals), "pselect", RT_PLACE);
}

RT_EXPORT int epoll_wait(int fd, struct epoll_event *events, int room, int timeout)
{
    return woken(REAL(epoll_wait)(fd, events, room, timeout), "epoll_wait", RT_PLACE);
}

RT_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int room, int timeout,
                          const sigset_t *signals)
{
    return woken(REAL(epoll_pwait)(fd, events, room, timeout, signals), "epoll_pwait", RT_PLACE);
}

RT_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int room,
                           const struct timespec *timeout, const sigset_t *signals)
{
    return woken(REAL(epoll_pwait2)(fd, events, room, timeout, signals), "epoll_pwait2", RT_PLACE);
}
