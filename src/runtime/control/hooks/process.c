/* How a controlled program forks and ends, and its calls that reach outside of the process
 * (wait_child.c has wait). */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/hooks/next_symbol.h"
#include "runtime/control/hooks/random.h"
#include "runtime/control/hooks/syscall_dispatch.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/libc_objects.h"
#include "runtime/control/model/pending_signals.h"
#include "runtime/control/model/proc_paths.h"
#include "runtime/control/model/virtual_pid.h"
#include "runtime/control/sched/task.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"
#include "runtime/shared/real.h"

/* Ending is an operation: others may go before it. */
static void take_exit(int status, const void *place)
{
    (void)sched_take(&(struct act){.kind = EVENT_PROCESS_EXIT, .is_of_all = true, .place = place});
    if (control_is_on) {
        sched_value(status);
    }
}

RT_EXPORT _Noreturn void exit(int status)
{
    take_exit(status, RT_PLACE);
    libc.exit(status);
    __builtin_unreachable();
}

_Noreturn void libc_exit(int status)
{
    exit(status);
}

static _Noreturn void end_now(int status, const void *place)
{
    take_exit(status, place);
    if (control_is_on) {
        process_finish(W_EXITCODE(status & 0xff, 0));
    }
    (void)sys(SYS_exit_group, status);
    __builtin_unreachable();
}

RT_EXPORT _Noreturn void _exit(int status)
{
    end_now(status, RT_PLACE);
}

RT_EXPORT _Noreturn void _Exit(int status)
{
    end_now(status, RT_PLACE);
}

static int quick_status;

/* The last of all that runs at quick_exit, because it was registered before all else. */
static void end_quickly(void)
{
    if (control_is_on) {
        process_finish(W_EXITCODE(quick_status & 0xff, 0));
    }
}

RT_EXPORT _Noreturn void quick_exit(int status)
{
    take_exit(status, RT_PLACE);
    quick_status = status;
    libc.quick_exit(status);
    __builtin_unreachable();
}

RT_EXPORT _Noreturn void abort(void)
{
    if (control_is_on) {
        control_end(&(struct ending){.end = CONTROL_ASSERTED, .text = "abort() is called"});
    }
    (void)sys(SYS_kill, sys(SYS_getpid), SIGABRT);
    (void)sys(SYS_exit_group, 128 + SIGABRT);
    __builtin_unreachable();
}

/* "assertion `n == 2' failed", where it stands being told by the stack. */
static _Noreturn void assertion(const char *claim)
{
    char text[CONTROL_TEXT_SIZE] = "";
    const char *end = text + sizeof text - 1;
    char *at = text_append(text, end, "assertion ");
    at = text_append(at, end, claim);
    *text_append(at, end, " fails") = 0;
    if (control_is_on) {
        control_end(&(struct ending){.end = CONTROL_ASSERTED, .text = text});
    }
    abort();
}

RT_EXPORT _Noreturn void __assert_fail(const char *claim, const char *file, unsigned line,
                                       const char *function);
RT_EXPORT _Noreturn void __assert_fail(const char *claim, const char *file, unsigned line,
                                       const char *function)
{
    (void)file;
    (void)line;
    (void)function;
    assertion(claim);
}

RT_EXPORT _Noreturn void __assert_perror_fail(int number, const char *file, unsigned line,
                                              const char *function);
RT_EXPORT _Noreturn void __assert_perror_fail(int number, const char *file, unsigned line,
                                              const char *function)
{
    (void)file;
    (void)line;
    (void)function;
    assertion(strerror(number));
}

/* A child that is not controlled goes on by itself, and nobody chooses for it. */
static bool has_children;

bool process_has_children(void)
{
    return has_children;
}

static void note_child(const char *call)
{
    has_children = has_children || control_is_on;
    control_outside(call);
    control_changed();
    if (control_is_on) {
        signals_tell_children();
        end_forked();
    }
}

/* Forking */

/* The fork under way of the calling task. Not in the segment: the parent and the child each have it
 * as it was when the kernel made the child. */
