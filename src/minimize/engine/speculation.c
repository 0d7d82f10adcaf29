#include "minimize/engine/speculation.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/limit.h"
#include "base/mem.h"

/* Making a worker takes about a millisecond: missing workers begin once this much time went into
 * fruitless candidates. */
static const uint64_t patience_ns = 2000000;

struct worker {
    pid_t process; /* 0: it is missing */
    int fd;        /* its pipe */
};

enum { LEADER = 0 };

struct speculation {
    uint32_t process_count;
    struct worker *workers; /* by number; the leader's is none */
    uint32_t worker_count;  /* workers that run */
    uint32_t own;           /* which process this is ... */
    int fd;                 /* ... and its end of the pipe, if it is a worker */
    uint32_t next;          /* whose the next candidate is */
    uint32_t finder;        /* the worker that took the last candidate for fruitful; LEADER: none */
    uint64_t since_ns;      /* when the first of the fruitless ones was run; 0: there is none */
    bool is_alone;          /* no worker could be made */
    cpu_set_t allowed;      /* processors: those of workers, where running a program binds to one */
};

struct speculation *speculation_new(uint32_t process_count)
{
    if (process_count < 2) {
        return NULL;
    }
    struct speculation *f = mem_zero(1, sizeof *f);
    f->process_count = process_count;
    f->workers = mem_zero(process_count, sizeof *f->workers);
    (void)sched_getaffinity(0, sizeof f->allowed, &f->allowed);
    return f;
}

bool speculation_is_worker(const struct speculation *f)
{
    return f != NULL && f->own != LEADER;
}

bool speculation_is_on(const struct speculation *f)
{
    return f != NULL && (f->own != LEADER || f->worker_count > 0);
}

static void dismiss(struct speculation *f, uint32_t which)
{
    struct worker *w = &f->workers[which];
    must(which != LEADER);
    must(w->process > 0);
    must(f->worker_count > 0);
    (void)close(w->fd);
    (void)kill(w->process, SIGKILL);
    while (waitpid(w->process, NULL, 0) < 0 && errno == EINTR) {
    }
    *w = (struct worker){0};
    f->worker_count--;
}

/* LEADER: really all. */
static void dismiss_all_but(struct speculation *f, uint32_t kept)
{
    for (uint32_t i = 1; i < f->process_count; i++) {
        if (i != kept && f->workers[i].process != 0) {
            dismiss(f, i);
        }
    }
    f->since_ns = 0;
}

void speculation_end(struct speculation *f)
{
    if (speculation_is_worker(f)) {
        _exit(0);
    }
    if (f != NULL) {
        dismiss_all_but(f, LEADER);
    }
}

void speculation_free(struct speculation *f)
{
    if (f != NULL) {
        speculation_end(f);
        mem_free(f->workers);
        mem_free(f);
    }
}

/* In the new process. It may be too late to die with the leader. */
static void be_worker(struct speculation *f, uint32_t own, int fd, pid_t leader)
{
    for (uint32_t i = 1; i < f->process_count; i++) {
        if (f->workers[i].process != 0) {
            (void)close(f->workers[i].fd);
        }
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != leader) {
        _exit(0);
    }
    (void)sched_setaffinity(0, sizeof f->allowed, &f->allowed);
    f->own = own;
    f->fd = fd;
}

/* One more; false when it cannot be made. Returns in both processes. */
static bool begin_worker(struct speculation *f, uint32_t own)
{
    must(f->own == LEADER);
    must(f->workers[own].process == 0);
    int ends[2];
    const pid_t leader = getpid();
    if ((seam_fails() ? seam_failure(EMFILE) : pipe(ends)) < 0) {
        return false;
    }
    const pid_t process = seam_fails() ? seam_failure(EAGAIN) : fork();
    (void)close(ends[process == 0 ? 0 : 1]);
    if (process == 0) {
        be_worker(f, own, ends[1], leader);
    } else if (process < 0) {
        (void)close(ends[0]);
    } else {
        f->workers[own] = (struct worker){.process = process, .fd = ends[0]};
        f->worker_count++;
        must(f->worker_count < f->process_count);
    }
    return process >= 0;
}

static void begin_missing_workers(struct speculation *f)
{
    for (uint32_t i = 1; i < f->process_count && f->own == LEADER; i++) {
        if (f->workers[i].process == 0 && !begin_worker(f, i)) {
            dismiss_all_but(f, LEADER);
            f->is_alone = true;
            return;
        }
    }
}

static bool hear(int fd, struct glimpse *g)
{
    ssize_t got;
    do {
        got = seam_fails() ? seam_failure(EIO) : read(fd, g, sizeof *g);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *g;
}

bool speculation_knows(struct speculation *f, uint64_t key, struct glimpse *known)
{
    if (!speculation_is_on(f)) {
        return false;
    }
    const uint32_t whose = f->next;
    must(whose < f->process_count);
    f->next = whose + 1 == f->process_count ? 0 : whose + 1;
    f->finder = LEADER;
    if (f->own != LEADER) {
        *known = (struct glimpse){.key = key, .is_fruitless = true};
        return whose != f->own;
    }
    if (f->workers[whose].process == 0) {
        return false;
    }
    *known = (struct glimpse){0};
    if (!hear(f->workers[whose].fd, known) || known->key != key) {
        dismiss(f, whose);
        return false;
    }
    f->finder = known->is_fruitless ? LEADER : whose;
    return known->is_fruitless;
}

/* The pipe takes a message of this size as a whole. */
static void tell(const struct speculation *f, const struct glimpse *g)
{
    if (write(f->fd, g, sizeof *g) != (ssize_t)sizeof *g) {
        _exit(0);
    }
}

void speculation_note(struct speculation *f, const struct glimpse *g)
{
    if (f == NULL || f->is_alone) {
        return;
    }
    if (f->own != LEADER) {
        tell(f, g);
        return;
    }
    if (!g->is_fruitless) {
        dismiss_all_but(f, f->finder);
        return;
    }
    if (f->finder != LEADER) {
        dismiss(f, f->finder); /* the worker's result was wrong */
        f->finder = LEADER;
    }
    if (f->worker_count + 1 == f->process_count) {
        return;
    }
    const uint64_t now = limit_now_ns();
    if (f->since_ns == 0) {
        f->since_ns = now;
    } else if (now - f->since_ns > patience_ns) {
        begin_missing_workers(f);
    }
}
