/* clew reproduce: from the recording of a run that failed to a schedule that fails the same way. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/input/program_command.h"
#include "cli/input/trace_input.h"
#include "cli/interrupt.h"
#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"
#include "hunt/race_orders.h"
#include "hunt/reproduce.h"
#include "minimize/minimize.h"
#include "world/recipe.h"

struct reproduce_command {
    struct common common;
    uint64_t seed;
    bool no_minimize;
    struct command_choice program;
};

/* The time of all runs, if --budget does not say otherwise; replays of the minimization. */
static const uint64_t time_ns_default = 60000000000;
enum { MINIMIZE_REPLAYS = 10000 };

/* One command. */
struct reproducing {
    struct session *session;
    const struct reproduce_command *command;
    struct reading reading;
    struct recorded_end end;
    struct world *world;
    struct command_choice choice; /* of the world */
    struct reproduced found;
    struct minimized minimized;
    bool is_minimized;
    char path[4096]; /* of the schedule */
    const char *replay;
    struct finding_file file;
};

/* run.sched for run.clew. */
static int name_schedule(struct reproducing *g, struct err *e)
{
    static const char ending[] = ".clew";
    const char *input = g->session->inputs[0];
    const char *given = g->session->common->output;
    const size_t size = strlen(input);
    const bool has_ending =
        size >= sizeof ending && strcmp(input + size - (sizeof ending - 1), ending) == 0;
    const size_t stem = has_ending ? size - (sizeof ending - 1) : size;
    const int used = given != NULL
                         ? snprintf(g->path, sizeof g->path, "%s", given)
                         : snprintf(g->path, sizeof g->path, "%.*s.sched", (int)stem, input);
    return used < (int)sizeof g->path ? 0 : err_set(e, "%s: its name is too long", input);
}

static int read_recording(struct reproducing *g, struct err *e)
{
    int result = reading_load(&g->reading, e);
    if (result == 0 && g->reading.is_cut) {
        result = err_set(e, "%s: the budget ended before the trace did; raise --budget",
                         g->reading.name);
    }
    if (result == 0) {
        g->end = recorded_end_of(&g->reading.trace);
    }
    if (result == 0 && g->end.kind == END_PASSED) {
        result = err_set(e,
                         "%s: the recorded run ended with status 0, so there is no failure to "
                         "reproduce; clew hunt looks for one",
                         g->reading.name);
    }
    return result;
}

static int open_program(struct reproducing *g, struct err *e)
{
    g->choice = g->command->program;
    if (g->end.kind == END_EXIT) {
        g->choice.fail_on = 0;
    }
    return command_open(&g->world, g->session, &g->choice, NULL, e);
}

static int search(struct reproducing *g, const struct limit *limit, struct err *e)
{
    const struct reproduce_options o = {.search = {.depth = CONTROL_STEPS_DEFAULT,
                                                   .seed = g->command->seed,
                                                   .is_mixed = true,
                                                   .has_tasks = g->world->has_tasks,
                                                   .scope = g->world->scope,
                                                   .order = g->world->order,
                                                   .check_every = g->world->check_every},
                                        .limit = *limit,
                                        .is_stopped = limit->is_stopped};
    return reproduce(g->world, &g->reading.trace, &o, &g->found, e);
}

static int write_schedule(struct reproducing *g, const char *text, struct err *e)
{
    struct out out;
    if (out_open(&out, g->path, e) < 0) {
        return -1;
    }
    out_text(&out, text);
    return out_close(&out, e);
}

/* Minimizes the schedule and writes it. One that cannot be minimized is written as it is. */
static int keep(struct reproducing *g, const struct limit *limit, struct err *e)
{
    struct in in;
    struct schedule s;
    struct recipe recipe = {0};
    struct err why;
    schedule_init(&s);
    in_open_memory(&in, g->found.schedule, strlen(g->found.schedule));
    int result = schedule_parse(&s, &in, e) < 0 ? -1 : recipe_parse(&recipe, &s, e);
    struct minimize_options o = {.budget = *limit, .jobs = 1, .is_stopped = limit->is_stopped};
    o.budget.runs = MINIMIZE_REPLAYS;
    if (result == 0 && !g->command->no_minimize) {
        g->is_minimized = minimize(g->world, &recipe.plan, &o, &g->minimized, &why) == 0;
    }
    if (result == 0) {
        char *text = g->is_minimized
                         ? race_schedule_text(g->world, &g->minimized.plan, &g->minimized.best)
                         : mem_text(g->found.schedule, strlen(g->found.schedule));
        result = write_schedule(g, text, e);
        mem_free(text);
    }
    in_close(&in);
    recipe_release(&recipe);
    schedule_release(&s);
    return result;
}

/* Output */

static const char *replay_of(struct reproducing *g)
{
    struct out out;
    out_open_memory(&out);
    out_text(&out, "clew replay ");
    command_print_options(&out, &g->choice, NULL, NULL);
    command_print_word(&out, g->path);
    char *words = command_print(g->session);
    out_format(&out, " %s", words);
    mem_free(words);
    const char *text = arena_text(&g->file.findings.arena, out.buffer, out.used);
    out_abandon(&out);
    return text;
}