static __thread struct {
    bool is_under_way;
    struct process *child; /* NULL: there is no room for it, or it has begun */
    uint32_t task;         /* the child's first */
    uint64_t held;         /* signals that were held off before; now all are */
} forking;

/* A fork copies the memory of the process, which its other tasks may be about to change. */
static void take_fork(const void *place)
{
    if (control->mode == CONTROL_FIBER) {
        control_end(&(struct ending){.end = CONTROL_FORKED});
    }
    const uint32_t task = task_number_forked();
    (void)sched_take(&(struct act){.kind = EVENT_PROCESS_FORK,
                                   .is_of_task = true,
                                   .is_of_all = task_has_others(),
                                   .peer = task,
                                   .writes = true,
                                   .place = place});
    forking.is_under_way = true;
    forking.child = NULL;
    forking.task = task;
}

/* The last of the handlers of pthread_atfork before the kernel makes the child. */
static void prepare_child(void)
{
    if (control_is_on && forking.is_under_way) {
        forking.child = process_prepare(forking.task);
        forking.held = signals_hold();
    }
}

/* The first of them in the child: the others run once it is chosen. */
static void enter_child(void)
{
    if (control_is_on && forking.is_under_way && forking.child != NULL) {
        struct process *child = forking.child;
        forking.child = NULL;
        process_adopt(child);
    }
}

/* In the parent and in the child, with what the kernel returned. */
static pid_t forked(pid_t made, const void *place)
{
    const int saved = errno;
    if (made == 0) {
        enter_child(); /* where no handler has done so */
        forking.is_under_way = false;
        trap_on();
        return 0;
    }
    struct process *child = forking.child;
    forking.is_under_way = false;
    process_made(child, made, place);
    signals_release(forking.held);
    trap_on();
    errno = saved;
    return made < 0 ? -1 : child->id;
}

static pid_t fork_process(pid_t (*make)(void), bool has_handlers, const void *place)
{
    if (!control_is_on) {
        return make();
    }
    take_fork(place);
    if (!has_handlers) {
        prepare_child();
    }
    const pid_t made = make();
    return forked(made, place);
}

RT_EXPORT pid_t fork(void)
{
    return fork_process(libc.fork, true, RT_PLACE);
}

RT_EXPORT pid_t _Fork(void)
{
    return fork_process(REAL(_Fork), false, RT_PLACE);
}

/* The child has a copy of the memory, not the memory itself. */
RT_EXPORT pid_t vfork(void)
{
    const pid_t made = fork_process(libc.fork, true, RT_PLACE);
    if (made > 0 && control_is_mine()) {
        (void)process_await_image(made, RT_PLACE);
    }
    return made;
}

/* Of clone and clone3. */
static uint64_t clone_flags(long number, const long *a)
{
    return number == SYS_clone3 ? *(const uint64_t *)a[0] : (uint64_t)a[0];
}

long process_clone(long number, const long *a, const void *place)
{
    enum { LEAST = CLONE_VM | CLONE_THREAD };
    const uint64_t flags = number == SYS_clone || number == SYS_clone3 ? clone_flags(number, a) : 0;
    const bool has_stack =
        number == SYS_clone3 ? ((const uint64_t *)a[0])[5] != 0 : number == SYS_clone && a[1] != 0;
    if ((flags & LEAST) != 0 || has_stack || forking.is_under_way) {
        return PROCESS_CLONE_ELSE;
    }
    take_fork(place);
    prepare_child();
    return forked((pid_t)sys_call(number, a), place);
}

void process_leaves(long number, const long *a)
{
    if (forking.is_under_way) {
        return; /* libc makes the child that control has asked for */
    }
    switch (number) {
    case SYS_clone:
    case SYS_clone3:
        if ((clone_flags(number, a) & CLONE_THREAD) != 0) {
            control_outside("clone");
        } else {
            note_child((clone_flags(number, a) & CLONE_VFORK) != 0 ? "posix_spawn" : "fork");
        }
        break;
    default: break;
    }
}

/* In a child: it goes on by itself, as a process that was never controlled. */
static void leave(void)
{
    if (control_is_on) {
        control_is_running = false;
        signals_leave();
        pid_leave();
        control = NULL;
    }
}

