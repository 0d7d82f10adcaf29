#include "minimize/foresight.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/seam.h"

/* Making workers takes about a millisecond: they begin once so much time went into what was
 * fruitless. */
static const uint64_t patience_ns = 5000000;

struct worker {
    pid_t process;
    int fd; /* what it tells */
};

struct foresight {
    uint32_t worker_count;
    struct worker *workers;
    bool has_workers;
    bool is_worker;
    uint32_t own;      /* of a worker: which it is ... */
    int fd;            /* ... and where it tells */
    uint32_t next;     /* whose the next candidate is */
    uint64_t since_ns; /* when the first of the fruitless ones was run; 0: there is none */
    bool is_alone;     /* no worker could be made */
    cpu_set_t allowed; /* processors: those of workers, where running a program binds to one */
};

struct foresight *foresight_new(uint32_t worker_count)
{
    if (worker_count < 2) {
        return NULL;
    }
    struct foresight *f = mem_zero(1, sizeof *f);
    f->worker_count = worker_count;
    f->workers = mem_zero(worker_count, sizeof *f->workers);
    (void)sched_getaffinity(0, sizeof f->allowed, &f->allowed);
    return f;
}

bool foresight_is_worker(const struct foresight *f)
{
    return f != NULL && f->is_worker;
}

bool foresight_is_on(const struct foresight *f)
{
    return f != NULL && (f->is_worker || f->has_workers);
}

static void dismiss(struct foresight *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        (void)close(f->workers[i].fd);
        (void)kill(f->workers[i].process, SIGKILL);
    }
    for (uint32_t i = 0; i < count; i++) {
        while (waitpid(f->workers[i].process, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    f->has_workers = false;
    f->since_ns = 0;
}

void foresight_end(struct foresight *f)
{
    if (foresight_is_worker(f)) {
        _exit(0);
    }
    if (f != NULL && f->has_workers) {
        dismiss(f, f->worker_count);
    }
}

void foresight_free(struct foresight *f)
{
    if (f != NULL) {
        foresight_end(f);
        mem_free(f->workers);
        mem_free(f);
    }
}

/* In the new process. It may be too late to die with the leader. */
static void be_worker(struct foresight *f, uint32_t own, int fd, pid_t leader)
{
    for (uint32_t i = 0; i < own; i++) {
        (void)close(f->workers[i].fd);
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != leader) {
        _exit(0);
    }
    (void)sched_setaffinity(0, sizeof f->allowed, &f->allowed);
    f->is_worker = true;
    f->own = own;
    f->fd = fd;
}

/* One more; false when it cannot be made. Returns in both processes. */
static bool begin_worker(struct foresight *f, uint32_t own)
{
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
    }
    return process >= 0;
}

static void begin_workers(struct foresight *f)
{
    f->next = 0;
    for (uint32_t i = 0; i < f->worker_count && !f->is_worker; i++) {
        if (!begin_worker(f, i)) {
            dismiss(f, i);
            f->is_alone = true;
            return;
        }
    }
    f->has_workers = !f->is_worker;
}

static bool hear(int fd, struct glimpse *g)
{
    ssize_t got;
    do {
        got = seam_fails() ? seam_failure(EIO) : read(fd, g, sizeof *g);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *g;
}

bool foresight_knows(struct foresight *f, uint64_t key, struct glimpse *known)
{
    if (!foresight_is_on(f)) {
        return false;
    }
    const uint32_t whose = f->next;
    f->next = whose + 1 == f->worker_count ? 0 : whose + 1;
    if (f->is_worker) {
        *known = (struct glimpse){.key = key, .replays = 1, .is_fruitless = true};
        return whose != f->own;
    }
    *known = (struct glimpse){0};
    if (!hear(f->workers[whose].fd, known) || known->key != key || !known->is_fruitless) {
        dismiss(f, f->worker_count);
        return false;
    }
    return true;
}

/* Less than a pipe takes at once is told as a whole. */
static void tell(const struct foresight *f, const struct glimpse *g)
{
    if (write(f->fd, g, sizeof *g) != (ssize_t)sizeof *g || !g->is_fruitless) {
        _exit(0);
    }
}

void foresight_note(struct foresight *f, const struct glimpse *g)
{
    if (f == NULL || f->is_alone) {
        return;
    }
    if (f->is_worker) {
        tell(f, g);
        return;
    }
    const uint64_t now = limit_now_ns();
    if (!g->is_fruitless) {
        f->since_ns = 0;
    } else if (f->since_ns == 0) {
        f->since_ns = now;
    } else if (now - f->since_ns > patience_ns) {
        begin_workers(f);
    }
}
