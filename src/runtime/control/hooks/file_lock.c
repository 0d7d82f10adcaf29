/* Locks of files: of open file descriptions (flock, F_OFD_SETLK) and of processes (F_SETLK). */
#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/model/description_lock.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/libc_objects.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"

/* Who has a lock, and of what. */
enum lock_owner {
    DESCRIPTION_OF_FILE,  /* flock */
    DESCRIPTION_OF_RANGE, /* F_OFD_SETLK */
    PROCESS_OF_RANGE,     /* F_SETLK */
};

/* A call that takes or gives back a lock. */
struct lock_request {
    const char *call;
    int fd;
    enum lock_owner owner;
    bool is_waiting, is_shared, is_release;
    int operation;      /* of flock */
    struct flock *lock; /* of fcntl */
    const void *place;
};

static long try(const struct lock_request *r)
{
    switch (r->owner) {
    case DESCRIPTION_OF_FILE: return sys(SYS_flock, r->fd, r->operation | LOCK_NB);
    case DESCRIPTION_OF_RANGE: return sys(SYS_fcntl, r->fd, F_OFD_SETLK, r->lock);
    case PROCESS_OF_RANGE: return sys(SYS_fcntl, r->fd, F_SETLK, r->lock);
    }
    return -1;
}

static bool is_refused(int reason)
{
    return reason == EWOULDBLOCK || reason == EACCES;
}

/* Waiting */

/* Whether the call would be refused; if so, the process that has the lock, as far as the kernel
 * says: of record locks. A wait for flock gives back what the description had before it begins, so
 * that taking the lock and giving it back changes nothing. */
static bool is_held(const struct lock_request *r, pid_t *holder)
{
    *holder = 0;
    if (r->owner == DESCRIPTION_OF_FILE) {
        if (try(r) != 0) {
            return is_refused(errno);
        }
        (void)sys(SYS_flock, r->fd, LOCK_UN);
        return false;
    }
    struct flock asked = *r->lock;
    const int command = r->owner == PROCESS_OF_RANGE ? F_GETLK : F_OFD_GETLK;
    if (sys(SYS_fcntl, r->fd, command, &asked) != 0 || asked.l_type == F_UNLCK) {
        return false;
    }
    *holder = asked.l_pid;
    return true;
}

static const struct end_lock *lock_of(const struct end *e, enum lock_owner owner)
{
    return owner == DESCRIPTION_OF_FILE ? &e->file_lock : &e->range_lock;
}

/* The task that took such a lock of the file last. */
static uint32_t description_holder(const struct lock_request *r)
{
    struct end *e = end_of(r->fd);
    const uint32_t holder = e == NULL ? 0 : lock_of(end_file(e, r->fd), r->owner)->holder;
    return holder == 0 ? NOBODY : holder - 1;
}

void file_lock_look(struct task *t)
{
    const int saved = errno;
    const struct lock_request *r = t->act.file_lock;
    pid_t holder = 0;
    t->is_there = !is_held(r, &holder);
    t->looked = run_state->io_stamp;
    const struct process *p = holder > 0 ? process_with_real(holder) : NULL;
    t->blocker = t->is_there || p == NULL ? NOBODY : p->number;
    t->holder = t->is_there                    ? NOBODY
                : r->owner == PROCESS_OF_RANGE ? (p == NULL ? NOBODY : p->first)
                                               : description_holder(r);
    errno = saved;
}

static void look_again(struct task *t)
{
    if (t->process == process_self->number) {
        file_lock_look(t);
    } else if (t->looked != run_state->io_stamp) {
        process_look(t);
    }
}

/* A task of the process that waits for record locks which another has; NULL: none does. */
static struct task *blocked_task_of(uint32_t process)
{
    for (uint32_t i = 0; i < task_live_count; i++) {
        struct task *t = task_live[i];
        if (t->process == process && t->act.wait == WAIT_FILE_LOCK && t->act.refuses_cycles) {
            look_again(t);
            if (!t->is_there) {
                return t;
            }
        }
    }
    return NULL;
}

/* The process waits for itself. The kernel, too, looks no further than ten processes. */
static bool is_cycle(const struct task *t)
{
    enum { PROCESSES_LOOKED_AT = 10 };
    uint32_t process = t->blocker;
    for (int i = 0; i < PROCESSES_LOOKED_AT && process != NOBODY && process != t->process; i++) {
        const struct task *next = blocked_task_of(process);
        process = next == NULL ? NOBODY : next->blocker;
    }
    return process == t->process;
}

bool file_lock_is_ready(struct task *t)
{
    look_again(t);
    return t->is_there || (t->act.refuses_cycles && is_cycle(t));
}

/* What a trace has of locks of descriptions */

/* Whether the trace can say it: one task uses the description, and all ranges are the same. */
static bool is_plain(const struct lock_request *r, const struct end *e, const struct end *file)
{
    const struct end_lock *l = lock_of(e, r->owner);
    const struct end_lock *first = lock_of(file, r->owner);
    const bool is_of_range = r->owner == DESCRIPTION_OF_RANGE;
    const bool is_same = !first->is_used || !is_of_range ||
                         (r->lock->l_whence == SEEK_SET && r->lock->l_start == first->start &&
                          r->lock->l_len == first->size);
    return (!l->is_used || l->task == control_self->number) && is_same &&
           (!is_of_range || r->lock->l_whence == SEEK_SET);
}

static void release(struct end_lock *l, const struct end *file, const char *what, const void *place)
{
    if (l->mode != 0) {
        end_report(EVENT_UNLOCK, file, what, l->mode, place);
        l->mode = 0;
    }
}

static const char *kind_of_lock(enum lock_owner owner)
{
    return owner == DESCRIPTION_OF_FILE ? "lock of " : "range of ";
}

