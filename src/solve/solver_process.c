#include "solve/solver_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fault_injection.h"
#include "base/limit.h"
#include "base/quoted_text.h"

enum {
    BLOCK_SIZE = 1 << 14,
    GRACE_MS = 500, /* for a program that closed its output to exit by itself */
};

/* --- words --- */

/* Copies one word to `to`, which is large enough, and returns the rest; NULL when a quote stays
 * open. */
static const char *take_word(const char *at, char *to)
{
    char quote = 0;
    for (; *at != '\0'; at++) {
        const bool is_blank = *at == ' ' || *at == '\t' || *at == '\n';
        if (quote == 0 && is_blank) {
            break;
        }
        if (*at == quote) {
            quote = 0;
        } else if (quote == 0 && (*at == '\'' || *at == '"')) {
            quote = *at;
        } else {
            const bool is_escape = *at == '\\' && quote != '\'' && at[1] != '\0';
            at += is_escape;
            *to++ = *at;
        }
    }
    *to = '\0';
    return quote == 0 ? at : NULL;
}

/* The command's words, NULL behind them; NULL when there are none or a quote stays open. */
static char **split_words(struct arena *a, const char *command)
{
    const size_t size = strlen(command);
    char **words = arena_array(a, char *, size / 2 + 2);
    char *text = arena_array(a, char, 2 * size + 2);
    size_t count = 0;
    for (const char *at = command; at != NULL;) {
        at += strspn(at, " \t\n");
        if (*at == '\0') {
            return count > 0 ? words : NULL;
        }
        words[count++] = text;
        at = take_word(at, text);
        text += strlen(text) + 1;
    }
    return NULL;
}

/* --- start and end --- */

/* Both ends of the pipes; [0] is read, [1] is written. */
struct pipes {
    int in[2];
    int out[2];
    int err[2];
};

static void close_end(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd); /* no data can be lost */
        *fd = -1;
    }
}

static void close_pipes(struct pipes *pipes)
{
    int *all[] = {pipes->in, pipes->out, pipes->err};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        close_end(&all[i][0]);
        close_end(&all[i][1]);
    }
}

static int open_pipes(struct pipes *pipes)
{
    *pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}};
    int *all[] = {pipes->in, pipes->out, pipes->err};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if ((seam_fails() ? seam_failure(EMFILE) : pipe2(all[i], O_CLOEXEC)) < 0) {
            const int reason = errno;
            close_pipes(pipes);
            return reason;
        }
    }
    return 0;
}

