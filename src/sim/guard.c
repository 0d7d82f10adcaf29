/* What keeps the explorer alive whatever a handler does: faults of the processor, endless loops and
 * endless waits end the run, not the program.
 *
 * The jump leaves the handler's frames behind; nothing in them is needed, because all the system's
 * memory is rewound before the next run. */
#include <errno.h>
#include <execinfo.h>
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
#include "place/place.h"
#include "sim/state.h"

enum { FRAMES_MAX = 32, ALTERNATE_STACK_SIZE = 64 << 10 };

/* A step that takes this many ticks of processor time is a loop. */
enum { TICK_US = 100000, TICKS_MAX = 20 };

/* One that for so many seconds takes no more than this much of it is a wait. A process that has to
 * share its processor takes more, and one that was stopped counts a second when it goes on. What is
 * not begun anew after a signal, such as a sleep, ends with the first alarm. */
enum { ALARM_S = 1, ALARMS_MAX = 3, WAIT_NS = 1000000 };

enum ending { ENDED_ITSELF, ENDED_BY_US, ENDED_BY_SIGNAL, ENDED_BY_QUITTING };

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
static char quit_what[60];
static uint64_t caught_at; /* the instruction */
static void *frames[FRAMES_MAX];
static int frame_count;

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
    caught_at = instruction(context);
    frame_count = backtrace(frames, FRAMES_MAX);
    is_guarding = 0;
    siglongjmp(way_out, ENDED_BY_SIGNAL);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)info;
    if (is_guarding != 0) {
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
    (void)backtrace(frames, FRAMES_MAX); /* loads what it needs, which a handler must not */
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
    is_guarding = 0;
    siglongjmp(way_out, ENDED_BY_US);
}

/* A process or a thread that the system has made, ends as it likes. */
void guard_quit(const char *what)
{
    if (is_guarding == 0 || gettid() != guarded) {
        return;
    }
    (void)snprintf(quit_what, sizeof quit_what, "%s", what);
    caught_at = 0;
    frame_count = backtrace(frames, FRAMES_MAX);
    is_guarding = 0;
    siglongjmp(way_out, ENDED_BY_QUITTING);
}

/* The places of the system's own code among the frames, innermost first: "a.c:12 < b.c:30". What
 * clew/sim.h puts between that code and the explorer says nothing about it. */
static void print_frames(struct sim *s, char *text, size_t size)
{
    struct out out;
    out_open_memory(&out);
    struct places *places = places_new();
    if (s->library_path != NULL) {
        places_add_module(places, s->library_path, s->library_bias);
    }
    uint32_t shown = 0;
    for (int i = 0; i < frame_count && shown < 6; i++) {
        const uint64_t address = (uint64_t)(uintptr_t)frames[i];
        if (address < s->library_bias || address >= s->library_end) {
            continue;
        }
        /* Places are those of calls that return to an address; what was caught is no call. */
        const uint64_t returned_to = address + (address == caught_at);
        if (shown == 0 && places_is_in(places, returned_to, "clew/sim.h")) {
            continue;
        }
        out_text(&out, shown == 0 ? "" : " < ");
        shown += places_print_line(places, returned_to, &out);
    }
    (void)snprintf(text, size, "%.*s", (int)out.used, out.used == 0 ? "" : out.buffer);
    places_free(places);
    out_abandon(&out);
}

/* Whose fault it is, and where. */
static void tell(struct sim *s, enum outcome outcome, const char *what)
{
    char places[300];
    char key[100];
    char who[200] = "it"; /* of which something else has been said */
    print_frames(s, places, sizeof places);
    const char *node = s->self < 0 ? "no node" : s->node_names[s->self];
    /* Where in its loop a handler was found is chance. */
    (void)snprintf(key, sizeof key, "%s %.80s", s->doing, outcome == OUTCOME_HANG ? node : places);
    set_outcome(s, outcome, key);
    if (s->shrinking == NULL) {
        (void)snprintf(who, sizeof who, "the handler %s on %s", s->doing, node);
    }
    (void)snprintf(s->execution->what, sizeof s->execution->what, "%s %s%s%s", who, what,
                   places[0] == '\0' ? "" : ": ", places);
}

static void tell_signal(struct sim *s)
{
    const bool is_hang = caught == SIGVTALRM || caught == SIGALRM;
    const enum outcome outcome = is_hang            ? OUTCOME_HANG
                                 : caught == SIGILL ? OUTCOME_SANITIZER
                                                    : OUTCOME_CRASH;
    tell(s, outcome,
         caught == SIGVTALRM ? "does not come to an end"
         : caught == SIGALRM ? "waits for something that does not come"
         : caught == SIGILL  ? "does what C leaves undefined"
         : caught == SIGABRT ? "aborts"
         : caught == SIGFPE  ? "divides by zero"
                             : "touches memory that is not there");
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
    } else if (ending == ENDED_BY_QUITTING) {
        tell(s, OUTCOME_EXIT, quit_what);
    }
    return ending == ENDED_ITSELF;
}

bool guard_try(struct sim *s, void (*run)(struct sim *s), struct err *e)
{
    struct execution nobodys = {0};
    struct execution *own = s->execution;
    s->execution = &nobodys;
    s->self = -1;
    const bool is_whole = guard_run(s, run);
    if (!is_whole) {
        (void)err_set(e, "%s", nobodys.what);
    }
    s->execution = own;
    return is_whole;
}