/* The lock was taken, or given back. */
static void tell(const struct lock_request *r, struct end *e)
{
    struct end *file = end_file(e, r->fd);
    const bool is_of_range = r->owner == DESCRIPTION_OF_RANGE;
    struct end_lock *l = is_of_range ? &e->range_lock : &e->file_lock;
    struct end_lock *first = is_of_range ? &file->range_lock : &file->file_lock;
    const char *what = kind_of_lock(r->owner);
    first->holder = r->is_release ? 0 : control_self->number + 1;
    if (!is_plain(r, e, file)) {
        control_outside(r->call);
        return;
    }
    if (!first->is_used && is_of_range) {
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

/* What a trace has of record locks: what a process did before it gave one back, is before all that
 * another does once it has taken one of the same file. They order no two tasks of one process. */

static void report_record(enum event_kind kind, const struct end *file, uint32_t process,
                          const void *place)
{
    char what[64];
    const char *end = what + sizeof what - 1;
    char *at = text_append(what, end, "records of ");
    at = text_append(at, end, task_path(run_state->processes[process].first));
    *text_append(at, end, " in ") = 0;
    end_report(kind, file, what, 0, place);
}

static void give_back_records(struct end *file, const void *place)
{
    struct end_records *own = &file->records[process_self->number];
    if (own->is_held) {
        own->is_held = false;
        own->is_given_back = true;
        report_record(EVENT_HAPPENS_BEFORE, file, process_self->number, place);
    }
}

static void tell_record(const struct lock_request *r, struct end *e)
{
    struct end *file = end_file(e, r->fd);
    give_back_records(file, r->place);
    for (uint32_t i = 0; !r->is_release && i < run_state->process_count; i++) {
        if (i != process_self->number && file->records[i].is_given_back) {
            report_record(EVENT_HAPPENS_AFTER, file, i, r->place);
        }
    }
    file->records[process_self->number].is_held = !r->is_release;
}

static void tell_success(const struct lock_request *r)
{
    struct end *e = end_of(r->fd);
    sched_changed();
    if (e == NULL) {
        control_outside(r->call);
    } else if (r->owner == PROCESS_OF_RANGE) {
        tell_record(r, e);
    } else {
        tell(r, e);
    }
}

/* The calls */

/* flock is tried first, because to wait for it is to give back what one has. */
static int set(const struct lock_request *r)
{
    const struct object object = end_object(r->fd, false);
    const bool refuses_cycles = r->owner == PROCESS_OF_RANGE && r->is_waiting;
    bool is_awaited = r->is_waiting && !r->is_release && r->owner != DESCRIPTION_OF_FILE;
    end_use(r->fd, r->place);
    while (true) {
        const bool is_done = sched_take(
            &(struct act){.kind = EVENT_FILE_WRITE,
                          .known = &object,
                          .is_of_all = state_is_anywhere(),
                          .writes = true,
                          .is_unsure = true,
                          .is_untraced = true,
                          .wait = is_awaited ? WAIT_FILE_LOCK : WAIT_NOTHING,
                          .file_lock = r,
                          .refuses_cycles = refuses_cycles,
                          .is_cancellable = is_awaited,
                          .interruption = is_awaited ? INTERRUPTED_MAYBE : INTERRUPTED_NEVER,
                          .place = r->place});
        if (!is_done) {
            errno = EINTR;
            return -1;
        }
        const long result = try(r);
        if (result == 0) {
            tell_success(r);
            return 0;
        }
        if (!r->is_waiting || !is_refused(errno)) {
            return -1;
        }
        if (refuses_cycles && is_cycle(control_self)) {
            errno = EDEADLK;
            return -1;
        }
        is_awaited = true;
    }
}

RT_EXPORT int flock(int fd, int operation)
{
    if (!control_is_mine()) {
        return (int)sys(SYS_flock, fd, operation);
    }
    const int what = operation & ~LOCK_NB;
    return set(&(struct lock_request){.call = "flock",
                                      .fd = fd,
                                      .is_waiting = (operation & LOCK_NB) == 0,
                                      .is_shared = what == LOCK_SH,
                                      .is_release = what == LOCK_UN,
                                      .operation = operation,
                                      .place = RT_PLACE});
}

bool file_lock_is_command(int command)
{
    return command == F_OFD_SETLK || command == F_OFD_SETLKW ||
           (run_state->process_count > 1 && (command == F_SETLK || command == F_SETLKW));
}

int file_lock_control(int fd, int command, struct flock *lock, const void *place)
{
    const bool is_of_process = command == F_SETLK || command == F_SETLKW;
    return set(
        &(struct lock_request){.call = "fcntl",
                               .fd = fd,
                               .owner = is_of_process ? PROCESS_OF_RANGE : DESCRIPTION_OF_RANGE,
                               .is_waiting = command == F_SETLKW || command == F_OFD_SETLKW,
                               .is_shared = lock->l_type == F_RDLCK,
                               .is_release = lock->l_type == F_UNLCK,
                               .lock = lock,
                               .place = place});
}

/* Record locks of the file go with any descriptor of it that the process closes. */
void file_lock_closes(int fd, const void *place)
{
    struct end *e = control_is_mine() ? end_of(fd) : NULL;
    if (e == NULL || e->kind != CONTROL_FILE) {
        return;
    }
    struct end *file = end_file(e, fd);
    give_back_records(file, place);
    if (e->descriptors == 1) {
        release(&e->file_lock, file, kind_of_lock(DESCRIPTION_OF_FILE), place);
        release(&e->range_lock, file, kind_of_lock(DESCRIPTION_OF_RANGE), place);
    }
}
