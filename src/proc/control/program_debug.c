/* A controlled program in gdb: where it stops, and the commands that make gdb do so.
 *
 * The program runs as with CONTROL_EXEC, its tasks being threads. Where a stop is due, the runtime
 * in it calls clew_stop_here (runtime/control/sched/gdb_stops.c), on which gdb has a breakpoint. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "proc/control/gdb.h"
#include "proc/control/program_state.h"

/* Choices shown at most: those of a schedule that was not minimized are many. */
enum { CHOICES_MAX = 12 };

/* Stops */

static void add_stop(struct controlled *c, enum control_stop_kind kind, uint64_t number)
{
    struct control_stop *stops = control_at(c, CONTROL_PLACE(STOPS));
    if (c->page->stop_count < CONTROL_STOPS_MAX) {
        struct control_stop *s = &stops[c->page->stop_count++];
        *s = (struct control_stop){.kind = kind, .number = (uint32_t)number};
        (void)snprintf(s->text, sizeof s->text, "%.*s", (int)c->text.used, c->text.buffer);
    }
}

/* "step 7 of 17, main/1: write balance #1, one of the schedule's choices". */
static void add_step(struct controlled *c, const struct execution *x, size_t at, const char *why)
{
    struct schedule line;
    struct choice choice = {0};
    struct out text;
    schedule_init(&line);
    out_open_memory(&text);
    c->world.ops->describe(&c->world, &x->steps.at[at].operation, &line, &choice);
    schedule_print_choice(&line, &choice, &text);
    c->text.used = 0;
    out_format(&c->text, "step %zu of %zu: %.*s: %s", at + 1, x->steps.count,
               text.used > 0 ? (int)text.used - 1 : 0, text.buffer, why);
    out_abandon(&text);
    schedule_release(&line);
    add_stop(c, CONTROL_STOP_STEP, at + 1);
}

/* What more than one task touches. By object: the number of the first that did, plus one; or MANY.
 */
enum { MANY = CONTROL_TASKS_MAX + 1 };

static void note_sharing(const struct controlled *c, const struct execution *x, struct map *sharing)
{
    const struct control_step *steps = control_at(c, CONTROL_PLACE(STEPS));
    for (size_t i = 0; i < x->steps.count; i++) {
        const uint32_t task = steps[i].task % CONTROL_TASKS_MAX + 1;
        uint32_t *who = map_slot(sharing, steps[i].objects[0], task, NULL);
        *who = *who == task ? task : MANY;
    }
}

static bool is_shared(const struct control_step *s, const struct map *sharing)
{
    const uint32_t *who = map_get(sharing, s->objects[0]);
    return s->key != 0 && (s->key & (CONTROL_KEY_OF_TASK | CONTROL_KEY_OF_TIME)) == 0 &&
           who != NULL && *who == MANY;
}

/* Where tasks took what others wait for in the end. */
static void note_taken(const struct controlled *c, const struct execution *x, const char **why)
{
    const struct control_result *r = &c->page->result;
    for (uint32_t i = 0; i < r->stand_count && i < CONTROL_STANDS_MAX; i++) {
        const size_t taken = verdict_taken(c, &r->stands[i]);
        if (taken < x->steps.count) {
            why[taken] = "another waits for it in the end";
        }
    }
}

/* Why the run should stop at each step; NULL: it need not. */
static void note_reasons(const struct controlled *c, const struct execution *x, const char **why)
{
    const struct control_step *steps = control_at(c, CONTROL_PLACE(STEPS));
    bool *is_seen = mem_zero(CONTROL_TASKS_MAX, sizeof *is_seen);
    struct map sharing = {0};
    int choices_left = CHOICES_MAX;
    note_sharing(c, x, &sharing);
    note_taken(c, x, why);
    for (size_t i = x->steps.count; i-- > 0;) {
        const uint32_t task = steps[i].task % CONTROL_TASKS_MAX;
        if (!is_shared(&steps[i], &sharing) || why[i] != NULL) {
            continue;
        }
        if (!is_seen[task]) {
            why[i] = "the last that its task shares with others";
        } else if (steps[i].choice != 0 && choices_left-- > 0) {
            why[i] = "a choice of the schedule";
        }
        is_seen[task] = true;
    }
    map_release(&sharing);
    mem_free(is_seen);
}

