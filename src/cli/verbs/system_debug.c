#include "cli/verbs/system_debug.h"

#include <string.h>
#include <unistd.h>

#include "proc/control/gdb.h"
#include "sim/sim.h"

/* The watchdog's signals are hidden from the user; the run's end reports faults. */
static const char begin[] =
    "set confirm off\n"
    "set breakpoint pending on\n"
    "set print inferior-events off\n"
    "handle SIGVTALRM SIGALRM SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT nostop noprint pass\n"
    "set environment " SIM_DEBUG_VARIABLE "=1\n";

/* Of the caller's frames, the one that returns to the place. */
static const char here[] = "define clew-here\n"
                           "  printf \"\\n%s\\n\", (char *) &clew_stop_text\n"
                           "  if *(unsigned long *) &clew_stop_place != 0\n"
                           "    while (unsigned long) $pc != *(unsigned long *) &clew_stop_place\n"
                           "      up-silently\n"
                           "    end\n"
                           "    frame\n"
                           "  end\n"
                           "end\n"
                           "document clew-here\n"
                           "Say why clew stopped here, and select the system's own frame.\n"
                           "end\n"
                           "define goto-step\n"
                           "  set $clew_step = $arg0\n"
                           "  run\n"
                           "end\n"
                           "document goto-step\n"
                           "Begin again and stop in the handlers from step N on.\n"
                           "end\n";

static void print_end(const struct system_debug *d, struct out *script)
{
    gdb_print_commands(d->commands, script);
    out_text(script, d->commands == NULL ? "end\n" : "continue\nend\n");
}

static void print_handler(const struct system_debug *d, const char *line, size_t steps,
                          struct out *script)
{
    const size_t file_size = strcspn(line, " ");
    const char *function = line + file_size + 1;
    out_format(script,
               "break -source %.*s -function %.*s if *(unsigned *) &clew_step_now >= $clew_step\n"
               "commands\nsilent\nprintf \"\\nstep %%u of %zu\\n\", *(unsigned *) &clew_step_now\n"
               "frame\n",
               (int)file_size, line, (int)strcspn(function, "\n"), function, steps);
    print_end(d, script);
}

static void print_option(const char *name, const char *value, struct out *script)
{
    if (value != NULL) {
        out_text(script, name);
        out_quoted(script, value);
    }
}

/* This process prints the output of the replay. */
static void print_run(const struct system_debug *d, struct out *script)
{
    out_text(script, d->is_lenient ? "run replay -q --lenient" : "run replay -q");
    print_option(" --spec ", d->spec, script);
    print_option(" --config ", d->config, script);
    print_option(" ", d->schedule, script);
    print_option(" ", d->system, script);
    out_text(script, " > /dev/null\n");
}

/* Breakpoints are set when the system is there. */
static void print_script(const struct system_debug *d, const char *handlers, size_t steps,
                         struct out *script)
{
    const char *slash = strrchr(d->system, '/');
    out_text(script, begin);
    out_text(script, d->commands == NULL ? "" : "set debuginfod enabled off\n");
    out_text(script, here);
    out_format(script, "tcatch load %s\ncommands\nsilent\nend\n",
               slash == NULL ? d->system : slash + 1);
    print_run(d, script);
    out_format(script, "set $clew_step = %zu\n", steps);
    for (const char *line = handlers; *line != '\0'; line += strcspn(line, "\n") + 1) {
        print_handler(d, line, steps, script);
    }
    out_text(script, "break clew_stop_here\ncommands\nsilent\nclew-here\n");
    print_end(d, script);
    out_text(script, "continue\n");
}

int system_debug(const struct system_debug *d, const struct world *w, const struct execution *x,
                 struct err *e)
{
    char own[4096];
    const ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    if (size <= 0) {
        return err_set(e, "cannot find clew's own file in /proc/self/exe");
    }
    own[size] = '\0';
    char *const command[] = {own, NULL};
    struct out handlers;
    struct out script;
    out_open_memory(&handlers);
    out_open_memory(&script);
    sim_print_handlers(w, &handlers);
    out_char(&handlers, '\0');
    print_script(d, handlers.buffer, x->steps.count, &script);
    const int result = gdb_run(&script, d->commands != NULL, command, e);
    out_abandon(&script);
    out_abandon(&handlers);
    return result;
}
