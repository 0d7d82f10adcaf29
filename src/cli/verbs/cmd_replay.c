/* clew replay: a schedule, run again. */
#include <string.h>

#include "base/mem.h"
#include "cli/input/fuzz_option.h"
#include "cli/input/program_command.h"
#include "cli/input/schedule_file.h"
#include "cli/input/schedule_world.h"
#include "cli/input/spec_file.h"
#include "cli/text/findings_output.h"
#include "cli/text/stdout_redirect.h"
#include "cli/text/step_log.h"
#include "cli/text/verdict.h"
#include "cli/verbs/system_debug.h"
#include "explore/replay.h"
#include "trace/format.h"
#include "world/recipe.h"

struct replay_command {
    struct common common;
    bool lenient;
    bool step;
    bool gdb;
    const char *gdb_commands;
    uint64_t verify;
    const char *trace;
    const char *spec;
    const char *config;
    struct command_choice program;
};

/* The same nodes draw the same numbers, and requests have the bytes of the schedule. */
static int walk(struct session *s, struct world *w, const struct schedule *sched,
                const struct execution *x, struct err *e)
{
    struct recipe recipe = {0};
    int result = recipe_parse(&recipe, sched, e);
    if (result == 0 && !s->common->quiet) {
        result = printed_show(e);
    }
    if (result == 0) {
        struct plan p = {.pick.seed = recipe.plan.pick.seed,
                         .contents = recipe.plan.contents,
                         .content_count = recipe.plan.content_count,
                         .without = recipe.plan.without,
                         .without_count = recipe.plan.without_count};
        vec_each (&x->steps, step) {
            p.faults.most[step->operation.fault]++;
        }
        step_log(s, w, x, &p);
    }
    recipe_release(&recipe);
    return result;
}

/* Whether the execution is the one that the schedule was made of. */
static void print_sameness(struct session *s, const struct replay_command *c,
                           const struct replayed *r, const struct schedule *sched)
{
    if (sched->hash == 0) {
        return;
    }
    if (r->is_same) {
        out_text(&s->out, ", as recorded");
        return;
    }
    const char *hint = schedule_hint(c->spec, s->command == NULL ? c->config : "");
    out_text(&s->out, ", not as recorded");
    if (hint[0] != '\0') {
        out_format(&s->out, " (%s)", hint);
    }
}

static void print_verdict(struct session *s, const struct replay_command *c,
                          const struct replayed *r, const struct schedule *sched)
{
    const struct execution *x = &r->execution;
    if (r->divergence[0] != '\0') {
        out_text(&s->out, "diverged: ");
        session_text(s, r->divergence);
        out_char(&s->out, '\n');
    }
    session_paint(s, outcome_is_violation(x->outcome) ? PAINT_ERROR : PAINT_STRONG,
                  outcome_name(x->outcome));
    out_text(&s->out, ": ");
    session_text(s, x->what);
    out_char(&s->out, '\n');
    report_count(&s->out, x->steps.count, "step", "steps");
    out_format(&s->out, ", hash %016llx", (unsigned long long)x->hash);
    print_sameness(s, c, r, sched);
    out_char(&s->out, '\n');
}

/* A run that did not end shows nothing, and neither does one that could not follow the schedule. */
static enum verdict replayed_verdict(const struct replayed *r)
{
    const struct execution *x = &r->execution;
    const bool is_cut = outcome_is_cut(x->outcome, x->severity);
    return verdict_of(outcome_is_violation(x->outcome) && !is_cut,
                      is_cut || r->divergence[0] != '\0');
}

/* Of a run that ended in a violation. */
static struct finding finding_of(const struct execution *x, const char *calls)
{
    const bool is_cut = outcome_is_cut(x->outcome, x->severity);
    return (struct finding){.kind = outcome_finding(x->outcome),
                            .status = is_cut ? STATUS_UNKNOWN : STATUS_CONFIRMED,
                            .grade = is_cut ? GRADE_NONE : GRADE_SOUND,
                            .severity = x->severity,
                            .what = x->what,
                            .why = calls,
                            .key = x->key,
                            .pair_count = 1};
}

static void print_json(struct session *s, const struct replayed *r, const char *calls,
                       uint64_t replays)
{
    const struct execution *x = &r->execution;
    struct finding_file f = {0};
    report_begin(&f, s);
    finding_file_count(&f, "steps", x->steps.count);
    finding_file_count(&f, "replays", replays);
    finding_file_text(&f, "outcome", outcome_name(x->outcome));
    finding_file_flag(&f, "as_recorded", r->is_same);
    finding_file_text(&f, "divergence", r->divergence);
    f.verdict = replayed_verdict(r);
    if (outcome_is_violation(x->outcome)) {
        const struct finding finding = finding_of(x, calls);
        findings_add(&f.findings, &finding);
    }
    report_print(&f, s);
    finding_file_release(&f);
}

