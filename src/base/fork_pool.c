#include "base/fork_pool.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/in.h"
#include "base/mem.h"

/* The first byte from a member: a result follows, or the sentence of its error. */
enum { SAYS_RESULT = 'r', SAYS_ERROR = 'e' };

struct member {
    pid_t process; /* 0: none */
    int fd;        /* the pipe from it; -1: closed */
};

static _Noreturn void be_member(const struct fork_pool *c, uint32_t part, int fd)
{
    struct out result;
    struct out said;
    struct err e = {0};
    out_open_memory(&result);
    out_open_fd(&said, fd);
    if (c->work(c->context, part, &result, &e) == 0) {
        out_char(&said, SAYS_RESULT);
        out_bytes(&said, result.buffer, result.used);
    } else {
        out_char(&said, SAYS_ERROR);
        out_text(&said, e.text);
    }
    _exit(out_flush(&said, &e) == 0 ? 0 : 1);
}

static int member_begin(const struct fork_pool *c, uint32_t part, struct member *m, struct err *e)
{
    int ends[2];
    if ((seam_fails() ? seam_failure(EMFILE) : pipe(ends)) < 0) {
        return err_set(e, "cannot start a worker: pipe: %s; raise ulimit -n, or use fewer (-j)",
                       strerror(errno));
    }
    const pid_t process = seam_fails() ? seam_failure(EAGAIN) : fork();
    if (process == 0) {
        (void)close(ends[0]);
        be_member(c, part, ends[1]);
    }
    const int reason = errno;
    (void)close(ends[1]);
    if (process < 0) {
        (void)close(ends[0]);
        return err_set(e, "cannot start a worker: fork: %s; raise ulimit -u, or use fewer (-j)",
                       strerror(reason));
    }
    *m = (struct member){.process = process, .fd = ends[0]};
    return 0;
}

/* Waits until the member exits; true on success. */
static bool member_wait(struct member *m)
{
    int status = 0;
    pid_t over = 0;
    if (m->fd >= 0) {
        (void)close(m->fd); /* a member that still writes gets EPIPE, and ends */
    }
    while (m->process > 0 && (over = waitpid(m->process, &status, 0)) < 0 && errno == EINTR) {
    }
    *m = (struct member){.fd = -1};
    return over > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int take_said(const struct fork_pool *c, const struct in *in, struct err *e)
{
    if (in->available > 0 && in->at[0] == SAYS_RESULT) {
        return c->take(c->context, in->at + 1, in->available - 1, e);
    }
    return err_set(e, "%.*s", in->available > 0 ? (int)in->available - 1 : 0, in->at + 1);
}

/* Reads all output of a member and consumes it. */
static int member_end(const struct fork_pool *c, struct member *m, struct err *e)
{
    struct in in;
    in_open_fd(&in, m->fd);
    m->fd = -1;
    int result = in_fill_all(&in, SIZE_MAX, e);
    if (result == 0) {
        result =
            member_wait(m)
                ? take_said(c, &in, e)
                : err_set(e, "a worker process died, perhaps for lack of memory; use fewer (-j)");
    }
    in_close(&in);
    return result;
}

int fork_pool_run(const struct fork_pool *c, struct err *e)
{
    struct member *members = mem_zero(c->count, sizeof *members);
    int result = 0;
    for (uint32_t part = 0; part < c->count; part++) {
        members[part].fd = -1;
    }
    for (uint32_t part = 0; part < c->count && result == 0; part++) {
        result = member_begin(c, part, &members[part], e);
    }
    for (uint32_t part = 0; part < c->count && result == 0; part++) {
        result = member_end(c, &members[part], e);
    }
    for (uint32_t part = 0; part < c->count; part++) {
        (void)member_wait(&members[part]);
    }
    mem_free(members);
    return result;
}
