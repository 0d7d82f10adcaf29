/* Runs: where the process waits for plans, and how a run begins and ends. */
#include "runtime/control/sched/run_control.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/hooks/syscall_dispatch.h"
#include "runtime/control/model/call_stack.h"
#include "runtime/control/model/call_tree.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/heap.h"
#include "runtime/control/model/pending_signals.h"
#include "runtime/control/model/proc_paths.h"
#include "runtime/control/model/timers.h"
#include "runtime/control/sched/gdb_stops.h"
#include "runtime/control/sched/image.h"
#include "runtime/control/sched/shared_segment.h"
#include "runtime/control/sched/task.h"
#include "runtime/control/sched/watchdog.h"
#include "runtime/control/sched/watched_variables.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"
#include "wire/must.h"

struct control *control;
bool control_is_running;
uint64_t control_image;

/* Until the page is there, and where nothing is controlled. */
static struct run_state nothing;
struct run_state *run_state = &nothing;
struct process *process_self = &nothing.processes[0];

/* What the program's main is given; its own copies, because it may change them. */
static struct {
    int (*run)(int, char **, char **);
    int count;
    char **arguments;
    char **environment;
} program;

/* The number of the process whose program this one has replaced; -1: it is the first. */
static int image_process = -1;

/* Who waits for plans, while fibers run. */
static struct fiber server;

static const struct pick_limits limits = {.task_max = CONTROL_TASKS_MAX,
                                          .pending_max = CONTROL_OFFERS_MAX,
                                          .object_max = 1024,
                                          .constraint_max = CONTROL_CONSTRAINTS_MAX,
                                          .asleep_max = 4096,
                                          .point_max = CONTROL_POINTS_MAX,
                                          .is_by_task = true,
                                          .action_max = 4096,
                                          .block_count = CONTROL_BLOCKS_MAX};

/* The turn between clew and the process */

