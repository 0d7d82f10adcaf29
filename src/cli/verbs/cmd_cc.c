/* clew cc, clew c++: a compiler whose programs tell the recorder about memory accesses. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/text/findings_output.h"
#include "place/undefined_symbols.h"
#include "proc/build/compiler.h"
#include "proc/build/install_paths.h"
#include "world/libc_symbols.h"

struct cc_options {
    struct common common;
};

/* The process of the step that runs, 0 between steps, and the signal that interrupted the build. */
static volatile sig_atomic_t step_process, interrupted_by;

/* Passes the signal on to the step; clew itself goes on, so that it removes its files. */
static void on_interrupt(int signal_number)
{
    interrupted_by = signal_number;
    if (step_process > 0) {
        (void)kill((pid_t)step_process, signal_number);
    }
}

/* A signal that is ignored, as SIGHUP under nohup, stays so. */
static void hear_interrupts(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* for end_orphans */
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_flags = SA_RESTART};
        struct sigaction before;
        action.sa_handler = on_interrupt;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(signals[i], &action, NULL);
        }
    }
}

/* Ends what an interrupted step leaves running: gcc's driver dies without its compiler, which is
 * clew's child then (a subreaper). */
static void end_orphans(void)
{
    char path[64];
    char children[4096];
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    do {
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        const ssize_t size = fd < 0 ? -1 : read(fd, children, sizeof children - 1);
        if (fd >= 0) {
            (void)close(fd);
        }
        children[size > 0 ? size : 0] = '\0';
        char *rest = children;
        for (long pid = strtol(rest, &rest, 10); pid > 0; pid = strtol(rest, &rest, 10)) {
            (void)kill((pid_t)pid, SIGKILL);
        }
    } while (children[0] != '\0' && waitpid(-1, NULL, 0) > 0);
}

