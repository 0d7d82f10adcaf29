/* Guards the explorer against the handlers: faults of the processor, endless loops and endless
 * waits end the run, not the program. The jump leaves the handler's frames behind; nothing in them
 * is needed, because all the system's memory is rewound before the next run. */
#include "sim/handler_guard.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/limit.h"
#include "sim/backtrace.h"
#include "sim/debugger_stop.h"
#include "sim/exit_calls.h"
#include "sim/net.h"
#include "sim/sim_api.h"
#include "sim/state_hash.h"
#include "sim/variables.h"

enum { ALTERNATE_STACK_SIZE = 64 << 10 };

/* A step that takes this many ticks of processor time is a loop. */
enum { TICK_US = 100000, TICKS_MAX = 20 };

/* A handler that takes less processor time than this in that many seconds waits. A process that
 * shares its processor takes more, and one that was stopped counts a second when it goes on. Calls
 * that a signal interrupts and that are not restarted, such as a sleep, end with the first alarm.
 */
enum { ALARM_S = 1, ALARMS_MAX = 3, WAIT_NS = 1000000 };

enum ending { ENDED_ITSELF, ENDED_BY_US, ENDED_BY_SIGNAL, ENDED_BY_DOING };

static sigjmp_buf way_out;
static volatile sig_atomic_t is_guarding;
static volatile uint64_t beats; /* goes on with every step */
static uint64_t beats_seen;
static uint32_t ticks_stale;
static uint64_t beats_heard; /* by the last alarm */
static uint64_t cpu_heard;
static uint32_t alarms_stale;
static bool is_ticking; /* the timers of this process run: a fork has none */

static pid_t guarded; /* the thread in which code of the system runs */

static volatile sig_atomic_t caught;
static char ending_what[100];
static enum outcome ending_outcome;

/* Loaded files, stacks and libc's heap lie above, at addresses that differ from process to process.
 */
#define DRAWN_FROM UINT64_C(0x500000000000)

/* The access of the instruction that faulted. */
static struct accessed {
    bool is_any;
    bool is_address;
    uint64_t address;
    const char *verb;
} accessed;

static uint32_t user_count;
static struct sigaction before[8];
static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM, SIGALRM};
static char alternate_stack[ALTERNATE_STACK_SIZE];

static uint64_t instruction(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return context->uc_mcontext.pc;
#endif
}

static _Noreturn void jump(int signal, const ucontext_t *context)
{
    caught = signal;
    stop_fault(calls_running(), strsignal(signal));
    backtrace_take(instruction(context));
    is_guarding = 0;
    siglongjmp(way_out, ENDED_BY_SIGNAL);
}