/* Again and again: each must be as the first was. */
static int verify(struct world *w, const struct schedule *s, const struct replay_command *c,
                  const struct replayed *first, struct err *e)
{
    const struct replay_options options = {.is_lenient = c->lenient};
    struct replayed r = {0};
    int result = 0;
    for (uint64_t i = 1; i < c->verify && result == 0; i++) {
        result = replay(w, s, &options, &r, e);
        if (result == 0 && r.execution.hash != first->execution.hash) {
            result = err_set(e,
                             "replay %llu has hash %016llx, the first has %016llx: the system is "
                             "not deterministic",
                             (unsigned long long)i + 1, (unsigned long long)r.execution.hash,
                             (unsigned long long)first->execution.hash);
        }
    }
    replayed_release(&r);
    return result;
}

/* Once more in gdb, which must not change anything. */
static int debug(struct session *s, const struct replay_command *c, struct world *w,
                 const struct schedule *sched, const struct replayed *first, struct err *e)
{
    const struct replay_options options = {.is_lenient = c->lenient};
    struct replayed r = {0};
    if (out_flush(&s->out, e) < 0) {
        return -1;
    }
    if (s->command == NULL) {
        const struct system_debug system = {.schedule = s->inputs[0],
                                            .system = s->inputs[1],
                                            .spec = c->spec,
                                            .config = c->config,
                                            .commands = c->gdb_commands,
                                            .is_lenient = c->lenient};
        return system_debug(&system, w, &first->execution, e);
    }
    control_debug(w, &first->execution, c->gdb_commands);
    int result = replay(w, sched, &options, &r, e);
    if (result == 0 && !control_told(w).is_left && r.execution.hash != first->execution.hash) {
        result = err_set(e, "the run under gdb differs: %s%s%s: %s", r.divergence,
                         r.divergence[0] == '\0' ? "" : "; ", outcome_name(r.execution.outcome),
                         r.execution.what);
    }
    if (result == 0 && control_told(w).is_left && c->gdb_commands != NULL) {
        result = err_set(e, "gdb did not reach the end of the run: one of its commands failed");
    }
    replayed_release(&r);
    return result;
}

/* The calls in which the last run ended, as a text; freed with mem_free. */
static char *copy_calls(struct world *w)
{
    struct out calls;
    out_open_memory(&calls);
    if (w->ops->calls != NULL) {
        w->ops->calls(w, &calls);
    }
    char *copy = mem_text(calls.buffer, calls.used);
    out_abandon(&calls);
    return copy;
}

/* The interleaving of a program's last run: a step a line, context switches marked by an arrow. */
static int list_steps(struct session *s, struct world *w)
{
    struct out steps;
    out_open_memory(&steps);
    w->ops->steps(w, 0, &steps);
    out_char(&steps, '\0');
    report_lines(s, steps.buffer);
    out_abandon(&steps);
    return 0;
}

static int replay_schedule(struct session *s, const struct replay_command *c, struct world *w,
                           const struct schedule *sched, struct err *e)
{
    struct trace t;
    struct replayed r = {0};
    trace_init(&t);
    const struct replay_options options = {.is_lenient = c->lenient,
                                           .trace = c->trace == NULL ? NULL : &t};
    int status = replay(w, sched, &options, &r, e);
    char *calls = copy_calls(w);
    if (status == 0) {
        status = verify(w, sched, c, &r, e);
    }
    if (status == 0 && (c->gdb || c->gdb_commands != NULL)) {
        status = debug(s, c, w, sched, &r, e);
    }
    if (status == 0 && c->trace != NULL) {
        status = format_save(&format_native, &t, c->trace, e);
    }
    if (status == 0 && c->step) {
        status = w->ops->steps != NULL ? list_steps(s, w) : walk(s, w, sched, &r.execution, e);
    }
    if (status == 0) {
        if (outcome_is_violation(r.execution.outcome)) {
            const struct finding finding = finding_of(&r.execution, calls);
            exports_add(&s->exports, &finding);
        }
        if (c->common.json) {
            print_json(s, &r, calls, c->verify);
        } else {
            print_verdict(s, c, &r, sched);
            if (c->verify > 1) {
                out_format(&s->out, "%llu replays, all the same\n", (unsigned long long)c->verify);
            }
            report_lines(s, outcome_is_violation(r.execution.outcome) ? calls : "");
        }
        status = verdict_status(replayed_verdict(&r));
    }
    mem_free(calls);
    trace_release(&t);
    replayed_release(&r);
    return status;
}