static void fill(struct reproducing *g)
{
    struct finding_file *f = &g->file;
    const struct reproduced *r = &g->found;
    if (r->is_found) {
        findings_add(&f->findings, &(struct finding){.kind = outcome_finding(r->outcome),
                                                     .status = STATUS_CONFIRMED,
                                                     .grade = GRADE_SOUND,
                                                     .severity = r->severity,
                                                     .what = r->what,
                                                     .key = r->key,
                                                     .replay = g->replay,
                                                     .pair_count = 1});
    }
    must(r->aligned_count <= r->recorded_count);
    must(!g->is_minimized || r->is_found);
    f->verdict = verdict_of(r->is_found, !r->is_found);
    finding_file_count(f, "runs", r->run_count);
    finding_file_count(f, "recorded_events", r->recorded_count);
    finding_file_count(f, "aligned_events", r->aligned_count);
    finding_file_text(f, "way", r->is_found ? r->way : "");
    finding_file_text(f, "schedule", r->is_found ? g->path : "");
    finding_file_text(f, "other_failure", r->other);
    if (g->is_minimized) {
        finding_file_count(f, "steps", g->minimized.best.steps.count);
        finding_file_count(f, "switches", g->minimized.final_switches);
    }
}

static void print_words(struct reproducing *g)
{
    struct session *s = g->session;
    const struct reproduced *r = &g->found;
    out_text(&s->out, "recorded: the program ");
    recorded_end_print(g->end, &s->out);
    out_text(&s->out, r->is_found ? "\nreproduced: " : "\nunknown: not reproduced in ");
    if (r->is_found) {
        out_format(&s->out, "%s: ", outcome_name(r->outcome));
        session_text(s, r->what);
        out_format(&s->out, "\nby %s, in ", r->way);
    }
    report_count(&s->out, r->run_count, "run", "runs");
    out_format(&s->out, "; %u of %u recorded events have been steps of a run\n", r->aligned_count,
               r->recorded_count);
    if (!r->is_found && r->other[0] != '\0') {
        out_text(&s->out, "another failure: ");
        session_text(s, r->other);
        out_char(&s->out, '\n');
    }
    if (g->is_minimized) {
        out_format(
            &s->out, "minimized: %zu steps, %u context switch%s%s\n", g->minimized.best.steps.count,
            g->minimized.final_switches, g->minimized.final_switches == 1 ? "" : "es",
            g->minimized.has_fewest_switches ? "; no execution with fewer context switches fails"
                                             : "");
    }
    if (r->is_found) {
        out_text(&s->out, "again: ");
        session_text(s, g->replay);
        out_char(&s->out, '\n');
    }
}

static int report(struct reproducing *g)
{
    struct session *s = g->session;
    control_rest(g->world);
    report_begin(&g->file, s);
    g->replay = g->found.is_found ? replay_of(g) : "";
    fill(g);
    exports_add_all(&s->exports, &g->file.findings);
    if (s->common->json) {
        report_print(&g->file, s);
    } else {
        print_words(g);
    }
    return verdict_status(g->file.verdict);
}

static int reproduce_all(struct reproducing *g, struct err *e)
{
    struct stopping stopping;
    struct limit limit = g->session->budget;
    int result = name_schedule(g, e);
    if (result == 0) {
        result = read_recording(g, e);
    }
    if (result == 0) {
        result = open_program(g, e);
    }
    if (result < 0) {
        return result;
    }
    stopping_begin(&stopping);
    limit.is_stopped = stopping_wish();
    if (limit.runs == 0 && limit.time_ns == 0) {
        limit.time_ns = time_ns_default;
    }
    result = search(g, &limit, e);
    if (result == 0 && g->found.is_found) {
        result = keep(g, &limit, e);
    }
    stopping_end(&stopping);
    return result < 0 ? result : report(g);
}

static int run(struct session *s, const void *options, struct err *e)
{
    struct reproducing g = {.session = s, .command = options};
    if (s->command == NULL) {
        return session_misused(e, "which program? put it behind --: clew reproduce %s -- ./program",
                               s->inputs[0]);
    }
    if (command_check(s, &g.command->program, e) < 0) {
        return MISUSED;
    }
    int status = reading_open_one(&g.reading, s, 0, e);
    if (status != 0) {
        return status;
    }
    status = reproduce_all(&g, e);
    world_close(g.world);
    minimized_release(&g.minimized);
    reproduced_release(&g.found);
    finding_file_release(&g.file);
    reading_close(&g.reading);
    return status;
}

static const struct option options[] = {
    {.name = "seed",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct reproduce_command, seed),
     .help = "seed of all random choices (default: 1)"},
    {.name = "no-minimize",
     .type = OPTION_FLAG,
     .target = offsetof(struct reproduce_command, no_minimize),
     .help = "write the schedule as it was found"},
    COMMAND_OPTIONS(struct reproduce_command),
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_OUTPUT, .argument = "FILE",
               .help = "write the schedule to FILE (default: run.sched for run.clew)"),
    COMMON_JSON,
    COMMON_EXPORTS,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct reproduce_command defaults = {
    .common = COMMON_DEFAULTS, .seed = 1, .program = COMMAND_CHOICE_DEFAULTS};

static const struct example examples[] = {
    {"clew record -- ./server; clew reproduce run.clew -- ./server",
     "Rebuild a schedule of the recorded failure."},
    {"clew reproduce --budget 10m -o night.sched night.clew -- ./server --port 0",
     "Search for ten minutes, and choose the schedule's file."},
    {0},
};

const struct verb verb_reproduce = {
    .name = "reproduce",
    .summary = "rebuild the schedule of a recorded failure",
    .operands = "TRACE -- PROGRAM...",
    .operand_min = 2,
    .operand_max = 2,
    .takes_command = true,
    .is_stopped_softly = true,
    .about = "Reads the recording of a run that failed, runs the program under control in the "
             "recorded order, and searches beside that order for a run that ends in the same way: "
             "with an exit status other than 0, with a crash, or not at all. Minimizes its "
             "schedule and writes it. The budget is 60 s unless --budget says otherwise.",
    .exit_statuses = "1 the failure was reproduced\n2 the recording or the program could not be "
                     "read, or the recorded run did not fail\n3 it was not reproduced",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct reproduce_command),
    .examples = examples,
    .run = run,
};
