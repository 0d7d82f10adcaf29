/* clew minimize: the shortest execution that still shows a violation. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/input/fuzz_option.h"
#include "cli/input/schedule_file.h"
#include "cli/input/schedule_world.h"
#include "cli/input/spec_file.h"
#include "cli/process_setup.h"
#include "cli/text/output_check.h"
#include "cli/verbs/minimize_run.h"
#include "explore/replay.h"
#include "world/recipe.h"

enum { JOBS_MAX = 1024, REPEAT_MAX = 1000 };

static const char *stage_word(size_t index)
{
    return index < STAGE_COUNT ? stage_name((enum stage)index) : NULL;
}

static const char *stage_says(size_t index)
{
    return stage_meaning((enum stage)index);
}

static const char *same_word(size_t index)
{
    return index < SAME_COUNT ? same_name((enum same)index) : NULL;
}

static const char *compat_word(size_t index)
{
    return index < COMPAT_COUNT ? compat_name((enum compat)index) : NULL;
}

static int parse_repeat(struct minimize_options *o, const char *text, struct err *e)
{
    unsigned wanted = 0;
    unsigned runs = 0;
    int used = 0;
    if (text == NULL) {
        return 0;
    }
    /* NOLINTNEXTLINE(cert-err34-c): nine digits always fit. */
    if (sscanf(text, "%9u/%9u%n", &wanted, &runs, &used) != 2 || text[used] != '\0') {
        return session_misused(e, "--repeat %s: expected K/N, such as 1/5 for one of five replays",
                               text);
    }
    if (wanted == 0 || wanted > runs || runs > REPEAT_MAX) {
        return session_misused(e, "--repeat %s: K must be from 1 to N, and N at most %d", text,
                               REPEAT_MAX);
    }
    o->repeat_wanted = wanted;
    o->repeat_runs = runs;
    return 0;
}

static uint32_t stages_of(enum compat compat)
{
    uint32_t stages = 0;
    for (int i = 0; i < STAGE_COUNT; i++) {
        stages |= (uint32_t)compat_has(compat, (enum stage)i) << i;
    }
    return stages;
}

/* Nothing would be done of a stage that the pipeline does not have. */
static int check_stages(const struct minimize_command *c, struct err *e)
{
    const enum compat compat = (enum compat)c->compat;
    const uint32_t others = c->stages & ~stages_of(compat);
    if (others == 0) {
        return 0;
    }
    char names[500] = "";
    size_t used = 0;
    for (uint32_t left = stages_of(compat); left != 0; left &= left - 1) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used == 0 ? "" : ", ",
                                 stage_name((enum stage)__builtin_ctz(left)));
    }
    return session_misused(e, "--stage %s: --compat %s has no such stage; it has %s",
                           stage_name((enum stage)__builtin_ctz(others)), compat_name(compat),
                           names);
}

/* Goes on without --pace, which no result depends on. Why is said, unless its reader went
 * away and asked for no more. */
static void give_up_pace(struct minimization *m, const struct err *why)
{
    if (why->reason != EPIPE && !m->session->common->quiet) {
        searching_show(&m->searching, "");
        session_say("%s: --pace writes no further lines", why->text);
    }
    out_abandon(&m->pace);
    m->has_pace = false;
}

static void write_pace(struct minimization *m, const struct execution *best)
{
    struct err why;
    out_format(&m->pace, "%llu %zu %u %.6f", (unsigned long long)m->result.replays,
               best->steps.count, minimize_externals(best),
               (double)(limit_now_ns() - m->begin_ns) / 1e9);
    if (m->world->has_tasks) {
        out_format(&m->pace, " %u", minimize_switches(best));
    }
    out_char(&m->pace, '\n');
    if (out_flush(&m->pace, &why) < 0) {
        give_up_pace(m, &why);
    }
}

/* Each new best is on the disk before the next is looked for, where the file there is no better. */
static int save(void *context, const struct plan *p, const struct execution *best, struct err *e)
{
    struct minimization *m = context;
    const bool is_due = m->file.is_regular && best_file_wants(&m->file, m->world, best);
    if (is_due && best_file_write(&m->file, m->world, p, best, e) < 0) {
        return -1;
    }
    if (m->has_pace) {
        write_pace(m, best);
    }
    return 0;
}