/* Repeated output is not shown. */
static bool shows_output(const struct replay_command *c)
{
    return c->verify == 1 && !c->step && !c->common.quiet;
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct replay_command *c = options;
    struct schedule sched;
    struct spec spec;
    struct fuzz fuzz = {0};
    struct world *w = NULL;
    if (c->step && c->common.json) {
        return session_misused(e, "--step prints text and excludes --json");
    }
    if ((c->gdb || c->gdb_commands != NULL) && c->common.cluster != NULL) {
        return session_misused(e, "--gdb does not reach the programs of a cluster");
    }
    if ((c->gdb || c->gdb_commands != NULL) && c->common.json) {
        return session_misused(e, "--gdb prints text and excludes --json");
    }
    if (command_check(s, &c->program, e) < 0) {
        return MISUSED;
    }
    schedule_init(&sched);
    spec_init(&spec);
    int status = schedule_file_read(&sched, s->inputs[0], e);
    if (status == 0 && c->spec != NULL) {
        status = spec_file_read(&spec, c->spec, e);
    }
    if (status == 0 && c->config != NULL) {
        status = fuzz_file_read(&fuzz, c->config, e);
    }
    if (status == 0 && s->command != NULL) {
        struct command_choice choice = c->program;
        choice.shows_output = shows_output(c);
        status = command_open(&w, s, &choice, c->spec == NULL ? NULL : &spec, e);
    } else if (status == 0) {
        const struct schedule_world of = {.schedule = s->inputs[0],
                                          .system = s->inputs[1],
                                          .program = "put -- before it",
                                          .shows_output = shows_output(c),
                                          .spec = c->spec == NULL ? NULL : &spec,
                                          .fuzz = c->config == NULL ? NULL : &fuzz,
                                          .fuzz_name = c->config};
        status = schedule_world_open(&w, &sched, &of, e);
    }
    if (status == 0) {
        status = replay_schedule(s, c, w, &sched, e);
        if (status < 0) {
            status = err_wrap(e, "%s", s->inputs[0]);
        }
    }
    world_close(w);
    fuzz_release(&fuzz);
    spec_release(&spec);
    schedule_release(&sched);
    return status;
}

static const struct option options[] = {
    {.name = "verify",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct replay_command, verify),
     .help = "replay N times and compare the runs"},
    {.name = "lenient",
     .type = OPTION_FLAG,
     .target = offsetof(struct replay_command, lenient),
     .help = "where the schedule cannot be followed, warn and continue in default order"},
    {.name = "step",
     .type = OPTION_FLAG,
     .target = offsetof(struct replay_command, step),
     .help = "print every step: for a system each node's actions and state changes, for a program "
             "the source line, with -> at context switches"},
    {.name = "gdb",
     .type = OPTION_FLAG,
     .target = offsetof(struct replay_command, gdb),
     .help = "replay under gdb as well, which stops at the violation; for a program also at each "
             "context switch of the schedule and at each thread's last access to shared data; for "
             "a system in the handler of the last step (goto-step N: of step N)"},
    {.name = "gdb-commands",
     .type = OPTION_TEXT,
     .argument = "LIST",
     .target = offsetof(struct replay_command, gdb_commands),
     .help = "replay under gdb without a terminal: gdb runs these commands (\"bt; info threads\") "
             "at each stop and continues"},
    {.name = "spec",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct replay_command, spec),
     .help = "check these properties, as the exploration did"},
    {.name = "config",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct replay_command, config),
     .help = "external events, as in the exploration (default: set by the system)"},
    {.name = "trace",
     .type = OPTION_OUTPUT,
     .argument = "FILE",
     .target = offsetof(struct replay_command, trace),
     .help = "write the execution as a trace"},
    COMMON_CLUSTER,
    COMMAND_OPTIONS(struct replay_command),
    COMMON_JSON,
    COMMON_EXPORTS,
    COMMON_ALWAYS,
    {0},
};

static const struct replay_command defaults = {
    .common = COMMON_DEFAULTS, .verify = 1, .program = COMMAND_CHOICE_DEFAULTS};

static const struct example examples[] = {
    {"clew replay ring.campaign/violations/1.sched ./ring.so",
     "Repeat an execution and print its verdict."},
    {"clew replay bank.campaign/violations/1.sched -- ./bank 3",
     "Repeat a program's execution; its output is shown."},
    {"clew replay --gdb bank.campaign/violations/1.sched -- ./bank 3",
     "Stop in gdb at the context switches and at the violation."},
    {"clew replay --step ring.campaign/violations/1.sched ./ring.so",
     "Print each step and each node's state changes."},
    {"clew replay --step bank.campaign/violations/1.sched -- ./bank 3",
     "Print the interleaving with source lines."},
    {"clew replay --verify 100 ring.campaign/violations/1.sched ./ring.so",
     "Check that 100 replays are identical."},
    {0},
};

const struct verb verb_replay = {
    .name = "replay",
    .summary = "replay a schedule exactly",
    .operands = "SCHEDULE SYSTEM.so | SCHEDULE -- PROGRAM...",
    .operand_min = 2,
    .operand_max = 2,
    .takes_command = true,
    .about =
        "Runs a system or program under a schedule and prints the verdict. Runs only the system on "
        "the command line, never the one that the schedule's header names. If an operation of the "
        "schedule is not pending at its step, prints the step and the operation.",
    .exit_statuses =
        "0 no violation occurred\n1 a violation occurred\n2 the schedule or the system could not "
        "be read\n3 the schedule could not be followed, or the run did not end",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct replay_command),
    .examples = examples,
    .run = run,
};
