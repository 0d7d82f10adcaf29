/* Programs that take the place of others: execve, and posix_spawn and its kin, which fork first. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/hooks/syscall_dispatch.h"
#include "runtime/control/sched/image.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/real.h"

/* Everything of the process changes. A program that does nothing but become another is that one. */
long process_become(int folder, const char *path, char *const *words, char *const *environment,
                    const struct become *how)
{
    if (control->mode == CONTROL_FIBER) {
        control_end(&(struct ending){.end = CONTROL_FORKED});
    }
    (void)sched_take(&(struct act){
        .kind = EVENT_PROCESS_EXEC, .is_of_all = true, .is_untraced = true, .place = how->place});
    return image_exec(folder, path, words, environment, how->flags);
}

/* As libc's posix_spawn keeps them (sysdeps of glibc, spawn_int.h). */
struct action {
    enum { DO_CLOSE, DO_DUP2, DO_OPEN, DO_CHDIR, DO_FCHDIR, DO_CLOSE_FROM, DO_SET_TERMINAL } tag;
    union {
        int fd;
        struct {
            int from, to;
        } dup2;
        struct {
            int fd;
            char *path;
            int flags;
            mode_t mode;
        } open;
        char *path;
    };
};

static bool act_open(const struct action *a)
{
    const int fd = open(a->open.path, a->open.flags, a->open.mode);
    if (fd < 0 || fd == a->open.fd) {
        return fd >= 0;
    }
    const bool is_done = dup2(fd, a->open.fd) >= 0;
    (void)close(fd);
    return is_done;
}

static bool act_dup2(const struct action *a)
{
    if (a->dup2.from != a->dup2.to) {
        return dup2(a->dup2.from, a->dup2.to) >= 0;
    }
    const int flags = fcntl(a->dup2.from, F_GETFD);
    return flags >= 0 && fcntl(a->dup2.from, F_SETFD, flags & ~FD_CLOEXEC) == 0;
}

static bool act(const struct action *a)
{
    switch (a->tag) {
    case DO_CLOSE: (void)close(a->fd); return true;
    case DO_DUP2: return act_dup2(a);
    case DO_OPEN: (void)close(a->open.fd); return act_open(a);
    case DO_CHDIR: return chdir(a->path) == 0;
    case DO_FCHDIR: return fchdir(a->fd) == 0;
    case DO_CLOSE_FROM: closefrom(a->fd); return true;
    case DO_SET_TERMINAL: return true;
    }
    return true;
}

static bool act_all(const posix_spawn_file_actions_t *actions)
{
    const struct action *all = actions == NULL ? NULL : (const void *)actions->__actions;
    for (int i = 0; actions != NULL && i < actions->__used; i++) {
        if (!act(&all[i])) {
            return false;
        }
    }
    return true;
}

static bool apply(const posix_spawnattr_t *attributes)
{
    short flags = 0;
    sigset_t set;
    pid_t group = 0;
    if (attributes == NULL) {
        return true;
    }
    (void)posix_spawnattr_getflags(attributes, &flags);
    if ((flags & POSIX_SPAWN_SETSID) != 0 && setsid() < 0) {
        return false;
    }
    if ((flags & POSIX_SPAWN_SETPGROUP) != 0) {
        (void)posix_spawnattr_getpgroup(attributes, &group);
        if (setpgid(0, group) != 0) {
            return false;
        }
    }
    if ((flags & POSIX_SPAWN_SETSIGMASK) != 0) {
        (void)posix_spawnattr_getsigmask(attributes, &set);
        (void)sigprocmask(SIG_SETMASK, &set, NULL);
    }
    if ((flags & POSIX_SPAWN_SETSIGDEF) != 0) {
        (void)posix_spawnattr_getsigdefault(attributes, &set);
        for (int signal = 1; signal < NSIG; signal++) {
            const struct sigaction usual = {.sa_handler = SIG_DFL};
            if (sigismember(&set, signal) == 1) {
                (void)sigaction(signal, &usual, NULL);
            }
        }
    }
    return true;
}

/* What a child is to become. */
struct spawning {
    const char *path;
    bool is_searched; /* along PATH */
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
    char *const *words, *const *environment;
    const void *place;
};

int process_await_image(pid_t id, const void *place)
{
    struct process *child = process_known_as(id);
    (void)sched_take(&(struct act){.kind = EVENT_THREAD_JOIN,
                                   .is_of_task = true,
                                   .is_untraced = true,
                                   .peer = child->first,
                                   .child = id,
                                   .wait = WAIT_IMAGE,
                                   .place = place});
    const int reason = child->spawn_error;
    if (reason != 0 && child->state == PROCESS_ZOMBIE) {
        process_reap(child); /* there was no such child */
    }
    return reason;
}

static _Noreturn void become_child(const struct spawning *s)
{
    struct process *own = process_self;
    if (apply(s->attributes) && act_all(s->actions)) {
        (void)(s->is_searched ? execvpe(s->path, s->words, s->environment)
                              : execve(s->path, s->words, s->environment));
    }
    own->spawn_error = errno;
    _exit(127);
}

/* Returns when the child is another program, or could not become it. */
static int spawn(pid_t *child, const struct spawning *s)
{
    const int saved = errno;
    const pid_t made = fork();
    if (made == 0) {
        become_child(s);
    }
    if (made < 0) {
        const int reason = errno;
        errno = saved;
        return reason;
    }
    const int reason = process_await_image(made, s->place);
    if (reason == 0 && child != NULL) {
        *child = made;
    }
    errno = saved;
    return reason;
}

RT_EXPORT int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const words[],
                          char *const environment[])
{
    return control_is_mine()
               ? spawn(child, &(struct spawning){path, false, actions, attributes, words,
                                                 environment, RT_PLACE})
               : REAL(posix_spawn)(child, path, actions, attributes, words, environment);
}

RT_EXPORT int posix_spawnp(pid_t *child, const char *path,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const words[],
                           char *const environment[])
{
    return control_is_mine()
               ? spawn(child, &(struct spawning){path, true, actions, attributes, words,
                                                 environment, RT_PLACE})
               : REAL(posix_spawnp)(child, path, actions, attributes, words, environment);
}
