/* Locks on files: flock and fcntl. The kernel lets a process lock a range that it holds already,
 * and release one that it does not hold. The trace has each acquisition once, and releases only of
 * held ranges. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/record/hooks/close_locks.h"
#include "runtime/record/hooks/fd_identity.h"
#include "runtime/record/log/recorder.h"
#include "runtime/shared/real.h"

enum { HELD_MAX = 1024 };

/* The ranges that this process holds, a row for each; fd is the descriptor plus 1, 0 in a free row.
 */
static struct held {
    _Atomic int fd;
    uint8_t mode;
    struct lock_range range;
} held[HELD_MAX];
static _Atomic uint32_t held_count;

static bool is_flock(uint8_t mode)
{
    return mode == LOCK_FLOCK_READ || mode == LOCK_FLOCK_WRITE;
}

/* `how` is LOCK_TRY for an acquisition that gives up instead of blocking for ever, else 0. */
static void record(enum event_kind kind, uint8_t how, int fd, const struct held *h,
                   const void *place)
{
    descriptor_name(fd);
    const bool is_whole = h->range.start == 0 && h->range.size == 0;
    const uint64_t description = descriptor_description(fd);
    (void)rt_record((struct rt_event){.kind = kind,
                                      .mode = h->mode | how,
                                      .object = (const void *)(uintptr_t)descriptor_of(fd).number,
                                      .has_value = is_flock(h->mode) && description != 0,
                                      .value = (int64_t)description,
                                      .place = place,
                                      .more = &h->range,
                                      .more_size = is_whole ? 0 : sizeof h->range});
}

static struct held *find(int fd, uint8_t mode, struct lock_range range)
{
    for (size_t i = 0; i < HELD_MAX; i++) {
        struct held *h = &held[i];
        if (atomic_load_explicit(&h->fd, memory_order_acquire) == fd + 1 &&
            is_flock(h->mode) == is_flock(mode) && h->range.start == range.start &&
            h->range.size == range.size) {
            return h;
        }
    }
    return NULL;
}

static void release(int fd, struct held *h, const void *place)
{
    record(EVENT_UNLOCK, 0, fd, h, place);
    atomic_store_explicit(&h->fd, 0, memory_order_release);
    (void)atomic_fetch_sub(&held_count, 1);
}

/* Remembers and records an acquisition; one that no row is free for is left out. The mode may have
 * LOCK_TRY, which is recorded and not remembered. */
static void acquire(int fd, uint8_t mode, struct lock_range range, const void *place)
{
    const uint8_t held_mode = mode & (uint8_t)~LOCK_TRY;
    struct held *h = find(fd, held_mode, range);
    if (h != NULL && h->mode == held_mode) {
        return;
    }
    if (h != NULL) {
        release(fd, h, place);
    }
    for (size_t i = 0; i < HELD_MAX; i++) {
        int expected = 0;
        if (atomic_compare_exchange_strong(&held[i].fd, &expected, -1)) {
            held[i].mode = held_mode;
            held[i].range = range;
            atomic_store_explicit(&held[i].fd, fd + 1, memory_order_release);
            (void)atomic_fetch_add(&held_count, 1);
            record(EVENT_LOCK, mode & LOCK_TRY, fd, &held[i], place);
            return;
        }
    }
}

void lock_forget_all(void)
{
    for (size_t i = 0; i < HELD_MAX; i++) {
        atomic_store_explicit(&held[i].fd, 0, memory_order_relaxed);
    }
    atomic_store(&held_count, 0);
}

void lock_forget(int fd, const void *place)
{
    for (size_t i = 0; i < HELD_MAX && atomic_load(&held_count) > 0 && rt_is_recording(); i++) {
        if (atomic_load_explicit(&held[i].fd, memory_order_acquire) == fd + 1) {
            release(fd, &held[i], place);
        }
    }
}

/* A size of 0 goes to the end of the file, however long that becomes. */
static bool is_within(struct lock_range range, struct lock_range whole)
{
    return whole.start >= 0 && range.start >= whole.start &&
           (whole.size == 0 ||
            (range.size != 0 && range.start - whole.start <= whole.size - range.size));
}

/* Records a release before the call; otherwise another process's acquisition could get a smaller
 * stamp. Ranges within the released one end; a range that extends beyond it keeps the rest. */
static void before_unlock(int fd, uint8_t mode, struct lock_range range, const void *place)
{
    const int saved = errno;
    for (size_t i = 0; i < HELD_MAX && atomic_load(&held_count) > 0 && rt_is_recording(); i++) {
        struct held *h = &held[i];
        if (atomic_load_explicit(&h->fd, memory_order_acquire) == fd + 1 &&
            is_flock(h->mode) == is_flock(mode) && is_within(h->range, range)) {
            release(fd, h, place);
        }
    }
    errno = saved;
}