/* The options were checked before; the name of the file may be a default. */
static int check_files(const struct minimization *m, struct err *e)
{
    const char *path = m->file.path;
    const char *input = m->session->inputs[0];
    if (m->session->common->json && best_file_is_stdout(&m->file)) {
        return session_misused(e, "--json and -o - both write to standard output; choose one");
    }
    const char *pace = m->command->pace;
    const bool is_pace_on_stdout = pace != NULL && strcmp(pace, "-") == 0;
    if (is_pace_on_stdout && (m->session->common->json || best_file_is_stdout(&m->file))) {
        return session_misused(e, "--pace - and %s both write to standard output; choose one",
                               m->session->common->json ? "--json" : "-o -");
    }
    if (pace != NULL && outputs_are_one(path, pace)) {
        return session_misused(e, "--pace %s: --output names the same file", pace);
    }
    if (outputs_are_one(path, input)) {
        return session_misused(e, "%s: would overwrite the input %s; name another file with -o",
                               path, input);
    }
    return 0;
}

/* It grows in place: written lines stay, however the process ends. */
static int open_pace(struct minimization *m, struct err *e)
{
    if (out_open_in_place(&m->pace, m->command->pace, e) < 0) {
        return -1;
    }
    out_format(&m->pace, "# replays steps from-outside seconds%s\n",
               m->world->has_tasks ? " switches" : "");
    m->has_pace = true;
    return 0;
}

static void close_pace(struct minimization *m)
{
    struct err why;
    if (m->has_pace && out_close(&m->pace, &why) < 0) {
        give_up_pace(m, &why);
    }
}

static int open_world(struct minimization *m, struct err *e)
{
    const struct minimize_command *c = m->command;
    if (schedule_file_read(&m->schedule, m->session->inputs[0], e) < 0 ||
        (c->spec != NULL && spec_file_read(&m->spec, c->spec, e) < 0) ||
        (c->config != NULL && fuzz_file_read(&m->fuzz, c->config, e) < 0)) {
        return -1;
    }
    if (m->session->command != NULL) {
        return command_open(&m->world, m->session, &c->program, c->spec == NULL ? NULL : &m->spec,
                            e);
    }
    const struct schedule_world of = {.schedule = m->session->inputs[0],
                                      .system = m->session->inputs[1],
                                      .program = "put -- before it",
                                      .spec = c->spec == NULL ? NULL : &m->spec,
                                      .fuzz = c->config == NULL ? NULL : &m->fuzz,
                                      .fuzz_name = c->config};
    return schedule_world_open(&m->world, &m->schedule, &of, e);
}

/* Whether the program has ended with one other than 0. */
static bool ends_with_status(const struct execution *x)
{
    static const char words[] = "the program ends with status ";
    const size_t size = sizeof words - 1;
    return strncmp(x->what, words, size) == 0 && strcmp(x->what + size, "0") != 0;
}

/* Settings that the schedule may not have, or that may differ now. */
static void hint(const struct minimization *m, char *text, size_t size)
{
    const struct minimize_command *c = m->command;
    const char *again = m->options.repeat_runs > 1
                            ? "for a violation that few replays show, use a larger N"
                            : "for a violation that not every replay shows, use --repeat K/N";
    if (m->session->command == NULL) {
        const char *missing = schedule_hint(c->spec, c->config);
        (void)snprintf(text, size, "%s%s%s", missing, missing[0] == '\0' ? "" : "; ", again);
    } else if (c->program.fail_on < 0 && ends_with_status(&m->result.best)) {
        (void)snprintf(text, size, "--fail-on exit makes a status other than 0 a violation");
    } else {
        (void)snprintf(text, size,
                       "use the build, the program's arguments, --fail-on, --property, --watch and "
                       "--spec of the search; %s",
                       again);
    }
}

/* Whether the schedule was run as often as a run may fail to show the violation; else the world has
 * failed. */
static bool was_in_vain(const struct minimization *m)
{
    const struct minimize_options *o = &m->options;
    const uint64_t replays_least =
        o->repeat_runs - o->repeat_wanted + (o->no_diverge ? UINT64_C(2) : UINT64_C(1));
    return !outcome_is_violation(m->result.best.outcome) &&
           (m->result.replays >= replays_least ||
            (m->result.replays > 0 && m->result.stopped_by != LIMIT_OPEN));
}