/* What pthread_atfork calls. Ours are registered first of all, before those of libraries whose
 * constructors run before ours: so they are the last before a fork and the first behind it. Other
 * handlers use locks, and in a child that has not been adopted those would choose as its parent. */
RT_EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                                void *library);
RT_EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                                void *library)
{
    static bool is_first_there;
    if (!is_first_there) {
        is_first_there = true;
        (void)NEXT(__register_atfork)(prepare_child, NULL, enter_child, NULL);
    }
    return NEXT(__register_atfork)(prepare, parent, child, library);
}

static void do_nothing(void)
{
}

void process_start(void)
{
    (void)at_quick_exit(end_quickly);
    (void)pthread_atfork(do_nothing, NULL, NULL); /* ours, if they are not there yet */
}

void process_left(long number, const long *a)
{
    switch (number) {
    case SYS_clone:
    case SYS_clone3:
        if ((clone_flags(number, a) & CLONE_VM) == 0) {
            leave();
        }
        break;
    default: break;
    }
}

RT_EXPORT pid_t getpid(void)
{
    return control_is_on ? pid_self() : (pid_t)sys(SYS_getpid);
}

RT_EXPORT pid_t getppid(void)
{
    return control_is_on ? pid_parent() : (pid_t)sys(SYS_getppid);
}

RT_EXPORT pid_t gettid(void)
{
    return control_is_on ? pid_task() : (pid_t)sys(SYS_gettid);
}

/* What rewinding does not undo. */

static FILE *open_stream(FILE *(*open)(const char *, const char *), const char *path,
                         const char *mode, const void *place)
{
    if (control_is_on && random_is_device(path)) {
        return random_stream();
    }
    control_changed();
    state_open_path(AT_FDCWD, path, mode[0] != 'r', strcmp(mode, "r") != 0, place);
    state_enter();
    FILE *file = open(path, mode);
    state_leave();
    state_opened(file, path);
    return file;
}

RT_EXPORT FILE *fopen(const char *path, const char *mode)
{
    return open_stream(libc.fopen, path, mode, RT_PLACE);
}

RT_EXPORT FILE *fopen64(const char *path, const char *mode)
{
    return open_stream(libc.fopen64, path, mode, RT_PLACE);
}

/* The file is the same object for all who open it by this path. */
static void name_file(int fd, int folder, const char *path)
{
    struct end *e = control_is_on && fd >= 0 ? end_of(fd) : NULL;
    if (e != NULL) {
        e->object.number = state_of_path(folder, path).number;
    }
}

struct opening {
    int folder, flags;
    mode_t mode;
    const void *place;
};

