#include "cli/text/graphviz.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_injection.h"

enum { NOT_FOUND = 127 };

/* Files without names: the input and the output of dot. */
struct papers {
    int in, out;
};

static int open_paper(const char *name)
{
    return seam_fails() ? seam_failure(EMFILE) : memfd_create(name, MFD_CLOEXEC);
}

static void close_papers(const struct papers *p)
{
    if (p->in >= 0) {
        (void)close(p->in);
    }
    if (p->out >= 0) {
        (void)close(p->out);
    }
}

/* Leaves the status of dot in *status. */
static int run_dot(const struct papers *p, int *status)
{
    if ((seam_fails() ? seam_failure(EIO) : lseek(p->in, 0, SEEK_SET)) < 0) {
        return -1;
    }
    const pid_t child = seam_fails() ? seam_failure(EAGAIN) : fork();
    if (child == 0) {
        if (dup2(p->in, STDIN_FILENO) >= 0 && dup2(p->out, STDOUT_FILENO) >= 0) {
            (void)execlp("dot", "dot", "-Tsvg", (char *)NULL);
        }
        _exit(NOT_FOUND);
    }
    if (child < 0) {
        return -1;
    }
    pid_t ended = -1;
    do {
        ended = waitpid(child, status, 0);
    } while (ended < 0 && errno == EINTR);
    return ended < 0 ? -1 : 0;
}

static int copy(int from, struct out *out)
{
    char block[4096];
    for (off_t at = 0;;) {
        const ssize_t got = seam_fails() ? seam_failure(EIO) : pread(from, block, sizeof block, at);
        if (got <= 0) {
            return got < 0 ? -1 : 0;
        }
        out_bytes(out, block, (size_t)got);
        at += got;
    }
}

static int draw(const struct papers *p, struct out *out, struct err *e)
{
    int status = -1;
    if (p->in < 0 || p->out < 0 || run_dot(p, &status) < 0) {
        return err_set(e, "dot cannot be run: %s", strerror(errno));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
        return err_set(e, "dot is not installed (Debian: apt install graphviz); .dot and .pnml "
                          "need no program");
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return err_set(e, "dot failed to draw the net");
    }
    return copy(p->out, out) < 0
               ? err_set(e, "the output of dot cannot be read: %s", strerror(errno))
               : 0;
}

int graphviz_draw(void (*print)(const void *graph, struct out *out), const void *graph,
                  struct out *out, struct err *e)
{
    const struct papers papers = {.in = open_paper("graph"), .out = open_paper("picture")};
    struct out text;
    int result = 0;
    if (papers.in >= 0) {
        out_open_fd(&text, papers.in);
        print(graph, &text);
        result = out_close(&text, e);
    }
    if (result == 0) {
        result = draw(&papers, out, e);
    }
    close_papers(&papers);
    return result;
}