/* Runs the words with the pipes as standard input, output and error; 0, or errno. */
static int spawn(pid_t *pid, char **words, const struct pipes *pipes)
{
    sigset_t none, pipe_signal;
    (void)sigemptyset(&none);
    (void)sigemptyset(&pipe_signal);
    (void)sigaddset(&pipe_signal, SIGPIPE);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (seam_fails() || posix_spawn_file_actions_init(&actions) != 0) {
        return ENOMEM;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    int failure = posix_spawn_file_actions_adddup2(&actions, pipes->in[0], STDIN_FILENO);
    failure += posix_spawn_file_actions_adddup2(&actions, pipes->out[1], STDOUT_FILENO);
    failure += posix_spawn_file_actions_adddup2(&actions, pipes->err[1], STDERR_FILENO);
    failure += posix_spawnattr_setsigmask(&attributes, &none);
    failure += posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    failure +=
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    failure = failure != 0   ? ENOMEM
              : seam_fails() ? EAGAIN
                             : posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static int start(struct program *p, char **words, uint64_t bytes_max)
{
    struct pipes pipes;
    int failure = open_pipes(&pipes);
    if (failure != 0) {
        return failure;
    }
    pid_t pid = -1;
    failure = spawn(&pid, words, &pipes);
    if (failure == 0) {
        p->pid = pid;
        p->in = pipes.in[1];
        p->out = pipes.out[0];
        p->err = pipes.err[0];
        pipes.in[1] = pipes.out[0] = pipes.err[0] = -1;
    }
    close_pipes(&pipes);
    if (failure != 0) {
        return failure;
    }
    const int fds[] = {p->in, p->out, p->err};
    for (size_t i = 0; i < sizeof fds / sizeof *fds && failure == 0; i++) {
        const int done = seam_fails() ? seam_failure(EIO) : fcntl(fds[i], F_SETFL, O_NONBLOCK);
        failure = done < 0 ? errno : 0;
    }
    /* It waits for its input, so it has not allocated much yet. */
    const struct rlimit limit = {.rlim_cur = bytes_max, .rlim_max = bytes_max};
    if (failure == 0 && bytes_max > 0) {
        const int done =
            seam_fails() ? seam_failure(EPERM) : prlimit(p->pid, RLIMIT_AS, &limit, NULL);
        failure = done < 0 ? errno : 0;
    }
    if (failure != 0) {
        program_close(p);
    }
    return failure;
}

int program_open(struct program *p, const struct program_options *options, struct err *e)
{
    *p = (struct program){.pid = -1, .in = -1, .out = -1, .err = -1};
    struct arena scratch = {0};
    char **words = split_words(&scratch, options->command);
    int result = 0;
    if (words == NULL) {
        result = err_set(e, "%s: is no command (a word, or words with matching quotes)",
                         shown(options->command, strlen(options->command)).text);
    } else {
        const int failure = start(p, words, options->bytes_max);
        result = failure == 0 ? 0
                              : err_set(e, "%s: cannot be run: %s",
                                        shown(words[0], strlen(words[0])).text, strerror(failure));
    }
    arena_release(&scratch);
    return result;
}

/* Waits for the program's end and returns its status, -1 when it is unknown. With a grace period it
 * may exit by itself. */
static int reap(struct program *p, int grace_ms)
{
    int status = -1;
    pid_t done = 0;
    for (; grace_ms > 0 && done == 0; grace_ms--) {
        done = waitpid(p->pid, &status, WNOHANG);
        if (done == 0) {
            (void)poll(NULL, 0, 1);
        }
    }
    if (done == 0) {
        (void)kill(p->pid, SIGKILL);
        do {
            done = waitpid(p->pid, &status, 0);
        } while (done < 0 && errno == EINTR);
    }
    p->pid = -1;
    return done < 0 ? -1 : status;
}

void program_close(struct program *p)
{
    if (p->pid > 0) {
        (void)reap(p, 0);
    }
    close_end(&p->in);
    close_end(&p->out);
    close_end(&p->err);
    vec_release(&p->to_say);
    vec_release(&p->heard);
    p->pid = -1;
}

/* --- input and output --- */

void program_say(struct program *p, const char *text, size_t size)
{
    vec_reserve(&p->to_say, p->to_say.count + size + 1);
    if (size > 0) {
        memcpy(p->to_say.at + p->to_say.count, text, size);
    }
    p->to_say.count += size;
}

void program_take(struct program *p, size_t size)
{
    must(size <= p->heard.count);
    p->heard.count -= size;
    if (p->heard.count > 0) {
        memmove(p->heard.at, p->heard.at + size, p->heard.count);
    }
}

/* write() that returns EPIPE instead of raising SIGPIPE, for every disposition of that signal: the
 * signal is blocked, and consumed if this write raised it. */
static ssize_t write_quietly(int fd, const char *bytes, size_t size)
{
    sigset_t pipe_signal, before, pending;
    (void)sigemptyset(&pipe_signal);
    (void)sigaddset(&pipe_signal, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const bool was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    const ssize_t done = seam_fails() ? seam_failure(EIO) : write(fd, bytes, size);
    const int reason = errno;
    if (done < 0 && reason == EPIPE && !was_pending) {
        (void)sigtimedwait(&pipe_signal, NULL, &(struct timespec){0});
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return done;
}

static bool is_passing(int reason)
{
    return reason == EINTR || reason == EAGAIN;
}

static int send_some(struct program *p, struct err *e)
{
    const ssize_t done = write_quietly(p->in, p->to_say.at + p->said, p->to_say.count - p->said);
    if (done < 0 && errno == EPIPE) {
        /* It has closed its input; its last output or its status says why. */
        p->said = p->to_say.count;
    } else if (done < 0 && !is_passing(errno)) {
        return err_set(e, "cannot be written to: %s", strerror(errno));
    } else if (done > 0) {
        p->said += (size_t)done;
    }
    if (p->said == p->to_say.count) {
        p->said = 0;
        vec_clear(&p->to_say);
    }
    return 0;
}

static void listen_to_complaints(struct program *p)
{
    char block[BLOCK_SIZE];
    const ssize_t got = seam_fails() ? seam_failure(EIO) : read(p->err, block, sizeof block);
    if (got == 0 || (got < 0 && !is_passing(errno))) {
        close_end(&p->err);
    }
    for (ssize_t i = 0; i < got && p->complaint_size < sizeof p->complaint - 1; i++) {
        p->complaint[p->complaint_size++] = block[i] == '\n' ? ' ' : block[i];
    }
}

/* The program has closed its output: reports its exit status. */
static int tell_end(struct program *p, struct err *e)
{
    close_end(&p->in);
    const int status = reap(p, GRACE_MS);
    while (p->err >= 0 && p->complaint_size < sizeof p->complaint - 1) {
        const size_t before = p->complaint_size;
        listen_to_complaints(p);
        if (p->complaint_size == before) {
            break;
        }
    }
    char how[64];
    if (status >= 0 && WIFEXITED(status)) {
        (void)snprintf(how, sizeof how, "with status %d", WEXITSTATUS(status));
    } else {
        (void)snprintf(how, sizeof how, "by signal %d", status < 0 ? 0 : WTERMSIG(status));
    }
    (void)err_set(e, "ended %s before it answered%s%s", how, p->complaint_size > 0 ? ": " : "",
                  p->complaint);
    shown_clean(e->text);
    return -1;
}

static int listen_some(struct program *p, struct err *e)
{
    vec_reserve(&p->heard, p->heard.count + BLOCK_SIZE);
    const ssize_t got =
        seam_fails() ? seam_failure(EIO) : read(p->out, p->heard.at + p->heard.count, BLOCK_SIZE);
    if (got < 0) {
        return is_passing(errno) ? 0 : err_set(e, "cannot be read from: %s", strerror(errno));
    }
    if (got == 0) {
        return tell_end(p, e);
    }
    p->heard.count += (size_t)got;
    if (p->heard_max > 0 && p->heard.count > p->heard_max) {
        return err_set(e, "says more than any answer holds: %s",
                       shown(p->heard.at, p->heard.count).text);
    }
    return 0;
}

/* Milliseconds until the deadline, rounded up; -1: no end. */
static int time_left_ms(const struct program *p)
{
    if (p->deadline == 0) {
        return -1;
    }
    const uint64_t now = limit_now_ns();
    const uint64_t left_ms = now >= p->deadline ? 0 : (p->deadline - now + 999999) / 1000000;
    return left_ms > INT32_MAX ? INT32_MAX : (int)left_ms;
}

/* Waits until something can be sent or received, and does it. */
static int exchange(struct program *p, struct err *e)
{
    const bool has_more = p->said < p->to_say.count;
    struct pollfd polled[] = {{.fd = p->out, .events = POLLIN},
                              {.fd = p->err, .events = POLLIN},
                              {.fd = has_more ? p->in : -1, .events = POLLOUT}};
    const int left_ms = time_left_ms(p);
    const int ready = seam_fails() ? seam_failure(ENOMEM) : poll(polled, 3, left_ms);
    if (ready < 0 && errno != EINTR) {
        return err_set(e, "cannot be waited for: %s", strerror(errno));
    }
    if (ready == 0 || left_ms == 0) {
        p->is_late = true;
        return err_set(e, "did not answer in time");
    }
    if (ready > 0 && polled[1].revents != 0) {
        listen_to_complaints(p);
    }
    if (ready > 0 && polled[2].revents != 0 && send_some(p, e) < 0) {
        return -1;
    }
    return ready > 0 && polled[0].revents != 0 ? listen_some(p, e) : 0;
}

int program_hear(struct program *p,
                 bool (*is_enough)(void *context, const char *bytes, size_t size), void *context,
                 struct err *e)
{
    must(p->pid > 0);
    while (p->said < p->to_say.count || !is_enough(context, p->heard.at, p->heard.count)) {
        if (exchange(p, e) < 0) {
            return -1;
        }
    }
    return 0;
}