static int opened(const char *path, const struct opening *o)
{
    if (!random_is_device(path)) {
        const bool writes = (o->flags & (O_CREAT | O_TRUNC)) != 0;
        state_open_path(o->folder, path, writes, writes || (o->flags & O_ACCMODE) != O_RDONLY,
                        o->place);
    } else {
        state_take_number(o->place);
    }
    if ((o->flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) {
        state_make_exclusive(o->folder, path, "open (O_EXCL)");
    }
    const int fd =
        (int)path_call(SYS_openat, (const long[6]){o->folder, (long)path, o->flags, (long)o->mode});
    if (control_is_on && random_is_device(path)) {
        end_made(fd, CONTROL_RANDOM, o->place);
        return fd;
    }
    control_changed();
    end_made(fd, CONTROL_FILE, o->place);
    name_file(fd, o->folder, path);
    return fd;
}

#define MODE_OF(flags, mode)                      \
    mode_t mode = 0;                              \
    if (((flags) & (O_CREAT | O_TMPFILE)) != 0) { \
        va_list rest;                             \
        va_start(rest, flags);                    \
        mode = va_arg(rest, mode_t);              \
        va_end(rest);                             \
    }

RT_EXPORT int open(const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return opened(path, &(struct opening){AT_FDCWD, flags, mode, RT_PLACE});
}

RT_EXPORT int open64(const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return opened(path, &(struct opening){AT_FDCWD, flags, mode, RT_PLACE});
}

RT_EXPORT int openat(int folder, const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return opened(path, &(struct opening){folder, flags, mode, RT_PLACE});
}

RT_EXPORT int openat64(int folder, const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return opened(path, &(struct opening){folder, flags, mode, RT_PLACE});
}

/* A file without a path. */
RT_EXPORT int memfd_create(const char *name, unsigned flags)
{
    state_take_number(RT_PLACE);
    const int fd = (int)sys(SYS_memfd_create, name, flags);
    control_changed();
    end_made(fd, CONTROL_FILE, RT_PLACE);
    return fd;
}

/* The kernel maps whole pages. */
static size_t pages(size_t size)
{
    return (size + 4095) & ~(size_t)4095;
}

/* Whether the pages are of a file and shared with all who map it. Shared pages without a file are
 * those of a file without a name, which processes forked later have mapped too. */
static bool find_file(int flags, int fd, off_t offset, struct object_file *file)
{
    struct stat s;
    const int type = flags & MAP_TYPE;
    const bool is_shared = type == MAP_SHARED || type == MAP_SHARED_VALIDATE;
    if (is_shared && (flags & MAP_ANONYMOUS) != 0) {
        *file = (struct object_file){UINT64_MAX, ++run_state->anonymous_count, 0};
        return true;
    }
    if (!is_shared || sys(SYS_fstat, fd, &s) != 0 || !S_ISREG(s.st_mode)) {
        return false;
    }
    *file = (struct object_file){s.st_dev, s.st_ino, (uint64_t)offset};
    return true;
}

struct map {
    void *address;
    size_t size;
    int protection, flags, fd;
    off_t offset;
    const void *place;
};

static void *mapped(const struct map *m)
{
    struct object_file file;
    control_changed();
    end_use(m->fd, m->place);
    void *start =
        (void *)sys(SYS_mmap, m->address, m->size, m->protection, m->flags, m->fd, m->offset);
    if (start == MAP_FAILED || !control_is_mine()) {
        return start;
    }
    if (find_file(m->flags, m->fd, m->offset, &file)) {
        if ((m->flags & MAP_ANONYMOUS) == 0) {
            state_reach_anywhere();
        }
        object_mapped_file(start, pages(m->size), &file, m->place);
    } else {
        object_mapped(start, pages(m->size), m->place);
    }
    return start;
}

RT_EXPORT void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return mapped(&(struct map){address, size, protection, flags, fd, offset, RT_PLACE});
}

RT_EXPORT void *mmap64(void *address, size_t size, int protection, int flags, int fd,
                       off64_t offset)
{
    return mapped(&(struct map){address, size, protection, flags, fd, offset, RT_PLACE});
}

/* What others have mapped of the same file stays. */
static void take_unmap(void *address, const void *place)
{
    if (!control_is_mine() || object_is_shared_file(address)) {
        return;
    }
    if (task_has_others()) {
        (void)sched_take(&(struct act){.kind = EVENT_FREE,
                                       .object = address,
                                       .writes = true,
                                       .is_of_block = true,
                                       .place = place});
    }
    object_file_gone(address);
}

RT_EXPORT int munmap(void *address, size_t size)
{
    control_changed();
    take_unmap(address, RT_PLACE);
    const int result = (int)sys(SYS_munmap, address, size);
    if (result == 0 && control_is_on) {
        object_unmapped(address, pages(size));
    }
    return result;
}

/* What may move is unmapped, even if it then stays where it was. */
RT_EXPORT void *mremap(void *start, size_t size, size_t size_new, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    void *wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void *) : NULL;
    va_end(rest);
    const bool may_move = (flags & MREMAP_MAYMOVE) != 0 && size > 0 &&
                          (size_new > size || (flags & MREMAP_FIXED) != 0);
    control_changed();
    if (may_move) {
        take_unmap(start, RT_PLACE);
    }
    void *moved = (void *)sys(SYS_mremap, start, size, size_new, flags, wanted);
    if (moved != MAP_FAILED && control_is_mine() && (may_move || moved != start)) {
        object_remapped(&(struct object_move){start, pages(size), moved, pages(size_new)},
                        RT_PLACE);
    }
    return moved;
}
