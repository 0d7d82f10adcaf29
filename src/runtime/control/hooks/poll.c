/* Waiting for descriptors to be ready. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/control/hooks/mutex.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/pending_signals.h"
#include "runtime/shared/raw_syscall.h"

enum { MS_NS = 1000000, US_NS = 1000, SECOND_NS = 1000000000, SETS_MAX = 3 };

/* A wait for any of these. */
struct awaited {
    struct pollfd *descriptors;
    uint32_t count;
    bool is_waiting;      /* false: it only looks */
    uint64_t deadline;    /* 0: none */
    const sigset_t *mask; /* instead of what it blocks, while it waits; NULL: the same */
    const char *call; /* that is not controlled, if somebody outside is waited for; NULL: what is
                         done with them tells */
    const void *place;
};

static uint64_t after(uint64_t ns)
{
    return control_clock + ns + 1;
}

static long look(const struct awaited *w)
{
    return sys_poll(w->descriptors, w->count, 0);
}

static bool is_outer(const struct awaited *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->descriptors[i].fd >= 0 && end_is_outer(w->descriptors[i].fd)) {
            return true;
        }
    }
    return false;
}

/* One descriptor is an object like any; several are everything. False when it gave up; or when a
 * signal ended it, whose handler ran with the wait's own mask, as errno says then. */
static bool await(const struct awaited *w)
{
    struct task *me = control_self;
    const uint64_t blocked = me->signals_blocked;
    me->signals_blocked = w->mask == NULL ? blocked : signals_of(w->mask);
    const bool has_outer = is_outer(w);
    for (uint32_t i = 0; i < w->count; i++) {
        end_use(w->descriptors[i].fd, w->place);
    }
    const struct object object =
        w->count == 1 ? end_object(w->descriptors[0].fd, true) : (struct object){0};
    if (has_outer && w->call != NULL) {
        control_outside(w->call);
    }
    const bool is_there = sched_take(&(struct act){
        .kind = EVENT_WAIT_END,
        .known = w->count == 1 ? &object : NULL,
        .is_of_all = w->count > 1,
        .is_untraced = true,
        .is_unsure = true,
        .is_idle = !w->is_waiting && task_repeats(w->place, w->descriptors, (uint64_t)look(w)),
        .wait = w->is_waiting ? WAIT_READY : WAIT_NOTHING,
        .descriptors = w->descriptors,
        .descriptor_count = w->count,
        .deadline = w->is_waiting ? w->deadline : 0,
        .is_outer = has_outer,
        .interruption = w->is_waiting ? INTERRUPTED_ALWAYS : INTERRUPTED_NEVER,
        .is_cancellable = true,
        .place = w->place});
    me->signals_blocked = blocked;
    task_test_cancel();
    if (!is_there && sched_is_interrupted()) {
        errno = EINTR;
    }
    return is_there;
}

/* Whoever made them ready is before the caller. */
static void see(const struct awaited *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        end_seen(w->descriptors[i].fd, w->descriptors[i].revents, w->place);
    }
}

/* The wait is over: as many descriptors are ready as the call returns, of those that were waited
 * for (0: of a set). */
static int ready(long count, uint32_t awaited, const char *call, const void *place)
{
    struct control_report *told = control_report(EVENT_READY, call, count > 0 ? count : 0, place);
    if (told != NULL) {
        told->size = (uint16_t)(awaited < UINT16_MAX ? awaited : UINT16_MAX);
    }
    return (int)count;
}

static bool set_deadline(struct awaited *w, const struct timespec *most)
{
    w->is_waiting = most == NULL || most->tv_sec != 0 || most->tv_nsec != 0;
    w->deadline = 0;
    if (most != NULL) {
        if (most->tv_sec < 0 || most->tv_nsec < 0 || most->tv_nsec >= SECOND_NS) {
            errno = EINVAL;
            return false;
        }
        w->deadline = after((uint64_t)most->tv_sec * SECOND_NS + (uint64_t)most->tv_nsec);
    }
    return true;
}

static struct timespec of_ms(int ms)
{
    return (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * (long)MS_NS};
}

/* poll */

static int poll_until(struct awaited *w, const struct timespec *most)
{
    if (!set_deadline(w, most)) {
        return -1;
    }
    if (!await(w)) {
        if (sched_is_interrupted()) {
            return -1;
        }
        for (uint32_t i = 0; i < w->count; i++) {
            w->descriptors[i].revents = 0;
        }
        return 0;
    }
    const long count = look(w);
    see(w);
    return ready(count, w->count, w->call, w->place);
}

RT_EXPORT int poll(struct pollfd *fds, nfds_t count, int ms)
{
    if (!control_is_mine()) {
        return sys_poll(fds, (uint32_t)count, ms);
    }
    const struct timespec most = of_ms(ms);
    return poll_until(
        &(struct awaited){
            .descriptors = fds, .count = (uint32_t)count, .call = "poll", .place = RT_PLACE},
        ms < 0 ? NULL : &most);
}

RT_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *most,
                    const sigset_t *mask)
{
    if (!control_is_mine()) {
        struct timespec copy = most == NULL ? (struct timespec){0} : *most;
        return (int)sys(SYS_ppoll, fds, count, most == NULL ? NULL : &copy, mask, (long)_NSIG / 8);
    }
    return poll_until(&(struct awaited){.descriptors = fds,
                                        .count = (uint32_t)count,
                                        .mask = mask,
                                        .call = "ppoll",
                                        .place = RT_PLACE},
                      most);
}

RT_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int ms, size_t size);
RT_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int ms, size_t size)
{
    (void)size;
    return poll(fds, count, ms);
}

RT_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *most,
                          const sigset_t *mask, size_t size);
