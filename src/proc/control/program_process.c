/* The controlled process: started, given plans, answered, ended. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/limit.h"
#include "base/out.h"
#include "proc/control/program_state.h"

enum { LOOK_NS = 20 * 1000 * 1000 };
static const uint64_t hang_ns_default = UINT64_C(10000000000);
static const uint64_t last_words_ns = UINT64_C(10000000000);

uint64_t process_limit_ns(const struct controlled *c)
{
    return c->options.hang_ns == 0 ? hang_ns_default : c->options.hang_ns;
}

int process_page(struct controlled *c, struct err *e)
{
    c->page_fd = seam_fails() ? -1 : memfd_create("clew-control", 0);
    if (c->page_fd < 0 || seam_fails() || ftruncate(c->page_fd, CONTROL_SIZE) < 0) {
        return err_set(e, "no memory to share with a program could be made: %s", strerror(errno));
    }
    void *page = seam_fails() ? MAP_FAILED
                              : mmap(NULL, CONTROL_SIZE, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_NORESERVE, c->page_fd, 0);
    if (page == MAP_FAILED) {
        return err_set(e, "no memory to share with a program could be mapped: %s", strerror(errno));
    }
    c->page = page;
    c->owner = getpid();
    c->page->magic = CONTROL_MAGIC;
    c->page->version = CONTROL_VERSION;
    c->page->text_size = 1; /* so that 0 is no text */
    return 0;
}

/* The turn */

static void give_turn(struct controlled *c)
{
    /* Pairs with the acquire in the process: the plan is whole before it is seen. */
    atomic_store_explicit(&c->page->turn, CONTROL_OF_PROCESS, memory_order_release);
    (void)syscall(SYS_futex, &c->page->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static bool has_turn(const struct controlled *c)
{
    return atomic_load_explicit(&c->page->turn, memory_order_acquire) == CONTROL_OF_CLEW;
}

/* Whether the process has died; its status is kept. */
static bool is_dead(struct controlled *c)
{
    if (c->server == 0) {
        return true;
    }
    if (waitpid(c->server, &c->server_status, WNOHANG) != c->server) {
        return false;
    }
    c->server = 0;
    return true;
}

/* How long the process is waited for. A process that the machine gives no time is not hung: beyond
 * the limit it is waited for as long as it computes, until it has had half of the limit of
 * processor time, or ten times the limit has passed. */
struct patience {
    uint64_t limit_ns; /* UINT64_MAX: for ever */
    uint64_t begin_ns;
    pid_t pid; /* that had used so much processor time when it was first looked at; 0: it was not */
    uint64_t cpu_begin_ns;
    uint64_t next_ns;              /* when it is looked at again */
    uint64_t seen_ns, cpu_seen_ns; /* when it was looked at last, and what it had used */
};

enum { PATIENCE_FACTOR = 10, CPU_DIVISOR = 2, IDLE_DIVISOR = 50, LOOK_DIVISOR = 4 };

static pid_t running(const struct controlled *c)
{
    return c->page->runner > 0 ? c->page->runner : c->server;
}

static struct patience patience_for(uint64_t limit_ns)
{
    struct patience p = {.limit_ns = limit_ns, .begin_ns = limit_now_ns()};
    p.next_ns = limit_ns == UINT64_MAX ? UINT64_MAX : p.begin_ns + limit_ns;
    p.seen_ns = p.begin_ns;
    return p;
}

static bool patience_is_over(const struct controlled *c, struct patience *p)
{
    const uint64_t now = limit_now_ns();
    if (p->pid == 0 && running(c) > 0) { /* most runs end before, and asking takes time */
        p->pid = running(c);
        p->cpu_begin_ns = limit_processor_ns_of(p->pid);
    }
    if (now < p->next_ns) {
        return false;
    }
    const pid_t pid = running(c);
    const uint64_t used = limit_processor_ns_of(pid);
    const uint64_t before = pid == p->pid ? p->cpu_begin_ns : 0;
    const uint64_t cpu = used > before ? used - before : 0;
    const uint64_t since = cpu > p->cpu_seen_ns ? cpu - p->cpu_seen_ns : 0;
    const bool is_idle = since < (now - p->seen_ns) / IDLE_DIVISOR;
    p->seen_ns = now;
    p->cpu_seen_ns = cpu;
    p->next_ns = now + p->limit_ns / LOOK_DIVISOR;
    return is_idle || cpu >= p->limit_ns / CPU_DIVISOR ||
           now - p->begin_ns >= PATIENCE_FACTOR * p->limit_ns;
}

enum waited { WAITED_TURN, WAITED_DEAD, WAITED_HUNG };

static enum waited await_turn(struct controlled *c, struct patience *patience)
{
    while (!has_turn(c)) {
        const struct timespec pause = {.tv_nsec = LOOK_NS};
        const long slept =
            syscall(SYS_futex, &c->page->turn, FUTEX_WAIT, CONTROL_OF_PROCESS, &pause, NULL, 0);
        if (slept == 0 || errno != ETIMEDOUT || has_turn(c)) {
            continue;
        }
        if (is_dead(c)) {
            return has_turn(c) ? WAITED_TURN : WAITED_DEAD;
        }
        if (patience_is_over(c, patience)) {
            return WAITED_HUNG;
        }
    }
    return WAITED_TURN;
}

/* Starting */

/* One processor for all that take turns: handing over is then many times faster. */
static void stay_on_one(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) {
        return;
    }
    int nth = (int)getpid() % CPU_COUNT(&allowed);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &allowed) || nth-- > 0) {
        cpu++;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

static void redirect(const struct controlled *c)
{
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0) {
        return;
    }
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(c->options.shows_output ? STDERR_FILENO : nothing, STDOUT_FILENO);
    if (!c->options.shows_output) {
        (void)dup2(nothing, STDERR_FILENO);
    }
    (void)close(nothing);
}