static void note_access(int signal, const siginfo_t *info, const ucontext_t *context)
{
    accessed = (struct accessed){
        .is_any = signal == SIGSEGV || signal == SIGBUS,
        .is_address = info->si_code != SI_KERNEL, /* which has none that the hardware could take */
        .address = (uint64_t)(uintptr_t)info->si_addr,
    };
#if defined(__x86_64__)
    accessed.verb = (context->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? "writes" : "reads";
#else
    (void)context;
    accessed.verb = "uses";
#endif
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    if (signal == SIGSEGV && variables_note_fault(info->si_addr)) {
        return;
    }
    if (is_guarding != 0) {
        note_access(signal, info, context);
        jump(signal, context);
    }
    /* Not ours: as if we were not here. */
    struct sigaction as_usual = {.sa_handler = SIG_DFL};
    (void)sigaction(signal, &as_usual, NULL);
    (void)raise(signal);
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
    (void)info;
    if (is_guarding == 0 || beats != beats_seen) {
        beats_seen = beats;
        ticks_stale = 0;
    } else if (++ticks_stale >= TICKS_MAX) {
        jump(signal, context);
    }
}

static void on_alarm(int signal, siginfo_t *info, void *context)
{
    (void)info;
    const uint64_t cpu = limit_processor_ns();
    const bool is_waiting = is_guarding != 0 && beats == beats_heard && cpu - cpu_heard <= WAIT_NS;
    beats_heard = beats;
    cpu_heard = cpu;
    alarms_stale = is_waiting ? alarms_stale + 1 : 0;
    if (alarms_stale >= ALARMS_MAX) {
        alarms_stale = 0;
        jump(signal, context);
    }
}

static void tick(void)
{
    if (is_ticking) {
        return;
    }
    const struct itimerval interval = {.it_interval = {.tv_usec = TICK_US},
                                       .it_value = {.tv_usec = TICK_US}};
    const struct itimerval alarms = {.it_interval = {.tv_sec = ALARM_S},
                                     .it_value = {.tv_sec = ALARM_S}};
    (void)setitimer(ITIMER_VIRTUAL, &interval, NULL);
    (void)setitimer(ITIMER_REAL, &alarms, NULL);
    guarded = gettid();
    is_ticking = true;
}

static void on_fork(void)
{
    is_ticking = false;
}

static void watch_forks(void)
{
    static bool is_watching;
    if (!is_watching) {
        (void)pthread_atfork(NULL, NULL, on_fork); /* for want of memory alone it would fail */
        is_watching = true;
    }
}

void guard_open(void)
{
    if (user_count++ > 0) {
        return;
    }
    watch_forks();
    backtrace_take(0); /* loads its libraries, which a handler must not */
    const stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};
    (void)sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESTART | SA_SIGINFO};
        action.sa_sigaction = signals[i] == SIGVTALRM ? on_tick
                              : signals[i] == SIGALRM ? on_alarm
                                                      : on_fault;
        (void)sigaction(signals[i], &action, &before[i]);
    }
}

void guard_close(void)
{
    must(user_count > 0);
    if (--user_count > 0) {
        return;
    }
    const struct itimerval never = {{0}, {0}};
    (void)setitimer(ITIMER_VIRTUAL, &never, NULL);
    (void)setitimer(ITIMER_REAL, &never, NULL);
    is_ticking = false;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        (void)sigaction(signals[i], &before[i], NULL);
    }
    const stack_t none = {.ss_flags = SS_DISABLE};
    (void)sigaltstack(&none, NULL);
}

void guard_alive(void)
{
    beats++;
}

static void set_outcome(struct sim *s, enum outcome outcome, const char *key)
{
    struct execution *x = s->execution;
    x->outcome = outcome;
    (void)snprintf(x->key, sizeof x->key, "%s: %s", outcome_name(outcome), key);
}

_Noreturn void guard_end(struct sim *s, enum outcome outcome, const char *key, const char *format,
                         ...)
{
    must(is_guarding != 0);
    set_outcome(s, outcome, key);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(s->execution->what, sizeof s->execution->what, format, arguments);
    va_end(arguments);
    if (outcome != OUTCOME_PROPERTY) { /* which stopped where it was broken */
        stop_broken(s, outcome_name(outcome), s->execution->what);
    }
    is_guarding = 0;
    siglongjmp(way_out, ENDED_BY_US);
}

/* A process or a thread that the system has made, ends as it likes. */
void guard_quit(const char *what)
{
    if (is_guarding == 0 || gettid() != guarded) {
        return;
    }
    (void)snprintf(ending_what, sizeof ending_what, "%s", what);
    ending_outcome = OUTCOME_EXIT;
    stop_broken(calls_running(), outcome_name(ending_outcome), what);
    backtrace_take(0);
    is_guarding = 0;
    siglongjmp(way_out, ENDED_BY_DOING);
}

void guard_undefined(const char *what, const void *at)
{
    if (is_guarding == 0 || gettid() != guarded) {
        /* A check that fails does not return, and there is no run to end. */
        char why[300];
        (void)snprintf(why, sizeof why,
                       "the system does what C leaves undefined (%s) outside its handlers, where "
                       "it is loaded or set up: -fno-sanitize=undefined leaves out the checks",
                       what);
        must_leave(why);
    }
    (void)snprintf(ending_what, sizeof ending_what, "does what C leaves undefined (%s)", what);
    ending_outcome = OUTCOME_SANITIZER;
    stop_broken(calls_running(), outcome_name(ending_outcome), ending_what);
    backtrace_take_from(at);
    is_guarding = 0;
    siglongjmp(way_out, ENDED_BY_DOING);
}

