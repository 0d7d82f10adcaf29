/* Commands for the shell: system and popen. libc starts their children where no hook sees it, so
 * that both are done here, by the same steps, with the recorder's own spawn: the child then knows
 * whose it is. */
#include "runtime/record/hooks/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/record/hooks/spawn.h"
#include "runtime/record/hooks/wait_internal.h"
#include "runtime/record/log/recorder.h"
#include "runtime/shared/real.h"

enum { STREAMS_MAX = 64, STATUS_NO_SHELL = 127 << 8 };

static void lock_take(atomic_flag *lock)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire)) {
        rt_pause();
    }
}

static void lock_give(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

/* While a thread waits for its command, the keyboard's signals are for the command. The first such
 * thread saves their actions; the last one restores them. */
static struct {
    atomic_flag lock;
    uint32_t users;
    struct sigaction interrupt, quit;
} keyboard = {.lock = ATOMIC_FLAG_INIT};

static void keyboard_ignore(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    lock_take(&keyboard.lock);
    if (keyboard.users++ == 0) {
        (void)REAL(sigaction)(SIGINT, &ignore, &keyboard.interrupt);
        (void)REAL(sigaction)(SIGQUIT, &ignore, &keyboard.quit);
    }
    lock_give(&keyboard.lock);
}

static void keyboard_restore(void)
{
    lock_take(&keyboard.lock);
    if (--keyboard.users == 0) {
        (void)REAL(sigaction)(SIGINT, &keyboard.interrupt, NULL);
        (void)REAL(sigaction)(SIGQUIT, &keyboard.quit, NULL);
    }
    lock_give(&keyboard.lock);
}

static int wait_for(pid_t pid, int *status, const void *place)
{
    pid_t ended = 0;
    do {
        ended = wait_recorded(pid, status, place);
    } while (ended < 0 && errno == EINTR);
    return ended < 0 ? -1 : 0;
}

/* A command that is waited for. */
struct command {
    pid_t pid;
    sigset_t before; /* signals that the thread had blocked */
};

/* The waiting thread is cancelled: its command goes with it. */
static void command_abandon(void *context)
{
    const struct command *c = context;
    int status = 0;
    (void)kill(c->pid, SIGKILL);
    (void)wait_for(c->pid, &status, NULL);
    keyboard_restore();
    (void)pthread_sigmask(SIG_SETMASK, &c->before, NULL);
}

static int command_start(struct command *c, const char *text, const void *place)
{
    posix_spawnattr_t attributes;
    sigset_t defaults;
    (void)sigemptyset(&defaults);
    if (keyboard.interrupt.sa_handler != SIG_IGN) {
        (void)sigaddset(&defaults, SIGINT);
    }
    if (keyboard.quit.sa_handler != SIG_IGN) {
        (void)sigaddset(&defaults, SIGQUIT);
    }
    const int failed = posix_spawnattr_init(&attributes);
    if (failed != 0) {
        return failed;
    }
    (void)posix_spawnattr_setsigmask(&attributes, &c->before);
    (void)posix_spawnattr_setsigdefault(&attributes, &defaults);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const int result =
        spawn_shell(&c->pid, text, &(struct spawn_way){.attributes = &attributes, .place = place});
    (void)posix_spawnattr_destroy(&attributes);
    return result;
}

RT_EXPORT int system(const char *text)
{
    if (text == NULL || !rt_is_recording()) {
        return REAL(system)(text);
    }
    struct command c = {0};
    sigset_t child;
    int status = STATUS_NO_SHELL;
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    keyboard_ignore();
    (void)pthread_sigmask(SIG_BLOCK, &child, &c.before);
    const int failed = command_start(&c, text, RT_PLACE);
    if (failed == 0) {
        pthread_cleanup_push(command_abandon, &c);
        if (wait_for(c.pid, &status, RT_PLACE) < 0) {
            status = -1;
        }
        pthread_cleanup_pop(0);
    }
    keyboard_restore();
    (void)pthread_sigmask(SIG_SETMASK, &c.before, NULL);
    errno = failed != 0 ? failed : errno;
    return status;
}

/* Streams to and from commands. A slot is free while its pid is 0. */
static struct stream {
    _Atomic pid_t pid;
    _Atomic(FILE *) file; /* NULL until the command runs */
    _Atomic int fd;
} streams[STREAMS_MAX];

static struct stream *stream_of(const FILE *file)
{
    for (size_t i = 0; i < STREAMS_MAX && file != NULL; i++) {
        if (atomic_load(&streams[i].file) == file) {
            return &streams[i];
        }
    }
    return NULL;
}

bool shell_is_stream(const FILE *file)
{
    return stream_of(file) != NULL;
}

static struct stream *stream_reserve(void)
{
    for (size_t i = 0; i < STREAMS_MAX; i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&streams[i].pid, &none, -1)) {
            return &streams[i];
        }
    }
    return NULL;
}

