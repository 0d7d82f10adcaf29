/* Commands for the shell: system, popen and pclose, made of posix_spawn. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/control/sched/run_control.h"
#include "runtime/shared/real.h"

static char *const *shell_words(const char *command)
{
    static __thread char *words[4];
    words[0] = (char *)(uintptr_t) "sh";
    words[1] = (char *)(uintptr_t) "-c";
    words[2] = (char *)(uintptr_t)command;
    return words;
}

/* The caller ignores SIGINT and SIGQUIT and blocks SIGCHLD while it waits. */
RT_EXPORT int system(const char *command)
{
    if (!control_is_mine() || command == NULL) {
        return REAL(system)(command);
    }
    struct sigaction before_interrupt;
    struct sigaction before_quit;
    sigset_t child;
    sigset_t before;
    sigset_t usual;
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    posix_spawnattr_t attributes;
    pid_t made = -1;
    int status = -1;
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigaction(SIGINT, &ignored, &before_interrupt);
    (void)sigaction(SIGQUIT, &ignored, &before_quit);
    (void)sigprocmask(SIG_BLOCK, &child, &before);
    (void)sigemptyset(&usual);
    if (before_interrupt.sa_handler != SIG_IGN) {
        (void)sigaddset(&usual, SIGINT);
    }
    if (before_quit.sa_handler != SIG_IGN) {
        (void)sigaddset(&usual, SIGQUIT);
    }
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setsigmask(&attributes, &before);
    (void)posix_spawnattr_setsigdefault(&attributes, &usual);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (posix_spawn(&made, "/bin/sh", NULL, &attributes, shell_words(command), environ) != 0) {
        status = 127 << 8;
    } else {
        while (waitpid(made, &status, 0) < 0 && errno == EINTR) {
        }
    }
    (void)posix_spawnattr_destroy(&attributes);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    (void)sigaction(SIGINT, &before_interrupt, NULL);
    (void)sigaction(SIGQUIT, &before_quit, NULL);
    return status;
}

/* Streams of popen(), and their children */

enum { PIPED_MAX = 64 };
static struct piped {
    FILE *stream; /* NULL: unused */
    pid_t child;
} piped[PIPED_MAX];

static struct piped *piped_of(const FILE *stream)
{
    for (int i = 0; i < PIPED_MAX; i++) {
        if (piped[i].stream == stream) {
            return &piped[i];
        }
    }
    return NULL;
}

static bool piped_spawn(struct piped *p, const char *command, const int ends[2], bool is_read)
{
    posix_spawn_file_actions_t actions;
    const int theirs = ends[is_read ? 1 : 0];
    const int at = is_read ? STDOUT_FILENO : STDIN_FILENO;
    (void)posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < PIPED_MAX; i++) { /* a child has none of the streams made before */
        if (piped[i].stream != NULL) {
            (void)posix_spawn_file_actions_addclose(&actions, fileno(piped[i].stream));
        }
    }
    (void)posix_spawn_file_actions_adddup2(&actions, theirs, at);
    const int failed =
        posix_spawn(&p->child, "/bin/sh", &actions, NULL, shell_words(command), environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    errno = failed;
    return failed == 0;
}

RT_EXPORT FILE *popen(const char *command, const char *mode)
{
    if (!control_is_mine()) {
        return REAL(popen)(command, mode);
    }
    const bool is_read = mode[0] == 'r';
    const bool is_kept = strchr(mode, 'e') == NULL;
    struct piped *p = piped_of(NULL);
    int ends[2];
    if ((mode[0] != 'r' && mode[0] != 'w') || p == NULL) {
        errno = p == NULL ? EMFILE : EINVAL;
        return NULL;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return NULL;
    }
    const int ours = ends[is_read ? 0 : 1];
    const bool is_made = piped_spawn(p, command, ends, is_read);
    const int reason = errno;
    (void)close(ends[is_read ? 1 : 0]);
    FILE *stream = is_made ? fdopen(ours, is_read ? "r" : "w") : NULL;
    if (stream == NULL) {
        (void)close(ours);
        errno = is_made ? errno : reason;
        return NULL;
    }
    if (is_kept) {
        (void)fcntl(ours, F_SETFD, 0);
    }
    p->stream = stream;
    return stream;
}

RT_EXPORT int pclose(FILE *stream)
{
    struct piped *p = control_is_mine() ? piped_of(stream) : NULL;
    int status = -1;
    if (p == NULL) {
        return REAL(pclose)(stream);
    }
    p->stream = NULL;
    (void)fclose(stream);
    while (waitpid(p->child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return status;
}