/* Where the schedule could not be followed, that is the error, not the missing violation. */
static void say_no_violation(const struct minimization *m, struct err *e)
{
    const struct execution *x = &m->result.best;
    char reason[300];
    char remedy[300];
    replay_say_divergence(&m->schedule, x, reason, sizeof reason);
    hint(m, remedy, sizeof remedy);
    if (reason[0] != '\0') {
        (void)err_set(e, "cannot be followed: %s (%s)", reason, remedy);
    } else if (m->result.replays == 1) {
        (void)err_set(e, "shows no violation (%s: %s) (%s)", outcome_name(x->outcome), x->what,
                      remedy);
    } else {
        (void)err_set(e, "shows no violation in %llu replays (the last: %s: %s) (%s)",
                      (unsigned long long)m->result.replays, outcome_name(x->outcome), x->what,
                      remedy);
    }
}

/* Under --no-diverge the file there need not be a reduction of the schedule; it is replaced then.
 */
static void look_at_output(struct minimization *m)
{
    const uint32_t runs = m->options.repeat_runs == 0 ? 1 : m->options.repeat_runs;
    best_file_look(&m->file, m->world, m->options.same, m->command->no_diverge ? 0 : runs);
}

static int reduce(struct minimization *m, struct err *e)
{
    const struct minimize_command *c = m->command;
    struct recipe recipe = {0};
    m->options.same = (enum same)c->same;
    m->options.compat = (enum compat)c->compat;
    m->options.no_diverge = c->no_diverge;
    m->options.stages = c->stages;
    m->options.budget = m->session->budget;
    m->options.jobs = process_processors((uint32_t)c->common.jobs);
    m->options.keeps_checkpoints = c->spec == NULL;
    m->options.better = save;
    m->options.progress = minimization_show;
    m->options.context = m;
    int result = replay_check(m->world, &m->schedule, e);
    if (result == 0) {
        result = recipe_parse(&recipe, &m->schedule, e);
    }
    if (result == 0) {
        look_at_output(m);
        m->begin_ns = limit_now_ns();
        searching_begin(&m->searching, m->session, m->world->system);
        m->options.is_stopped = stopping_wish();
        result = minimize(m->world, &recipe.plan, &m->options, &m->result, e);
        searching_end(&m->searching);
        m->elapsed_ns = limit_now_ns() - m->begin_ns;
    }
    if (result < 0 && was_in_vain(m)) {
        say_no_violation(m, e);
    }
    recipe_release(&recipe);
    return result < 0 ? err_wrap(e, "%s", m->session->inputs[0]) : 0;
}

/* Whether the file has the result, or a better one that others put there, at whatever moment. */
static bool is_settled(struct minimization *m)
{
    return m->file.is_regular &&
           (!best_file_wants(&m->file, m->world, &m->result.best) || m->file.is_written);
}

/* From the schedule that was given to the one that is left. */
static int search(struct minimization *m, struct err *e)
{
    if (open_world(m, e) < 0 || (m->command->pace != NULL && open_pace(m, e) < 0)) {
        return -1;
    }
    const int status = reduce(m, e);
    close_pace(m);
    return status < 0 || is_settled(m)
               ? status
               : best_file_write(&m->file, m->world, &m->result.plan, &m->result.best, e);
}

static int run(struct session *s, const void *options, struct err *e)
{
    struct minimization m = {.session = s, .command = options};
    if (parse_repeat(&m.options, m.command->repeat, e) < 0) {
        return MISUSED;
    }
    if (m.command->common.jobs == 0 || m.command->common.jobs > JOBS_MAX) {
        return session_misused(e, "--jobs: from 1 to %d", JOBS_MAX);
    }
    if (check_stages(m.command, e) < 0 || command_check(s, &m.command->program, e) < 0) {
        return MISUSED;
    }
    schedule_init(&m.schedule);
    spec_init(&m.spec);
    int status = best_file_name(&m.file, s->common->output, s->inputs[0], e);
    if (status == 0) {
        status = check_files(&m, e);
    }
    if (status == 0) {
        status = search(&m, e);
    }
    if (status == 0) {
        minimization_report(&m);
    } else if (m.file.is_written) {
        session_say("%s", e->text);
        minimization_say_left(&m);
        status = EXIT_UNABLE;
    }
    minimized_release(&m.result);
    best_file_release(&m.file);
    world_close(m.world);
    fuzz_release(&m.fuzz);
    spec_release(&m.spec);
    schedule_release(&m.schedule);
    return status;
}

