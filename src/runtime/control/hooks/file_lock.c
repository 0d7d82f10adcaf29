/* Locks of open file descriptions. */
#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/model/description_lock.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/shared/raw_syscall.h"

/* A call that takes or gives back a lock. */
struct request {
    const char *call;
    int fd;
    bool is_of_range; /* fcntl, else flock */
    bool is_waiting, is_shared, is_release;
    int operation;      /* of flock */
    struct flock *lock; /* of fcntl */
    const void *place;
};

static long try(const struct request *r)
{
    return r->is_of_range ? sys(SYS_fcntl, r->fd, F_OFD_SETLK, r->lock)
                          : sys(SYS_flock, r->fd, r->operation | LOCK_NB);
}

static bool is_refused(int reason)
{
    return reason == EWOULDBLOCK || reason == EACCES;
}

/* Whether the trace can say it: one task uses the description, and all ranges are the same. */
static bool is_plain(const struct request *r, const struct end *e, const struct end *file)
{
    const struct end_lock *l = r->is_of_range ? &e->range_lock : &e->file_lock;
    const struct end_lock *first = r->is_of_range ? &file->range_lock : &file->file_lock;
    const bool is_same = !first->is_used || !r->is_of_range ||
                         (r->lock->l_whence == SEEK_SET && r->lock->l_start == first->start &&
                          r->lock->l_len == first->size);
    return (!l->is_used || l->task == control_self->number) && is_same &&
           (!r->is_of_range || r->lock->l_whence == SEEK_SET);
}

static void release(struct end_lock *l, const struct end *file, const char *what, const void *place)
{
    if (l->mode != 0) {
        end_report(EVENT_UNLOCK, file, what, l->mode, place);
        l->mode = 0;
    }
}

static const char *kind_of_lock(bool is_of_range)
{
    return is_of_range ? "range of " : "lock of ";
}

/* The lock was taken, or given back. */
static void tell(const struct request *r, struct end *e)
{
    struct end *file = end_file(e, r->fd);
    struct end_lock *l = r->is_of_range ? &e->range_lock : &e->file_lock;
    struct end_lock *first = r->is_of_range ? &file->range_lock : &file->file_lock;
    const char *what = kind_of_lock(r->is_of_range);
    if (!is_plain(r, e, file)) {
        control_outside(r->call);
        return;
    }
    if (!first->is_used && r->is_of_range) {
        first->start = r->lock->l_start;
        first->size = r->lock->l_len;
        first->task = control_self->number;
        first->is_used = true;
    }
    l->is_used = true;
    l->task = control_self->number;
    release(l, file, what, r->place);
    if (!r->is_release) {
        l->mode = r->is_shared ? LOCK_FLOCK_READ : LOCK_FLOCK_WRITE;
        end_report(EVENT_LOCK, file, what, r->is_waiting ? l->mode : l->mode | LOCK_TRY, r->place);
    }
}

static int set(const struct request *r)
{
    struct end *e = end_of(r->fd);
    const struct object object = end_object(r->fd, false);
    bool is_again = false;
    end_use(r->fd, r->place);
    while (true) {
        (void)sched_take(&(struct act){
            .kind = EVENT_FILE_WRITE,
            .known = &object,
            .writes = true,
            .is_unsure = true,
            .is_untraced = true,
            .is_idle = is_again && task_repeats(r->place, (const void *)(intptr_t)r->fd, 0),
            .place = r->place});
        const long result = try(r);
        if (result == 0) {
            sched_changed();
            if (e != NULL) {
                tell(r, e);
            } else {
                control_outside(r->call);
            }
            return 0;
        }
        if (!r->is_waiting || !is_refused(errno)) {
            return -1;
        }
        is_again = true;
    }
}

RT_EXPORT int flock(int fd, int operation)
{
    if (!control_is_mine()) {
        return (int)sys(SYS_flock, fd, operation);
    }
    const int what = operation & ~LOCK_NB;
    return set(&(struct request){.call = "flock",
                                 .fd = fd,
                                 .is_waiting = (operation & LOCK_NB) == 0,
                                 .is_shared = what == LOCK_SH,
                                 .is_release = what == LOCK_UN,
                                 .operation = operation,
                                 .place = RT_PLACE});
}

int file_lock_set(int fd, bool is_waiting, struct flock *lock, const void *place)
{
    return set(&(struct request){.call = "fcntl",
                                 .fd = fd,
                                 .is_of_range = true,
                                 .is_waiting = is_waiting,
                                 .is_shared = lock->l_type == F_RDLCK,
                                 .is_release = lock->l_type == F_UNLCK,
                                 .lock = lock,
                                 .place = place});
}

void file_lock_closes(int fd, const void *place)
{
    struct end *e = control_is_mine() ? end_of(fd) : NULL;
    if (e == NULL || e->descriptors > 1 || (e->file_lock.mode == 0 && e->range_lock.mode == 0)) {
        return;
    }
    const struct end *file = end_file(e, fd);
    release(&e->file_lock, file, kind_of_lock(false), place);
    release(&e->range_lock, file, kind_of_lock(true), place);
}