/* The end of the run, or of a property. */
static void add_end(struct controlled *c, const struct execution *x)
{
    const bool is_property = c->report_broken != 0;
    c->text.used = 0;
    out_format(&c->text, "%s: %s", outcome_name(x->outcome), x->what);
    if (x->outcome == OUTCOME_EXIT) {
        add_stop(c, CONTROL_STOP_STEP, x->steps.count);
    } else {
        add_stop(c, is_property ? CONTROL_STOP_REPORT : CONTROL_STOP_END,
                 is_property ? c->report_broken : c->page->result.end);
    }
}

void control_debug(struct world *w, const struct execution *x, const char *commands)
{
    struct controlled *c = (struct controlled *)w;
    const char **why = mem_zero(x->steps.count + 1, sizeof *why);
    note_reasons(c, x, why);
    c->page->stop_count = 0;
    for (size_t i = 0; i < x->steps.count; i++) {
        if (why[i] != NULL) {
            add_step(c, x, i, why[i]);
        }
    }
    add_end(c, x);
    mem_free((void *)(uintptr_t)why);
    c->is_debugged = true;
    c->debug_commands = commands;
}

/* gdb */

/* Of the caller's frames, the one that returns to the place. */
static const char show[] = "define clew-here\n"
                           "  printf \"\\n%s\\n\", (char *) &clew_stop_text\n"
                           "  if *(unsigned long *) &clew_stop_place != 0\n"
                           "    while (unsigned long) $pc != *(unsigned long *) &clew_stop_place\n"
                           "      up-silently\n"
                           "    end\n"
                           "    frame\n"
                           "  end\n"
                           "end\n"
                           "document clew-here\n"
                           "Say why clew stopped here, and select the program's own frame.\n"
                           "end\n";

/* Faults are told by the run's end. */
static const char quiet[] =
    "set confirm off\n"
    "set print thread-events off\n"
    "set print inferior-events off\n"
    "handle SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT SIGSYS nostop noprint pass\n";

/* gdb sets the first two for itself. */
static void print_environment(const struct controlled *c, struct out *out)
{
    static const char *const spoilt[] = {"LINES", "COLUMNS"};
    out_text(out, "set exec-wrapper env");
    for (size_t i = 0; i < 2; i++) {
        if (getenv(spoilt[i]) == NULL) {
            out_format(out, " -u %s", spoilt[i]);
        }
    }
    const char *before = getenv("LD_PRELOAD");
    out_format(out, " LD_BIND_NOW=1 %s=%d LD_PRELOAD=", CONTROL_VARIABLE, c->page_fd);
    out_quoted(out, c->install.control);
    if (before != NULL) {
        out_char(out, ':');
        out_quoted(out, before);
    }
    out_char(out, '\n');
}

/* The breakpoint is set when the library is there. */
static void print_script(const struct controlled *c, struct out *out)
{
    out_text(out, quiet);
    out_text(out, c->debug_commands == NULL ? "" : "set debuginfod enabled off\n");
    print_environment(c, out);
    out_text(out, show);
    out_text(out, "tcatch load libclew_control\ncommands\nsilent\nend\nrun\n"
                  "break clew_stop_here\ncommands\nsilent\nclew-here\n");
    gdb_print_commands(c->debug_commands, out);
    out_text(out, c->debug_commands == NULL ? "" : "continue\n");
    out_text(out, "end\ncontinue\n");
}

void debug_become(const struct controlled *c)
{
    struct out script;
    out_open_memory(&script);
    print_script(c, &script);
    const int fd = gdb_keep_script(&script);
    out_abandon(&script);
    c->page->script_fd = fd;
    gdb_become(fd, c->debug_commands != NULL, c->options.command);
}