static const struct option options[] = {
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_OUTPUT, .argument = "FILE",
               .help =
                   "write the schedule to FILE, each time a better one is found; a better schedule "
                   "that FILE already has is kept (default: X.min.sched for X.sched, - for -); "
                   "standard output (-), a pipe or a device receives only the final schedule"),
    {.name = "stage",
     .type = OPTION_CHOICES,
     .argument = "NAME",
     .word = stage_word,
     .meaning = stage_says,
     .target = offsetof(struct minimize_command, stages),
     .help = "run only this stage; may be repeated (default: all stages)"},
    {.name = "compat",
     .type = OPTION_CHOICE,
     .argument = "WHOM",
     .word = compat_word,
     .target = offsetof(struct minimize_command, compat),
     .help = "minimize as DEMi does: demi (as implemented), demi-paper (as published)"},
    {.name = "no-diverge",
     .type = OPTION_FLAG,
     .target = offsetof(struct minimize_command, no_diverge),
     .help = "reject runs in which a node's variables take a transition that the original run does "
             "not have"},
    {.name = "same",
     .type = OPTION_CHOICE,
     .argument = "WHAT",
     .word = same_word,
     .target = offsetof(struct minimize_command, same),
     .help = "which violations count as the same: up-to-renaming (the same property on any node; "
             "default), exact (on the same node), kind (any violation of the same kind)"},
    {.name = "repeat",
     .type = OPTION_TEXT,
     .argument = "K/N",
     .target = offsetof(struct minimize_command, repeat),
     .help = "for nondeterministic systems: K of N replays must show the violation"},
    {.name = "pace",
     .type = OPTION_OUTPUT,
     .argument = "FILE",
     .target = offsetof(struct minimize_command, pace),
     .help = "write a line for every improvement: replays, steps, external events, seconds and, "
             "for a program, context switches"},
    {.name = "spec",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct minimize_command, spec),
     .help = "check these properties, as the exploration did"},
    {.name = "config",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct minimize_command, config),
     .help = "external events, as in the exploration (default: set by the system)"},
    COMMON_CLUSTER,
    COMMAND_OPTIONS(struct minimize_command),
    COMMON_JSON,
    COMMON_ROW(jobs, .name = "jobs", .letter = 'j', .type = OPTION_NUMBER, .argument = "N",
               .help = "use N processes, at most one for each available processor (default: 1)"),
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct minimize_command defaults = {.common = COMMON_DEFAULTS,
                                                 .program = COMMAND_CHOICE_DEFAULTS};

static const struct example examples[] = {
    {"clew minimize ring.campaign/violations/1.sched ./ring.so",
     "Find the shortest execution with the same violation."},
    {"clew minimize --budget 5s -o short.sched long.sched ./ring.so",
     "Stop after five seconds with the best schedule so far."},
    {0},
};

const struct verb verb_minimize = {
    .name = "minimize",
    .summary = "find the shortest execution that still shows a violation",
    .operands = "SCHEDULE SYSTEM.so | SCHEDULE -- PROGRAM...",
    .operand_min = 2,
    .operand_max = 2,
    .takes_command = true,
    .is_stopped_softly = true,
    .about = "Removes all steps that a violation does not need. Works in stages: removes external "
             "events (requests and faults), then internal events (deliveries and timers) in ever "
             "smaller groups; moves steps; shrinks request payloads where the system says how; "
             "searches for other runs with the same violation; and finally tries every shorter "
             "execution, where their number permits. Each improvement is replayed and written at "
             "once, so an interrupted search leaves the best schedule so far.",
    .exit_statuses = "0 the output file has a replayed schedule, also when the budget or Ctrl-C "
                     "ended the search\n2 the schedule or the system could not be read, the "
                     "schedule shows no violation, or an improvement could not be written",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct minimize_command),
    .examples = examples,
    .run = run,
};