static void give_turn(enum control_word word)
{
    control->word = word;
    /* Pairs with the acquire in clew: what was written before is there. */
    atomic_store_explicit(&control->turn, CONTROL_OF_CLEW, memory_order_release);
    (void)sys(SYS_futex, &control->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void await_turn(void)
{
    while (atomic_load_explicit(&control->turn, memory_order_acquire) != CONTROL_OF_PROCESS) {
        (void)sys(SYS_futex, &control->turn, FUTEX_WAIT, CONTROL_OF_CLEW, NULL, NULL, 0);
    }
}

void control_ask(enum control_word word)
{
    const int saved = errno;
    give_turn(word);
    await_turn();
    errno = saved;
}

/* The end of a run */

static void tell_block(const struct ending *e)
{
    struct control_result *r = &control->result;
    struct heap_block b = {0};
    if (e->end == CONTROL_MISUSED) {
        (void)heap_find(e->address, &b);
    }
    r->block.size = b.size;
    r->block.place = b.place;
    r->block.owner = b.owner;
    r->block.freed_place = b.is_freed ? b.freed_place : 0;
    r->block.freer = b.freer;
    r->block.call_count = callers_list(b.callers, r->block.calls, CONTROL_CALLS_MAX);
    r->block.freed_call_count =
        callers_list(b.is_freed ? b.freed_callers : 0, r->block.freed_calls, CONTROL_CALLS_MAX);
    stack_tag(r->block.calls, r->block.call_count);
    stack_tag(r->block.freed_calls, r->block.freed_call_count);
}

static bool wants_stack(enum control_end end)
{
    return end == CONTROL_CRASHED || end == CONTROL_ASSERTED || end == CONTROL_MISUSED;
}

/* Who tells of something is not where it happened. */
static void drop_teller(const struct ending *e)
{
    struct control_result *r = &control->result;
    uint32_t told = 0;
    for (uint32_t i = 0; e->teller != NULL && i < r->stack_count; i++) {
        Dl_info at = {0};
        if (dladdr((const void *)(r->stack[i] - 1), &at) != 0 && at.dli_sname != NULL &&
            strncmp(at.dli_sname, e->teller, strlen(e->teller)) == 0) {
            told = i + 1;
        }
    }
    r->stack_count -= told;
    memmove(r->stack, r->stack + told, r->stack_count * sizeof *r->stack);
}

/* Where the program is: the fault, the innermost call of its own, or what its task was about to do.
 */
static const void *place_of_end(const struct ending *e)
{
    const struct control_result *r = &control->result;
    if (e->place != NULL || r->stack_count == 0) {
        return e->place != NULL ? e->place : control_self->act.place;
    }
    return (const void *)r->stack[0];
}

_Noreturn void control_end(const struct ending *e)
{
    if (control_is_on) {
        watch_look(NULL);
    }
    /* A run that took too long was interrupted anywhere: nothing of the process is used again. */
    const bool is_overdue = e->end == CONTROL_HUNG || e->end == CONTROL_WAITED;
    control_is_running = false;
    trap_off();
    struct control_result *r = &control->result;
    r->end = e->end;
    r->value = e->value;
    r->address = e->address;
    r->clock = control_clock;
    r->stack_count = 0;
    text_copy(r->text, sizeof r->text, e->text == NULL ? "" : e->text);
    if (wants_stack(e->end)) {
        r->stack_count = stack_take(r->stack, CONTROL_STACK_MAX, e->place);
        drop_teller(e);
        stack_tag(r->stack, r->stack_count);
    }
    tell_block(e);
    sched_tell(is_overdue ? e->place : NULL);
    if (control->stop_count != 0) {
        stop_end(e->end, place_of_end(e));
    }
    r->number = control->plan.number;
    if (control->mode == CONTROL_FIBER && !is_overdue) {
        struct fiber ended;
        fiber_switch(&ended, &server);
    }
    process_end_others();
    give_turn(CONTROL_DONE);
    process_end_first(); /* last, because the server waits for its end */
    (void)sys(SYS_exit_group, 0);
    __builtin_unreachable();
}

void control_outside(const char *call)
{
    if (!control_is_on) {
        return;
    }
    struct control_result *r = &control->result;
    for (uint32_t i = 0; i < r->outside_count; i++) {
        if (strncmp(r->outside[i], call, CONTROL_OUTSIDE_SIZE - 1) == 0) {
            return;
        }
    }
    if (r->outside_count < CONTROL_OUTSIDES_MAX) {
        text_copy(r->outside[r->outside_count++], CONTROL_OUTSIDE_SIZE, call);
    }
}

void control_changed(void)
{
    if (control_is_on) {
        control->result.is_changed_outside = 1;
    }
}

struct control_report *control_report(enum event_kind kind, const char *name, int64_t value,
                                      const void *place)
{
    struct control_result *r = &control->result;
    struct control_report *reports = control_region(CONTROL_PLACE(REPORTS));
    if (!control_is_on || r->report_count >= CONTROL_REPORTS_SIZE / sizeof *reports) {
        return NULL;
    }
    struct control_report *told = &reports[r->report_count++];
    *told = (struct control_report){.place = control_place(place),
                                    .value = value,
                                    .step = (uint32_t)r->step_count,
                                    .task = control_self->number,
                                    .kind = (uint16_t)kind};
    text_copy(told->name, sizeof told->name, name);
    if (control->stop_count != 0) {
        stop_report(r->report_count, place);
    }
    return told;
}

void control_report_object(enum event_kind kind, const char *name,
                           const struct control_object *object, const void *place)
{
    struct control_report *told = control_report(kind, name, 0, place);
    if (told != NULL) {
        told->object = *object;
    }
}

struct control_report *control_report_channel(enum event_kind kind, const void *channel,
                                              int64_t message, const void *place)
{
    struct control_report *told = NULL;
    if (control_is_on) {
        const struct object o = object_of(channel, place);
        char name[sizeof((struct control_report *)0)->name];
        object_print(&o, name, sizeof name);
        told = control_report(kind, name, message, place);
        if (told != NULL) {
            told->object = (struct control_object){
                .key = o.key, .ordinal = o.ordinal, .offset = o.offset, .owner = o.owner};
        }
    }
    return told;
}

/* The beginning of a run */

static void signal_ended(int signal, siginfo_t *info, void *context)
{
    if (!control_is_on) {
        (void)sys(SYS_exit_group, 128 + signal);
    }
    if (signals_handle_fault(signal, info, context)) {
        return;
    }
    const void *place = NULL;
#ifdef __x86_64__
    place = (const void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#else
    (void)context;
#endif
    control_end(&(struct ending){.end = CONTROL_CRASHED,
                                 .value = signal,
                                 .address = (uintptr_t)info->si_addr,
                                 .place = place});
}

static void catch_signals(void)
{
    enum { STACK_SIZE = 1 << 16 };
    static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    static char *stack;
    if (stack == NULL) {
        stack = rewind_exempt(STACK_SIZE);
    }
    const stack_t other = {.ss_sp = stack, .ss_size = STACK_SIZE};
    (void)sigaltstack(&other, NULL);
    struct sigaction action = {.sa_sigaction = signal_ended,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        (void)libc.sigaction(caught[i], &action, NULL);
    }
}

static struct pick_plan read_plan(void)
{
    const struct control_plan *p = &control->plan;
    return (struct pick_plan){
        .turns = control_region(CONTROL_PLACE(TURNS)),
        .turn_count = p->turn_count,
        .is_fair = p->is_fair != 0,
        .is_lenient = p->is_lenient != 0,
        .steps_first = p->steps_first,
        .wants = p->has_wants != 0 ? control_region(CONTROL_PLACE(WANTS)) : NULL,
        .want_count = p->want_count,
        .constraints = control_region(CONTROL_PLACE(CONSTRAINTS)),
        .constraint_count = p->constraint_count,
        .wishes = control_region(CONTROL_PLACE(WISHES)),
        .wish_count = p->wish_count,
        .points = p->points_number != 0 ? control_region(CONTROL_PLACE(POINTS)) : NULL,
        .point_count = p->point_count,
        .points_number = p->points_number,
        .asleep = control_region(CONTROL_PLACE(ASLEEP)),
        .asleep_count = p->asleep_count,
        .strategy = p->strategy,
        .depth = p->depth,
        .length = p->length,
        .seed = p->seed,
    };
}

static struct pick *pick(void)
{
    void *memory = control_region(CONTROL_PLACE(PICK));
    if (control->is_pick_begun == 0) {
        must(pick_size(&limits) <= CONTROL_PICK_SIZE);
        (void)pick_init(memory, &limits);
        control->is_pick_begun = 1;
    }
    return memory;
}

static void begin_run(void)
{
    const struct pick_plan plan = read_plan();
    struct control_result *r = &control->result;
    r->step_count = 0;
    r->pending_count = 0;
    r->pending_last = 0;
    r->report_count = 0;
    r->outside_count = 0;
    r->is_changed_outside = 0;
    r->has_idled = 0;
    r->has_looked = 0;
    r->has_drawn = 0;
    r->has_waited = 0;
    r->has_weak_order = 0;
    r->has_preempted = 0;
    r->has_listened = 0;
    r->has_accepted = 0;
    r->end = CONTROL_UNENDED;
    object_begin();
    cover_begin();
    end_begin();
    signals_begin();
    timer_begin();
    heap_begin();
    process_begin();
    task_begin();
    clock_begin();
    sched_begin(&plan, pick());
    control_is_running = true;
    sanitizer_begin();
    trap_on();
    watch_begin();
}

static void *run_main(void *unused)
{
    (void)unused;
    libc_exit(program.run(program.count, program.arguments, program.environment));
}

static void first_fiber(void)
{
    task_run_first(run_main);
}

/* Waiting for plans */

/* How many threads the process has beside the calling one: made before main by clone, or inside of
 * libc. */
static uint32_t other_threads(void)
{
    enum { ITSELF = 3 }; /* a directory's name, its own entry, and the calling thread's */
    struct stat directory;
    return sys(SYS_stat, "/proc/self/task", &directory) == 0 && directory.st_nlink > ITSELF
               ? (uint32_t)directory.st_nlink - ITSELF
               : 0;
}

/* A run begins in the calling process, which makes no other. */
static void enter_run(void)
{
    catch_signals();
    watchdog_start();
    trap_start();
    begin_run();
    stop_name(control_self);
}

static void report_death(uint64_t number, int status)
{
    struct control_result *r = &control->result;
    r->end = WIFSIGNALED(status) ? CONTROL_CRASHED : CONTROL_UNENDED;
    r->value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    r->stack_count = 0;
    r->stand_count = 0;
    r->text[0] = 0;
    r->number = number;
    give_turn(CONTROL_DONE);
}

/* Forks a child for each plan; returns in every child. */
static void fork_runs(void)
{
    (void)sys(SYS_prctl, (long)PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
    control_ask(CONTROL_READY);
    while (true) {
        const uint64_t number = control->plan.number;
        const pid_t child = libc.fork();
        if (child == 0) {
            return;
        }
        int status = 0;
        control->runner = child;
        while (child > 0 && sys(SYS_wait4, child, &status, 0L, NULL) != child) {
        }
        while (sys(SYS_wait4, -1L, NULL, (long)WNOHANG, NULL) > 0) { /* those that it left */
        }
        if (control->result.number != number) {
            report_death(number, status);
        }
        await_turn();
    }
}

/* The first fiber has a stack of its own, so that ours is not part of the run. Returns where memory
 * is too large to be put back. */
static void serve_fibers(void)
{
    catch_signals();
    watchdog_start();
    trap_start();
    if (!rewind_save()) {
        return;
    }
    control_ask(CONTROL_READY);
    while (true) {
        begin_run();
        fiber_make(&tasks[0], 0, first_fiber);
        fiber_switch(&server, &tasks[0].fiber);
        end_restore();
        signals_restore();
        rewind_restore();
        control_ask(CONTROL_DONE);
    }
}

/* What the first task has when runs begin. */
static void settle(void)
{
    control->server = (int32_t)sys(SYS_getpid);
    control->threads_before = other_threads();
    task_save();
    signals_save();
    if (control->can_fiber == 0 && control->mode <= CONTROL_FORK) {
        control->mode = CONTROL_THREAD;
    }
}

/* Waits for a plan and returns where it is to be followed: in a child, or in a process of one run.
 */
static void await_plan(void)
{
    if (control->mode == CONTROL_EXEC) {
        control_ask(CONTROL_READY);
        control->runner = control->server;
    } else {
        fork_runs();
    }
}

/* The caller has taken the place of a program in the middle of a run, and goes on with its turn. */
static void enter_image(void)
{
    catch_signals();
    watchdog_start();
    trap_start();
    object_begin_image();
    cover_begin();
    heap_begin();
    process_exec();
    control_is_running = true;
    sanitizer_begin();
    trap_on();
}

extern void *__libc_stack_end; /* where the first thread's stack begins */

static int serve(int count, char **arguments, char **environment)
{
    (void)count;
    (void)arguments;
    (void)environment;
    if (control_is_on) {  /* since a constructor made a thread */
        object_modules(); /* later constructors told whose accesses are visible */
        task_run_first(run_main);
    }
    if (image_process >= 0) {
        enter_image();
        task_run_first(run_main);
    }
    settle();
    if (control->mode == CONTROL_FIBER) {
        serve_fibers();
        control->mode = CONTROL_FORK;
    }
    await_plan();
    enter_run();
    task_run_first(run_main);
}

/* Starting */

/* The last of all that runs at exit, because it was registered before all else. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    if (!control_is_on) {
        return;
    }
    if (control->wants_output != 0 || run_state->process_count > 1) { /* others may read it */
        (void)fflush(NULL);
    }
    process_finish(W_EXITCODE(status, 0));
}

static char **copy_words(char **words, int count)
{
    char **copy = heap_take((size_t)(count + 1) * sizeof *copy, 16, NULL);
    for (int i = 0; i < count; i++) {
        const size_t size = strlen(words[i]) + 1;
        copy[i] = heap_take(size, 16, NULL);
        memcpy(copy[i], words[i], size);
    }
    copy[count] = NULL;
    return copy;
}

/* The variable is "FD", or "FD:PROCESS" for a program that takes the place of another one. */
static bool open_page(void)
{
    const char *word = getenv(CONTROL_VARIABLE);
    if (word == NULL || getauxval(AT_SECURE) != 0) {
        return false;
    }
    char *rest = NULL;
    const int fd = (int)strtol(word, &rest, 10);
    image_process = *rest == ':' ? (int)strtol(rest + 1, NULL, 10) : -1;
    void *page = (void *)sys(SYS_mmap, CONTROL_ADDRESS, CONTROL_SIZE, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0L);
    if (page != (void *)CONTROL_ADDRESS) {
        return false;
    }
    control = page;
    image_keep_page(fd);
    return control->magic == CONTROL_MAGIC && control->version == CONTROL_VERSION &&
           image_process < PROCESSES_MAX;
}

__attribute__((constructor(101))) static void start(void)
{
    static bool is_started;
    if (is_started) {
        return;
    }
    is_started = true;
    if (!open_page()) {
        control = NULL;
        return;
    }
    control->is_loaded = 1;
    (void)unsetenv(CONTROL_VARIABLE);
    image_unset_preload();
    segment_start(image_process < 0);
    run_state = segment_take(sizeof *run_state);
    process_self = &run_state->processes[image_process < 0 ? 0 : image_process];
    task_start();
    sched_start();
    object_start();
    cover_start();
    lock_start();
    path_start();
    callers_start();
    end_start();
    signals_start();
    timer_start();
    ready_start();
    stack_start();
    if (image_process < 0) {
        stop_start();
    }
    process_start();
    control->can_fiber = fiber_is_possible();
    (void)on_exit(at_exit, NULL);
}

/* A fiber's stack would have to begin in the middle of the loader's calls, so runs are forked. */
void control_begin_early(void)
{
    start(); /* ours may not be the first constructor */
    if (control == NULL || control_is_on) {
        return;
    }
    if (image_process >= 0) {
        enter_image();
        control_self->bottom = __libc_stack_end;
        return;
    }
    settle();
    if (control->mode == CONTROL_FIBER) {
        control->mode = CONTROL_FORK;
    }
    await_plan();
    enter_run();
    control_self->bottom = __libc_stack_end;
}

/* The program's main is run when a plan has come. */
RT_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments,
                                void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                                void *stack_end);
/* NOLINTNEXTLINE(readability-function-size): libc calls it so */
RT_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments,
                                void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                                void *stack_end)
{
    if (control == NULL) {
        return libc.__libc_start_main(main, count, arguments, init, fini, rtld_fini, stack_end);
    }
    program.run = main;
    program.count = count;
    program.arguments = copy_words(arguments, count);
    program.environment = environ;
    return libc.__libc_start_main(serve, count, arguments, init, fini, rtld_fini, stack_end);
}