/* Runs one step and waits; its exit status, or 128 + signal as a shell has it. */
static int run_step(char *const *words, struct err *e)
{
    const pid_t pid = fork();
    if (pid == 0) {
        (void)execvp(words[0], words);
        session_say("%s: cannot be run: %s", words[0], strerror(errno));
        _exit(EXIT_UNABLE);
    }
    step_process = pid;
    if (pid > 0 && interrupted_by != 0) {
        (void)kill(pid, interrupted_by); /* it came before the handler knew the process */
    }
    int status = 0;
    const bool is_over = pid > 0 && waitpid(pid, &status, 0) == pid;
    step_process = 0;
    if (interrupted_by != 0) {
        end_orphans();
    }
    if (!is_over) {
        return err_set(e, "%s: cannot be run: %s", words[0], strerror(errno));
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The options of clew, which must come first: all others are the compiler's. */
struct own_words {
    const char *family;
    bool is_system;
    const char *const *words; /* --allow SYMBOL is among them */
    size_t count;
};

static struct own_words take_own(const struct session *s)
{
    struct own_words own = {.family = "gcc", .words = s->inputs};
    while (true) {
        const size_t left = s->input_count - own.count;
        const char *const *word = s->inputs + own.count;
        if (left >= 2 && strcmp(*word, "--with") == 0) {
            own.family = word[1];
            own.count += 2;
        } else if (left >= 1 && strcmp(*word, "--sim") == 0) {
            own.is_system = true;
            own.count++;
        } else if (left >= 2 && strcmp(*word, "--allow") == 0) {
            own.count += 2;
        } else {
            return own;
        }
    }
}

static const char *choose_compiler(const char *family, bool is_cpp)
{
    if (strcmp(family, "gcc") == 0) {
        return is_cpp ? "g++" : "gcc";
    }
    if (strcmp(family, "clang") == 0) {
        return is_cpp ? "clang++" : "clang";
    }
    return NULL;
}

static int run_plan(const struct compiler_plan *plan, struct err *e)
{
    int status = 0;
    for (size_t i = 0; i < plan->steps.count && status == 0; i++) {
        status = interrupted_by != 0 ? 128 + interrupted_by : run_step(plan->steps.at[i].words, e);
    }
    vec_each (&plan->leftovers, path) {
        (void)unlink(*path);
    }
    return status;
}

static bool is_allowed(const struct own_words *own, const char *symbol)
{
    for (size_t i = 0; i + 1 < own->count; i++) {
        if (strcmp(own->words[i], "--allow") == 0 && strcmp(own->words[i + 1], symbol) == 0) {
            return true;
        }
    }
    return false;
}

/* A system that was linked, and how many of its symbols are refused. */
struct linked {
    const struct own_words *own;
    const char *path;
    size_t refused_count;
};

static void judge_symbol(void *context, const char *symbol)
{
    struct linked *l = context;
    const struct libc_symbol found = libc_symbol_find(symbol);
    if (found.use == LIBC_REFUSED && !is_allowed(l->own, symbol)) {
        l->refused_count++;
        session_say("%s: %s() %s", l->path, symbol, found.why);
    }
}

/* A system that calls functions that cannot be simulated is not kept; the status. */
static int judge_system(const struct own_words *own, const char *path, struct err *e)
{
    struct linked l = {.own = own, .path = path};
    if (undefined_symbols(path, judge_symbol, &l, e) < 0) {
        return -1;
    }
    if (l.refused_count == 0) {
        return 0;
    }
    session_say("%s: not linked; leave these calls out, or let one through with "
                "clew cc --sim --allow SYMBOL ...: "
                "then no search of the system is a proof",
                path);
    (void)unlink(path);
    return EXIT_FOUND;
}

static bool names_standard(const struct compiler_options *o)
{
    for (size_t i = 0; i < o->word_count; i++) {
        if (strncmp(o->words[i], "-std=", 5) == 0 || strncmp(o->words[i], "--std", 5) == 0) {
            return true;
        }
    }
    return false;
}

/* clang before 16 compiles C++14 by default, gcc since 11 C++17: a source that gcc takes without
 * -std= fails in clang with errors that name the standard library and not the cause. */
static void hint_standard(const struct compiler_options *o)
{
    if (strcmp(o->compiler, "clang++") == 0 && !names_standard(o)) {
        session_say("clang++ failed, and no -std= is given: its default can be older than that of "
                    "g++; if the errors above are not in plain gcc, add -std=c++17");
    }
}

static int compile(struct session *s, bool is_cpp, struct err *e)
{
    struct install install;
    const struct own_words own = take_own(s);
    const char *compiler = choose_compiler(own.family, is_cpp);
    if (compiler == NULL) {
        return session_misused(e, "--with %s: it is gcc or clang", own.family);
    }
    if (install_find(&install, e) < 0) {
        return -1;
    }
    hear_interrupts();
    char folder[] = "/tmp/clew-cc-XXXXXX";
    if (mkdtemp(folder) == NULL) {
        return err_set(e, "%s: cannot be made: %s", folder, strerror(errno));
    }
    struct compiler_plan plan = {0};
    const struct compiler_options options = {
        .compiler = compiler,
        .hooks = install.hooks,
        .sim = install.sim,
        .includes = install.includes,
        .folder = folder,
        .is_system = own.is_system,
        .words = s->inputs + own.count,
        .word_count = s->input_count - own.count,
    };
    compiler_plan(&plan, &options);
    if (plan.is_static) {
        session_say("-static: the program will run, but cannot be recorded; leave it out");
    }
    int status = run_plan(&plan, e);
    if (status > 0) {
        hint_standard(&options);
    }
    if (status == 0 && plan.system != NULL) {
        status = judge_system(&own, plan.system, e);
    }
    compiler_release(&plan);
    (void)rmdir(folder);
    return status;
}

static int run_cc(struct session *s, __attribute__((unused)) const void *options, struct err *e)
{
    return compile(s, false, e);
}

static int run_cpp(struct session *s, __attribute__((unused)) const void *options, struct err *e)
{
    return compile(s, true, e);
}

static const struct option options[] = {COMMON_ALWAYS, {0}};
static const struct cc_options defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew cc -g -O2 bank.c -o bank -pthread", "Compile and link one program."},
    {"make CC='clew cc'", "Use clew cc as the C compiler of an existing build."},
    {"./configure CC='clew cc --with clang' && make", "Use clang instead of gcc."},
    {"clew cc --sim ring.c -o ring.so", "Build a simulated system for clew explore."},
    {0},
};

/* Two verbs, which differ in the language. */
#define COMPILER_VERB(verb, language, function)                                                    \
    {                                                                                              \
        .name = (verb), .summary = "compile " language " with memory accesses instrumented",       \
        .operands = "[--sim] [--allow SYMBOL] [--with gcc|clang] WORD...", .operand_min = 1,       \
        .operand_max = SIZE_MAX, .has_foreign_words = true,                                        \
        .about =                                                                                   \
            "Replaces gcc or clang as compiler and linker. The compiled program reports every "    \
            "memory access and every atomic operation to clew's recorder; without the recorder "   \
            "it runs as usual. With --sim, builds a shared object that holds a simulated system "  \
            "(clew/sim.h) for clew explore. The simulator then provides the memory, time and "     \
            "random numbers of the system's files and static archives. Calls that cannot be "      \
            "simulated are link errors, unless --allow SYMBOL permits them. All arguments go to "  \
            "the compiler, except a leading --sim, --allow or --with gcc|clang.",                  \
        .exit_statuses = "N the compiler's exit status\n2 clew itself failed", .options = options, \
        .defaults = &defaults, .options_size = sizeof(struct cc_options), .examples = examples,    \
        .run = (function),                                                                         \
    }

const struct verb verb_cc = COMPILER_VERB("cc", "C", run_cc);
const struct verb verb_cpp = COMPILER_VERB("c++", "C++", run_cpp);