/* Starts the command with `theirs` as its descriptor `wanted`. It does not inherit the streams of
 * other commands; one that was closed meanwhile is no error. */
static int stream_start(pid_t *pid, const char *text, int theirs, int wanted, const void *place)
{
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) {
        return failed;
    }
    for (size_t i = 0; i < STREAMS_MAX && failed == 0; i++) {
        const int fd = atomic_load(&streams[i].fd);
        if (atomic_load(&streams[i].file) != NULL && fd != wanted) {
            failed = posix_spawn_file_actions_addclose(&actions, fd);
        }
    }
    if (failed == 0) {
        failed = posix_spawn_file_actions_adddup2(&actions, theirs, wanted);
    }
    if (failed == 0) {
        failed = spawn_shell(pid, text, &(struct spawn_way){.actions = &actions, .place = place});
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* The stream of a command that runs; NULL when it could not be started. */
static FILE *stream_open(struct stream *s, const char *text, const char *mode, const void *place)
{
    const bool is_write = mode[0] == 'w';
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) {
        return NULL;
    }
    const int own = ends[is_write];
    const int theirs = ends[!is_write];
    FILE *file = fdopen(own, is_write ? "w" : "r");
    pid_t pid = 0;
    const int failed = file == NULL ? errno
                                    : stream_start(&pid, text, theirs,
                                                   is_write ? STDIN_FILENO : STDOUT_FILENO, place);
    (void)close(theirs);
    if (failed != 0) {
        (void)(file != NULL ? fclose(file) : close(own));
        errno = failed;
        return NULL;
    }
    if (mode[1] != 'e') {
        (void)fcntl(own, F_SETFD, 0);
    }
    atomic_store(&s->pid, pid);
    atomic_store(&s->fd, own);
    atomic_store(&s->file, file);
    return file;
}

/* An invalid mode, and streams beyond the number of slots, go to libc's popen. */
RT_EXPORT FILE *popen(const char *text, const char *mode)
{
    const bool is_plain =
        (mode[0] == 'r' || mode[0] == 'w') && (mode[1] == 0 || (mode[1] == 'e' && mode[2] == 0));
    struct stream *s = is_plain && rt_is_recording() ? stream_reserve() : NULL;
    if (s == NULL) {
        return REAL(popen)(text, mode);
    }
    FILE *file = stream_open(s, text, mode, RT_PLACE);
    if (file == NULL) {
        atomic_store(&s->pid, 0);
    }
    return file;
}

RT_EXPORT int pclose(FILE *file)
{
    struct stream *s = stream_of(file);
    if (s == NULL) {
        return REAL(pclose)(file);
    }
    const pid_t pid = atomic_load(&s->pid);
    int status = -1;
    atomic_store(&s->file, NULL);
    (void)fclose(file);
    const int result = wait_for(pid, &status, RT_PLACE);
    atomic_store(&s->pid, 0);
    return result < 0 ? -1 : status;
}

void shell_forked(void)
{
    lock_give(&keyboard.lock);
    keyboard.users = 0;
}
