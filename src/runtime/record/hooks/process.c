/* Processes: fork, exec, spawn, and the ways to end without running destructors.
 *
 * A program that a recorded one becomes or spawns is recorded too, whatever environment it is
 * given: the recorder's own variables are added to it. */
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/record/hooks/exec_environment.h"
#include "runtime/record/hooks/spawn.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/log/recording_files.h"
#include "runtime/shared/real.h"

typedef pid_t fork_function(void);

static struct rt_mark announce_fork(uint8_t mode, const void *place)
{
    rt_fork_begin();
    return rt_record((struct rt_event){.kind = EVENT_PROCESS_FORK,
                                       .mode = mode,
                                       .has_value = true,
                                       .value = rt_self.fork_number,
                                       .place = place});
}

static pid_t forked(fork_function *real, const void *place)
{
    const struct rt_mark mark = announce_fork(MODE_UNSAID, place);
    const pid_t pid = real();
    const int saved = errno;
    if (!rt_fork_end(pid == 0) && pid < 0) {
        rt_amend_void(mark);
    }
    errno = saved;
    return pid;
}

RT_EXPORT pid_t fork(void)
{
    return forked(REAL(fork), RT_PLACE);
}

RT_EXPORT pid_t _Fork(void)
{
    return forked(REAL(_Fork), RT_PLACE);
}

/* A child that shares its parent's memory would write into its parent's row; POSIX lets vfork be a
 * fork. */
RT_EXPORT pid_t vfork(void)
{
    return forked(REAL(fork), RT_PLACE);
}

/* Every exec comes down to one of these: a path, a path to be searched for, a descriptor. */
enum exec_by { EXEC_PATH, EXEC_SEARCH, EXEC_DESCRIPTOR };

struct exec {
    enum exec_by by;
    const char *path;
    int descriptor;
    char *const *arguments;
    char *const *environment;
    const void *place;
};

static int exec_really(const struct exec *x, char *const *environment)
{
    switch (x->by) {
    case EXEC_PATH: return REAL(execve)(x->path, x->arguments, environment);
    case EXEC_SEARCH: return REAL(execvpe)(x->path, x->arguments, environment);
    case EXEC_DESCRIPTOR: return REAL(fexecve)(x->descriptor, x->arguments, environment);
    }
    return -1;
}

/* The task continues in the new program. If exec fails, its effects here are undone. */
static int exec(const struct exec *x)
{
    if (!rt_is_recording()) {
        return exec_really(x, x->environment);
    }
    const char *name = x->path != NULL ? x->path : x->arguments[0];
    const struct rt_mark mark = rt_record((struct rt_event){
        .kind = EVENT_PROCESS_EXEC, .place = x->place, .more = name, .more_size = strlen(name)});
    struct environment added;
    environment_build(&added, x->environment, false);
    const int result = exec_really(x, added.words);
    const int saved = errno;
    environment_release(&added);
    rt_amend_void(mark);
    errno = saved;
    return result;
}

RT_EXPORT int execve(const char *path, char *const *arguments, char *const *environment)
{
    return exec(&(struct exec){EXEC_PATH, path, -1, arguments, environment, RT_PLACE});
}

RT_EXPORT int execv(const char *path, char *const *arguments)
{
    return exec(&(struct exec){EXEC_PATH, path, -1, arguments, environ, RT_PLACE});
}

RT_EXPORT int execvp(const char *path, char *const *arguments)
{
    return exec(&(struct exec){EXEC_SEARCH, path, -1, arguments, environ, RT_PLACE});
}

RT_EXPORT int execvpe(const char *path, char *const *arguments, char *const *environment)
{
    return exec(&(struct exec){EXEC_SEARCH, path, -1, arguments, environment, RT_PLACE});
}

RT_EXPORT int fexecve(int fd, char *const *arguments, char *const *environment)
{
    return exec(&(struct exec){EXEC_DESCRIPTOR, NULL, fd, arguments, environment, RT_PLACE});
}