/* Whose fault it is, and where. */
static void tell(struct sim *s, enum outcome outcome, const char *what)
{
    char key[100];
    char who[200] = "it"; /* of which something else has been said */
    const char *places = backtrace_places(s);
    const char *node = s->run.self < 0 ? "no node" : s->names.node_texts[s->run.self];
    /* Where in its loop a handler was found is chance. */
    (void)snprintf(key, sizeof key, "%s %.80s", s->run.doing,
                   outcome == OUTCOME_HANG ? node : places);
    set_outcome(s, outcome, key);
    if (s->requests.shrinking == NULL) {
        (void)snprintf(who, sizeof who, "the handler %s on %s", s->run.doing, node);
    }
    (void)snprintf(s->execution->what, sizeof s->execution->what, "%s %s%s%s", who, what,
                   places[0] == '\0' ? "" : ": ", places);
}

/* The address is printed where it is the same in every process. */
static void print_access(char *text, size_t size)
{
    enum { PAGE = 4096 };
    const struct accessed *a = &accessed;
    static const char fault[] = "touches memory that is not there";
    if (!a->is_any || (a->is_address && a->address >= DRAWN_FROM)) {
        (void)snprintf(text, size, "%s", fault);
    } else if (!a->is_address) {
        (void)snprintf(text, size, "%s (no address at all)", fault);
    } else if (a->address == 0) {
        (void)snprintf(text, size, "%s (%s through a null pointer)", fault, a->verb);
    } else if (a->address < PAGE) {
        (void)snprintf(text, size, "%s (%s %u bytes behind a null pointer)", fault, a->verb,
                       (unsigned)a->address);
    } else {
        (void)snprintf(text, size, "%s (%s address 0x%llx)", fault, a->verb,
                       (unsigned long long)a->address);
    }
}

static void tell_signal(struct sim *s)
{
    const bool is_hang = caught == SIGVTALRM || caught == SIGALRM;
    const enum outcome outcome = is_hang            ? OUTCOME_HANG
                                 : caught == SIGILL ? OUTCOME_SANITIZER
                                                    : OUTCOME_CRASH;
    char access[100];
    print_access(access, sizeof access);
    tell(s, outcome,
         caught == SIGVTALRM ? "does not come to an end"
         : caught == SIGALRM ? "waits for something that does not come"
         : caught == SIGILL  ? "does what C leaves undefined"
         : caught == SIGABRT ? "aborts"
         : caught == SIGFPE  ? "divides by zero"
                             : access);
}

bool guard_run(struct sim *s, void (*run)(struct sim *s))
{
    tick();
    quit_watch();
    calls_begin(s);
    const int ending = sigsetjmp(way_out, 0);
    if (ending == ENDED_ITSELF) {
        guard_alive();
        is_guarding = 1;
        run(s);
        is_guarding = 0;
    } else if (ending == ENDED_BY_SIGNAL) {
        tell_signal(s);
    } else if (ending == ENDED_BY_DOING) {
        tell(s, ending_outcome, ending_what);
    }
    return ending == ENDED_ITSELF;
}

/* It may be called while a run is guarded. */
bool guard_try(struct sim *s, void (*run)(struct sim *s), struct err *e)
{
    struct execution nobodys = {0};
    struct execution *own = s->execution;
    const sig_atomic_t was_guarding = is_guarding;
    const int32_t self = s->run.self;
    const char *doing = s->run.doing;
    const char *calls = s->run.calls;
    sigjmp_buf way_before;
    memcpy(&way_before, &way_out, sizeof way_out);
    s->execution = &nobodys;
    s->run.self = -1;
    const bool is_whole = guard_run(s, run);
    if (!is_whole) {
        (void)err_set(e, "%s", nobodys.what);
    }
    memcpy(&way_out, &way_before, sizeof way_out);
    s->execution = own;
    s->run.self = self;
    s->run.doing = doing;
    s->run.calls = calls;
    is_guarding = was_guarding;
    return is_whole;
}
