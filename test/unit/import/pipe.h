/* Bytes that come through a pipe from a child process. */
#ifndef CLEW_TEST_PIPE_H
#define CLEW_TEST_PIPE_H

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "wire/must.h"

struct pipe_source {
    int fd;
    pid_t child;
    char path[32]; /* to open it by */
};

/* A child that writes to fd; it is stopped when nobody reads any more. */
static inline struct pipe_source pipe_from(void (*write_to)(int fd, const void *context),
                                           const void *context)
{
    int fds[2];
    must(pipe(fds) == 0);
    (void)fflush(NULL);
    struct pipe_source source = {.fd = fds[0], .child = fork()};
    must(source.child >= 0);
    if (source.child == 0) {
        (void)signal(SIGPIPE, SIG_DFL);
        (void)close(fds[0]);
        write_to(fds[1], context);
        _exit(0);
    }
    (void)close(fds[1]);
    (void)snprintf(source.path, sizeof source.path, "/dev/fd/%d", source.fd);
    return source;
}

static inline void pipe_end(const struct pipe_source *source)
{
    (void)close(source->fd);
    int status = 0;
    must(waitpid(source->child, &status, 0) == source->child);
}

#endif