static void after_lock(int fd, uint8_t mode, struct lock_range range, const void *place)
{
    if (rt_is_recording()) {
        const int saved = errno;
        acquire(fd, mode, range, place);
        errno = saved;
    }
}

RT_EXPORT int flock(int fd, int operation)
{
    const int what = operation & ~LOCK_NB;
    const uint8_t mode = what == LOCK_SH ? LOCK_FLOCK_READ : LOCK_FLOCK_WRITE;
    const struct lock_range whole = {0};
    descriptor_use(fd, RT_PLACE);
    if (what == LOCK_UN) {
        before_unlock(fd, mode, whole, RT_PLACE);
    }
    const int result = REAL(flock)(fd, operation);
    if (result == 0 && what != LOCK_UN) {
        after_lock(fd, (operation & LOCK_NB) != 0 ? mode | LOCK_TRY : mode, whole, RT_PLACE);
    }
    return result;
}

static bool is_setting(int command)
{
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
           command == F_OFD_SETLKW;
}

/* A negative size goes back from the start. */
static struct lock_range range_from(int64_t start, int64_t size)
{
    return size < 0 && start >= 0 && size > INT64_MIN
               ? (struct lock_range){.start = start + size, .size = -size}
               : (struct lock_range){.start = start, .size = size};
}

/* Every command of fcntl takes at most one word. */
typedef int fcntl_function(int fd, int command, ...);

static int set_lock(fcntl_function *real, int fd, int command, struct flock *lock,
                    const void *place)
{
    const struct lock_range range = range_from(lock->l_start, lock->l_len);
    /* Those of open file descriptions exclude as flock does: also threads that opened their own. */
    const bool is_of_description = command == F_OFD_SETLK || command == F_OFD_SETLKW;
    const bool is_read = lock->l_type == F_RDLCK;
    const uint8_t mode = is_of_description ? is_read ? LOCK_FLOCK_READ : LOCK_FLOCK_WRITE
                         : is_read         ? LOCK_FCNTL_READ
                                           : LOCK_FCNTL_WRITE;
    const short type = lock->l_type;
    if (type == F_UNLCK && lock->l_whence == SEEK_SET) {
        before_unlock(fd, mode, range, place);
    }
    const int result = real(fd, command, lock);
    if (result == 0 && type != F_UNLCK && lock->l_whence == SEEK_SET) {
        const bool is_try = command == F_SETLK || command == F_OFD_SETLK;
        after_lock(fd, is_try ? mode | LOCK_TRY : mode, range, place);
    }
    return result;
}

static int control(fcntl_function *real, int fd, int command, void *argument, const void *place)
{
    descriptor_use(fd, place);
    if (is_setting(command) && argument != NULL) {
        return set_lock(real, fd, command, argument, place);
    }
    const int result = real(fd, command, argument);
    if (result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) {
        descriptor_made(result, place);
        descriptor_shares(result, fd);
    }
    return result;
}

/* The range of lockf begins at the file's offset. */
static struct lock_range range_from_here(int fd, int64_t size)
{
    const int saved = errno;
    const int64_t here = syscall(SYS_lseek, fd, 0L, SEEK_CUR);
    errno = saved;
    return range_from(here, size);
}

RT_EXPORT int lockf(int fd, int command, off_t size)
{
    const struct lock_range range = range_from_here(fd, size);
    if (command == F_ULOCK) {
        before_unlock(fd, LOCK_FCNTL_WRITE, range, RT_PLACE);
    }
    const int result = REAL(lockf)(fd, command, size);
    if (result == 0 && (command == F_LOCK || command == F_TLOCK)) {
        after_lock(fd, command == F_TLOCK ? LOCK_TRY_FCNTL_WRITE : LOCK_FCNTL_WRITE, range,
                   RT_PLACE);
    }
    return result;
}

RT_EXPORT int lockf64(int fd, int command, off64_t size)
{
    const struct lock_range range = range_from_here(fd, size);
    if (command == F_ULOCK) {
        before_unlock(fd, LOCK_FCNTL_WRITE, range, RT_PLACE);
    }
    const int result = REAL(lockf64)(fd, command, size);
    if (result == 0 && (command == F_LOCK || command == F_TLOCK)) {
        after_lock(fd, command == F_TLOCK ? LOCK_TRY_FCNTL_WRITE : LOCK_FCNTL_WRITE, range,
                   RT_PLACE);
    }
    return result;
}

RT_EXPORT int fcntl(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return control(REAL(fcntl), fd, command, argument, RT_PLACE);
}

RT_EXPORT int fcntl64(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return control(REAL(fcntl64), fd, command, argument, RT_PLACE);
}