RT_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *most,
                          const sigset_t *mask, size_t size)
{
    (void)size;
    return ppoll(fds, count, most, mask);
}

/* select: the same with sets */

/* Of each task, for as long as it waits. */
static struct pollfd (*lists)[FD_SETSIZE];

void ready_start(void)
{
    lists = rewind_exempt(CONTROL_TASKS_MAX * sizeof *lists);
}

static uint32_t list_sets(struct pollfd *list, int limit, fd_set *const sets[SETS_MAX])
{
    static const short events[SETS_MAX] = {POLLIN, POLLOUT, POLLPRI};
    uint32_t count = 0;
    for (int fd = 0; fd < limit && fd < FD_SETSIZE; fd++) {
        struct pollfd p = {.fd = fd};
        for (int i = 0; i < SETS_MAX; i++) {
            if (sets[i] != NULL && FD_ISSET(fd, sets[i])) {
                p.events = (short)(p.events | events[i]);
            }
        }
        if (p.events != 0) {
            list[count++] = p;
        }
    }
    return count;
}

static int select_until(int limit, fd_set *const sets[SETS_MAX], const struct timespec *most,
                        const sigset_t *mask, const void *place)
{
    struct pollfd *list = lists[control_self->number];
    struct awaited w = {.descriptors = list,
                        .count = list_sets(list, limit, sets),
                        .mask = mask,
                        .call = "select",
                        .place = place};
    if (!set_deadline(&w, most)) {
        return -1;
    }
    if (!await(&w) && sched_is_interrupted()) {
        return -1;
    }
    struct timespec now = {0};
    const long count = sys(SYS_pselect6, limit, sets[0], sets[1], sets[2], &now, NULL);
    if (count > 0 && look(&w) > 0) {
        see(&w);
    }
    return ready(count, w.count, w.call, place);
}

RT_EXPORT int select(int limit, fd_set *reads, fd_set *writes, fd_set *excepts,
                     struct timeval *most)
{
    if (!control_is_mine()) {
        struct timespec copy =
            most == NULL
                ? (struct timespec){0}
                : (struct timespec){.tv_sec = most->tv_sec, .tv_nsec = most->tv_usec * (long)US_NS};
        return (int)sys(SYS_pselect6, limit, reads, writes, excepts, most == NULL ? NULL : &copy,
                        NULL);
    }
    fd_set *const sets[SETS_MAX] = {reads, writes, excepts};
    const struct timespec length =
        most == NULL
            ? (struct timespec){0}
            : (struct timespec){.tv_sec = most->tv_sec, .tv_nsec = most->tv_usec * (long)US_NS};
    const uint64_t begun = control_clock;
    const int result = select_until(limit, sets, most == NULL ? NULL : &length, NULL, RT_PLACE);
    if (most != NULL) { /* Linux says how much is left */
        const uint64_t whole = (uint64_t)length.tv_sec * SECOND_NS + (uint64_t)length.tv_nsec;
        const uint64_t passed = control_clock - begun;
        const uint64_t left = passed < whole ? whole - passed : 0;
        *most = (struct timeval){.tv_sec = (time_t)(left / SECOND_NS),
                                 .tv_usec = (suseconds_t)(left % SECOND_NS / US_NS)};
    }
    return result;
}

RT_EXPORT int pselect(int limit, fd_set *reads, fd_set *writes, fd_set *excepts,
                      const struct timespec *most, const sigset_t *mask)
{
    fd_set *const sets[SETS_MAX] = {reads, writes, excepts};
    if (!control_is_mine()) {
        struct timespec copy = most == NULL ? (struct timespec){0} : *most;
        const struct {
            const sigset_t *mask;
            size_t size;
        } masked = {mask, _NSIG / 8};
        return (int)sys(SYS_pselect6, limit, reads, writes, excepts, most == NULL ? NULL : &copy,
                        &masked);
    }
    return select_until(limit, sets, most, mask, RT_PLACE);
}

/* epoll: the set is a descriptor itself */

struct set {
    int fd;
    struct epoll_event *events;
    int most;
    const sigset_t *mask;
};

static int set_until(const struct set *s, const struct timespec *most, const void *place)
{
    struct pollfd descriptor = {.fd = s->fd, .events = POLLIN};
    struct awaited w = {.descriptors = &descriptor, .count = 1, .mask = s->mask, .place = place};
    if (!set_deadline(&w, most)) {
        return -1;
    }
    if (!await(&w) && sched_is_interrupted()) {
        return -1;
    }
    const long count = sys(SYS_epoll_pwait, s->fd, s->events, s->most, 0L, NULL, 0L);
    for (long i = 0; i < count; i++) {
        const struct end_event event = {s->events[i].data.u64, s->events[i].events};
        end_returned(s->fd, event, place);
    }
    return ready(count, 0, "epoll_wait", place);
}

RT_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int most, int ms,
                          const sigset_t *mask)
{
    if (!control_is_mine()) {
        return (int)sys(SYS_epoll_pwait, fd, events, most, ms, mask, (long)_NSIG / 8);
    }
    const struct timespec length = of_ms(ms);
    return set_until(&(struct set){fd, events, most, mask}, ms < 0 ? NULL : &length, RT_PLACE);
}

RT_EXPORT int epoll_wait(int fd, struct epoll_event *events, int most, int ms)
{
    return epoll_pwait(fd, events, most, ms, NULL);
}

RT_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int most,
                           const struct timespec *length, const sigset_t *mask)
{
    if (!control_is_mine()) {
        return (int)sys(SYS_epoll_pwait2, fd, events, most, length, mask, (long)_NSIG / 8);
    }
    return set_until(&(struct set){fd, events, most, mask}, length, RT_PLACE);
}