/* In the child, between fork and exec. It dies with its parent, and Ctrl-C is not for it. */
_Noreturn static void become(const struct controlled *c)
{
    char preload[2 * PATH_MAX];
    char number[16];
    const char *before = getenv("LD_PRELOAD");
    (void)snprintf(preload, sizeof preload, "%s%s%s", c->install.control, before == NULL ? "" : ":",
                   before == NULL ? "" : before);
    (void)snprintf(number, sizeof number, "%d", c->page_fd);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (c->is_debugged) {
        out_rejoin();
        debug_become(c);
        c->page->server = -errno;
        _exit(126);
    }
    if (c->files != NULL && chdir(private_files_lower(c->files)) < 0) {
        c->page->server = -errno;
        _exit(126);
    }
    (void)setpgid(0, 0);
    (void)personality(ADDR_NO_RANDOMIZE);
    redirect(c);
    if (setenv("LD_PRELOAD", preload, 1) == 0 && setenv(CONTROL_VARIABLE, number, 1) == 0 &&
        setenv("LD_BIND_NOW", "1", 1) == 0) {
        (void)(c->cluster.root != NULL ? execv(c->install.launcher, c->command.at)
                                       : execvp(c->program, c->options.command));
    }
    c->page->server = -errno;
    _exit(126);
}

/* Forks the process that becomes the program, or a debugger of it. */
static int spawn(struct controlled *c, struct err *e)
{
    stay_on_one();
    c->page->server = 0;
    c->page->runner = 0;
    c->page->clew = (int32_t)getpid();
    c->page->is_loaded = 0;
    c->page->is_overdue = 0;
    c->page->threads_before = 0;
    c->page->mode = c->mode;
    c->page->wants_output = c->options.shows_output;
    c->page->spurious_max = c->options.spurious_max;
    atomic_store(&c->page->turn, CONTROL_OF_PROCESS);
    const pid_t pid = seam_fails() ? -1 : fork();
    if (pid < 0) {
        return err_set(e, "no process could be made: %s", strerror(errno));
    }
    if (pid == 0) {
        become(c);
    }
    c->server = pid;
    return 0;
}

/* Why the program did not reach its main. */
static int refuse(const struct controlled *c, bool is_dead, struct err *e)
{
    const char *program = c->options.command[0];
    const char *when = c->page->is_loaded != 0
                           ? "before its main, in a constructor of its own or of a library"
                           : "before clew's library was loaded into it: it is static, setuid or a "
                             "script, or the loader failed";
    if (is_dead && WIFSIGNALED(c->server_status)) {
        const char *name = sigabbrev_np(WTERMSIG(c->server_status));
        return err_set(e, "%s: cannot be controlled: it ended with SIG%s %s", program,
                       name == NULL ? "?" : name, when);
    }
    if (is_dead) {
        return err_set(e, "%s: cannot be controlled: it ended with status %d %s", program,
                       WEXITSTATUS(c->server_status), when);
    }
    return c->page->is_loaded != 0
               ? err_set(e,
                         "%s: cannot be controlled: it did not reach its main within %llu s; a "
                         "constructor of its own or of a library waits or computes",
                         program, (unsigned long long)(hang_ns_default / UINT64_C(1000000000)))
               : err_set(e,
                         "%s: cannot be controlled: clew's library is not loaded into it; it is "
                         "static, setuid or a script",
                         program);
}

static int start(struct controlled *c, struct err *e)
{
    if (spawn(c, e) < 0) {
        return -1;
    }
    struct patience patience = patience_for(hang_ns_default);
    const enum waited waited = await_turn(c, &patience);
    if (waited == WAITED_TURN) {
        if (c->page->threads_before > 0) {
            process_stop(c);
            return err_set(
                e,
                "%s: cannot be controlled: a constructor of its own or of a library makes "
                "a thread by a system call of its own, or libc makes one, before main; make it "
                "by pthread_create, or in main",
                c->options.command[0]);
        }
        c->mode = c->page->mode;
        return watch_put(c, e);
    }
    process_stop(c);
    if (c->page->server < 0) {
        return err_set(e, "%s: cannot be run: %s", c->options.command[0],
                       strerror(-c->page->server));
    }
    return refuse(c, waited == WAITED_DEAD, e);
}