/* The arguments of execl and its kin as a list, in pages of their own; NULL when there are none. */
static char **list_arguments(const char *first, va_list *rest, size_t *size)
{
    va_list counted;
    va_copy(counted, *rest);
    size_t count = 2;
    while (va_arg(counted, const char *) != NULL) {
        count++;
    }
    va_end(counted);
    *size = count * sizeof(char *);
    char **list = folder_memory(*size);
    if (list == NULL) {
        return NULL;
    }
    list[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; i < count; i++) {
        list[i] = va_arg(*rest, char *);
    }
    return list;
}

static int exec_list(struct exec x, const char *first, va_list *rest, bool has_environment)
{
    size_t size = 0;
    char **list = list_arguments(first, rest, &size);
    if (list == NULL) {
        errno = ENOMEM;
        return -1;
    }
    x.arguments = list;
    x.environment = has_environment ? va_arg(*rest, char *const *) : environ;
    const int result = exec(&x);
    (void)syscall(SYS_munmap, list, size);
    return result;
}

RT_EXPORT int execl(const char *path, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    const int result = exec_list((struct exec){.by = EXEC_PATH, .path = path, .place = RT_PLACE},
                                 first, &rest, false);
    va_end(rest);
    return result;
}

RT_EXPORT int execle(const char *path, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    const int result = exec_list((struct exec){.by = EXEC_PATH, .path = path, .place = RT_PLACE},
                                 first, &rest, true);
    va_end(rest);
    return result;
}

RT_EXPORT int execlp(const char *path, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    const int result = exec_list((struct exec){.by = EXEC_SEARCH, .path = path, .place = RT_PLACE},
                                 first, &rest, false);
    va_end(rest);
    return result;
}

/* The child executes another program from its first instruction, so its environment carries its
 * identity. The parent records the fork. */
struct spawn {
    struct environment added;
    struct rt_mark mark;
};

static struct spawn spawn_begin(char *const *environment, const void *place)
{
    struct spawn s = {.added = {.words = environment}};
    if (rt_is_recording()) {
        s.mark = announce_fork(RECORD_OF_SPAWN, place);
        environment_build(&s.added, environment, true);
    }
    return s;
}

static int spawn_end(struct spawn *s, int result)
{
    environment_release(&s->added);
    (void)rt_fork_end(false);
    if (result != 0) {
        rt_amend_void(s->mark);
    }
    return result;
}

RT_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const *arguments,
                          char *const *environment)
{
    struct spawn s = spawn_begin(environment, RT_PLACE);
    return spawn_end(&s,
                     REAL(posix_spawn)(pid, path, actions, attributes, arguments, s.added.words));
}

RT_EXPORT int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const *arguments,
                           char *const *environment)
{
    struct spawn s = spawn_begin(environment, RT_PLACE);
    return spawn_end(&s,
                     REAL(posix_spawnp)(pid, path, actions, attributes, arguments, s.added.words));
}

int spawn_shell(pid_t *pid, const char *command, const struct spawn_way *way)
{
    char *const arguments[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"--"},
                               (char *)(uintptr_t)command, NULL};
    struct spawn s = spawn_begin(environ, way->place);
    return spawn_end(&s, REAL(posix_spawn)(pid, "/bin/sh", way->actions, way->attributes, arguments,
                                           s.added.words));
}

RT_EXPORT _Noreturn void quick_exit(int status)
{
    rt_process_quick(status, RT_PLACE);
    REAL(quick_exit)(status);
    __builtin_unreachable();
}

RT_EXPORT _Noreturn void _exit(int status)
{
    rt_process_end(status, RT_PLACE);
    (void)syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

RT_EXPORT _Noreturn void _Exit(int status)
{
    rt_process_end(status, RT_PLACE);
    (void)syscall(SYS_exit_group, status);
    __builtin_unreachable();
}