void process_stop(struct controlled *c)
{
    if (c->server > 0 && c->owner == getpid()) {
        if (!c->is_debugged) { /* the program and what it has forked are a group of their own */
            (void)kill(-c->server, SIGKILL);
        } else if (c->page->runner > 0) {
            (void)kill(c->page->runner, SIGKILL);
        }
        (void)kill(c->server, SIGKILL);
        while (waitpid(c->server, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    c->server = 0;
}

void process_close(struct controlled *c)
{
    if (c->page != NULL) {
        process_stop(c);
        (void)munmap(c->page, CONTROL_SIZE);
    }
    if (c->page_fd >= 0) {
        (void)close(c->page_fd);
    }
}

int process_own_page(struct controlled *c, struct err *e)
{
    if (c->owner == getpid()) {
        return 0;
    }
    struct control *shared = c->page;
    const int shared_fd = c->page_fd;
    if (process_page(c, e) < 0) {
        return -1;
    }
    (void)munmap(shared, CONTROL_SIZE);
    (void)close(shared_fd);
    c->server = 0;
    return 0;
}

/* The process ended in the middle of a run, and nobody in it could say how. */
static void note_death(struct controlled *c, bool is_hung)
{
    struct control_result *r = &c->page->result;
    r->number = c->page->plan.number;
    r->stack_count = 0;
    r->stand_count = 0;
    r->text[0] = '\0';
    r->end = is_hung ? CONTROL_HUNG : CONTROL_UNENDED;
    r->value = WEXITSTATUS(c->server_status);
    if (!is_hung && WIFSIGNALED(c->server_status)) {
        r->end = CONTROL_CRASHED;
        r->value = WTERMSIG(c->server_status);
    }
}

/* What the process asks for in the middle of a run. */
static int answer(struct controlled *c, struct err *e)
{
    if (c->page->word == CONTROL_ASK_PATH) {
        return files_answer(c, e);
    }
    return name_answer(c, c->page->key, e);
}

/* The run takes too long. It is asked to tell where its tasks stand and to end, and is ended if it
 * does not. */
static void end_overdue(struct controlled *c)
{
    struct patience patience = patience_for(last_words_ns);
    c->page->is_overdue = 1;
    (void)kill(running(c), SIGSTKFLT); /* runtime/control/sched/watchdog.h */
    const enum waited waited = await_turn(c, &patience);
    process_stop(c);
    if (waited != WAITED_TURN || c->page->word != CONTROL_DONE) {
        note_death(c, true);
    }
}

int process_run(struct controlled *c, struct err *e)
{
    if ((c->server == 0 || is_dead(c)) && start(c, e) < 0) {
        return -1;
    }
    struct patience patience = patience_for(process_limit_ns(c));
    while (true) {
        give_turn(c);
        const enum waited waited = await_turn(c, &patience);
        if (waited == WAITED_HUNG) {
            end_overdue(c);
            return 0;
        }
        if (waited == WAITED_DEAD) {
            process_stop(c);
            note_death(c, false);
            return 0;
        }
        if (c->page->word == CONTROL_DONE) {
            break;
        }
        if (answer(c, e) < 0) {
            return -1;
        }
    }
    if (c->mode == CONTROL_EXEC) {
        process_stop(c);
    }
    return 0;
}

/* A program that is started again in the debugger is given the same plan again. */
static int serve_debugger(struct controlled *c, struct err *e)
{
    struct patience patience = patience_for(UINT64_MAX);
    c->is_left = true;
    while (await_turn(c, &patience) == WAITED_TURN) {
        switch ((enum control_word)c->page->word) {
        case CONTROL_READY:
            c->is_left = true;
            files_begin(c); /* what an earlier start changed is gone */
            if (watch_put(c, e) < 0) {
                return -1;
            }
            break;
        case CONTROL_DONE: c->is_left = false; break;
        case CONTROL_NAME:
        case CONTROL_ASK_PATH:
            if (answer(c, e) < 0) {
                return -1;
            }
            break;
        }
        give_turn(c);
    }
    return 0;
}

/* Ctrl-C on the terminal is for the debugger. */
int process_debug(struct controlled *c, struct err *e)
{
    struct sigaction before;
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    process_stop(c);
    c->mode = CONTROL_EXEC;
    if (spawn(c, e) < 0) {
        return -1;
    }
    (void)sigaction(SIGINT, &ignored, &before);
    const int result = serve_debugger(c, e);
    (void)sigaction(SIGINT, &before, NULL);
    process_stop(c);
    if (result == 0 && c->page->server < 0) {
        return err_set(e, "gdb: cannot be run: %s; install it (apt install gdb)",
                       strerror(-c->page->server));
    }
    return result;
}
