/* clew minimize: the shortest execution that still shows a violation. */
#include "minimize/minimize.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/fuzz_file.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/schedule_file.h"
#include "cli/searching.h"
#include "cli/spec_file.h"
#include "explore/replay.h"
#include "sim/sim.h"
#include "world/recipe.h"

enum { JOBS_MAX = 1024 };

struct minimize_command {
    struct common common;
    int stage; /* index of stage_word */
    int same;
    int compat;
    bool no_diverge;
    const char *repeat;
    const char *pace;
    const char *spec;
    const char *config;
    struct command_choice program;
};

static const char *stage_word(size_t index)
{
    return index == 0 ? "all" : index <= STAGE_COUNT ? stage_name((enum stage)(index - 1)) : NULL;
}

static const char *same_word(size_t index)
{
    return index < SAME_COUNT ? same_name((enum same)index) : NULL;
}

static const char *compat_word(size_t index)
{
    return index < COMPAT_COUNT ? compat_name((enum compat)index) : NULL;
}

/* One minimization from beginning to end. */
struct minimization {
    struct session *session;
    const struct minimize_command *command;
    struct world *world;
    struct schedule schedule;
    struct spec spec;
    struct fuzz fuzz;
    struct minimize_options options;
    struct minimized result;
    struct searching searching;
    struct out pace;
    char output[4096];
    uint64_t begin_ns;
    uint64_t replays; /* so far, for the pace */
};

/* X.sched becomes X.min.sched; what comes from standard input goes to standard output. */
static int name_output(struct minimization *m, struct err *e)
{
    const char *given = m->session->common->output;
    const char *input = m->session->inputs[0];
    const size_t size = strlen(input);
    static const char suffix[] = ".sched";
    const size_t stem =
        size >= sizeof suffix && strcmp(input + size - (sizeof suffix - 1), suffix) == 0
            ? size - (sizeof suffix - 1)
            : size;
    if (given == NULL && strcmp(input, "-") == 0) {
        given = input;
    }
    const int used =
        given != NULL ? snprintf(m->output, sizeof m->output, "%s", given)
                      : snprintf(m->output, sizeof m->output, "%.*s.min.sched", (int)stem, input);
    return used < (int)sizeof m->output ? 0 : err_set(e, "%s: its name is too long", input);
}

static int parse_repeat(struct minimize_options *o, const char *text, struct err *e)
{
    unsigned wanted = 0;
    unsigned runs = 0;
    int used = 0;
    /* NOLINTNEXTLINE(cert-err34-c): four digits always fit. */
    if (text != NULL && (sscanf(text, "%4u/%4u%n", &wanted, &runs, &used) != 2 ||
                         text[used] != '\0' || wanted == 0 || wanted > runs || runs > 1000)) {
        return session_misused(e, "--repeat %s: k/n says that k of n replays must show it", text);
    }
    o->repeat_wanted = wanted;
    o->repeat_runs = runs;
    return 0;
}

/* Nothing would be done of a stage that the pipeline does not have. */
static int check_stage(const struct minimize_command *c, struct err *e)
{
    const enum compat compat = (enum compat)c->compat;
    if (c->stage == 0 || compat_has(compat, (enum stage)(c->stage - 1))) {
        return 0;
    }
    char names[500] = "";
    size_t used = 0;
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (compat_has(compat, (enum stage)i)) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used == 0 ? "" : ", ", stage_name((enum stage)i));
        }
    }
    return session_misused(e, "--stage %s: is none of --compat %s, which has %s",
                           stage_word((size_t)c->stage), compat_name(compat), names);
}

/* On standard output there is room for one schedule: the last. */
static bool is_on_disk(const struct minimization *m)
{
    return strcmp(m->output, "-") != 0;
}

static int write_schedule(struct minimization *m, const struct plan *p,
                          const struct execution *best, struct err *e)
{
    struct schedule s;
    struct out out;
    schedule_init(&s);
    if (m->world->has_tasks) {
        recipe_write(&s, m->world, p,
                     best); /* only its switches: there may be thousands of steps */
    } else {
        recipe_write_whole(&s, m->world, p, best);
    }
    int result = out_open(&out, m->output, e);
    if (result == 0) {
        schedule_print(&s, &out);
        result = out_close(&out, e);
    }
    schedule_release(&s);
    return result;
}

/* Each new best is on the disk before the next is looked for. */
static int save(void *context, const struct plan *p, const struct execution *best, struct err *e)
{
    struct minimization *m = context;
    const int result = is_on_disk(m) ? write_schedule(m, p, best, e) : 0;
    if (result == 0 && m->command->pace != NULL) {
        out_format(&m->pace, "%llu %zu %u %.6f\n", (unsigned long long)m->result.replays,
                   best->steps.count, minimize_externals(best),
                   (double)(limit_now_ns() - m->begin_ns) / 1e9);
    }
    return result;
}

static void show(void *context, const struct minimize_progress *p)
{
    struct minimization *m = context;
    const double seconds = (double)(limit_now_ns() - m->begin_ns) / 1e9 + 1e-9;
    struct progress_number rate = progress_number((double)p->replays / seconds);
    char line[200];
    (void)snprintf(line, sizeof line, "%s: %u steps, %u from outside, %llu replays, %s/s",
                   stage_name(p->stage), p->steps, p->externals, (unsigned long long)p->replays,
                   rate.text);
    searching_show(&m->searching, line);
}

static const char *proof_text(const struct minimized *r)
{
    switch (r->proof) {
    case PROOF_OPTIMAL: return "optimal: no execution that shows it is shorter";
    case PROOF_KINDS: return "none shorter is made of the same kinds of steps";
    case PROOF_MINIMAL: return "minimal: no step of it can go";
    case PROOF_NONE: break;
    }
    if (r->is_flaky && !r->is_stopped) {
        return "the shortest found: replays may differ, so that nothing is proven";
    }
    return r->is_stopped ? "stopped before it was minimal: the best so far" : "not minimal";
}

/* Among which executions it was looked for, where that is not all of them. */
static const char *proof_bound(const struct minimization *m)
{
    const bool is_of_all = m->result.proof == PROOF_OPTIMAL || m->result.proof == PROOF_KINDS;
    const bool has_seed = is_of_all && m->world->has_drawn;
    if (is_of_all && m->options.no_diverge) {
        return has_seed ? ", without other changes or other random numbers of a node"
                        : ", without other changes of a node";
    }
    return has_seed ? ", with the same random numbers" : "";
}

static bool is_as_recorded(const struct minimization *m)
{
    return m->schedule.hash == 0 || m->schedule.hash == m->result.initial_hash;
}

/* A schedule of another build, or one that was changed, may show a violation all the same. */
static void warn_of_another_run(const struct minimization *m)
{
    struct notes notes = {0};
    notes_add(&notes, "",
              "its run is not as recorded (hash %016llx, and the schedule has %016llx): what it "
              "shows here is minimized",
              (unsigned long long)m->result.initial_hash, (unsigned long long)m->schedule.hash);
    session_warn(m->session, m->session->inputs[0], &notes);
    notes_release(&notes);
}

static void print_stages(const struct minimized *r, struct out *out)
{
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (r->stages[i].replays > 0) {
            out_format(out, "  %-10s %6llu gone, %llu replays\n", stage_name((enum stage)i),
                       (unsigned long long)r->stages[i].removed,
                       (unsigned long long)r->stages[i].replays);
        }
    }
    out_format(out, "%llu replays in all, %llu of them of what was given and of the result alone\n",
               (unsigned long long)r->replays, (unsigned long long)r->stages[STAGE_NONE].replays);
}

static void print_report(struct minimization *m)
{
    const struct minimized *r = &m->result;
    struct out *out = &m->session->out;
    session_paint(m->session, PAINT_ERROR, outcome_name(r->best.outcome));
    out_text(out, ": ");
    session_text(m->session, r->best.what);
    out_char(out, '\n');
    report_count(out, r->initial_steps, "step", "steps");
    out_format(out, ", %u from outside; now %zu and %u\n", r->initial_externals,
               r->best.steps.count, r->final_externals);
    if (m->world->has_tasks) {
        out_format(out, "%u switches; now %u%s\n", r->initial_switches, r->final_switches,
                   r->has_fewest_switches ? ", and none with fewer shows it" : "");
    }
    print_stages(r, out);
    out_format(out, "%s%s\n%s\n", proof_text(r), proof_bound(m), m->output);
}

static void add_count(struct finding_file *f, const char *group, const char *name, uint64_t count)
{
    vec_push(&f->stats,
             (struct figure){.group = group, .name = name, .type = FIGURE_COUNT, .count = count});
}

/* Two objects: what each stage that was run has removed, and its replays, with those of none. */
static void add_stages(struct finding_file *f, const struct minimized *r)
{
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (r->stages[i].replays > 0) {
            add_count(f, "removed", stage_name((enum stage)i), r->stages[i].removed);
        }
    }
    add_count(f, "replays_of", "given_and_result", r->stages[STAGE_NONE].replays);
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (r->stages[i].replays > 0) {
            add_count(f, "replays_of", stage_name((enum stage)i), r->stages[i].replays);
        }
    }
}

static void print_json(struct minimization *m)
{
    const struct minimized *r = &m->result;
    struct finding_file f = {0};
    report_begin(&f, m->session);
    finding_file_count(&f, "initial_events", r->initial_steps);
    finding_file_count(&f, "initial_externals", r->initial_externals);
    finding_file_count(&f, "final_events", r->best.steps.count);
    finding_file_count(&f, "final_externals", r->final_externals);
    finding_file_count(&f, "replays", r->replays);
    finding_file_count(&f, "replayed_events", r->steps);
    finding_file_count(&f, "executed_events", r->steps - r->steps_reused);
    add_stages(&f, r);
    if (m->world->has_tasks) {
        finding_file_count(&f, "initial_switches", r->initial_switches);
        finding_file_count(&f, "final_switches", r->final_switches);
        finding_file_flag(&f, "fewest_switches", r->has_fewest_switches);
    }
    finding_file_flag(&f, "as_recorded", is_as_recorded(m));
    finding_file_flag(&f, "flaky", r->is_flaky);
    finding_file_flag(&f, "optimal", r->proof == PROOF_OPTIMAL);
    finding_file_text(&f, "proof",
                      findings_text(&f.findings, "%s%s", proof_text(r), proof_bound(m)));
    finding_file_text(&f, "schedule", m->output);
    f.verdict = VERDICT_FOUND;
    findings_add(&f.findings, &(struct finding){.kind = outcome_finding(r->best.outcome),
                                                .status = STATUS_CONFIRMED,
                                                .grade = GRADE_SOUND,
                                                .severity = r->best.severity,
                                                .what = r->best.what,
                                                .key = r->best.key,
                                                .pair_count = 1});
    report_print(&f, m->session);
    finding_file_release(&f);
}

static int open_world(struct minimization *m, struct err *e)
{
    const struct minimize_command *c = m->command;
    const struct schedule *s = &m->schedule;
    if (schedule_file_read(&m->schedule, m->session->inputs[0], e) < 0 ||
        (c->spec != NULL && spec_file_read(&m->spec, c->spec, e) < 0) ||
        (c->config != NULL && fuzz_file_read(&m->fuzz, c->config, e) < 0)) {
        return -1;
    }
    const struct sim_options options = {.net = s->net == 0 ? NULL : names_text(&s->names, s->net),
                                        .with =
                                            s->with == 0 ? NULL : names_text(&s->names, s->with),
                                        .spec = c->spec == NULL ? NULL : &m->spec,
                                        .fuzz = c->config == NULL ? NULL : &m->fuzz,
                                        .fuzz_name = c->config};
    if (m->session->command != NULL) {
        return command_open(&m->world, m->session, &c->program, c->spec == NULL ? NULL : &m->spec,
                            e);
    }
    return sim_open(&m->world, m->session->inputs[1], &options, e);
}

/* Where the schedule could not be followed that is what is wrong, not that it shows nothing. */
static void name_divergence(const struct minimization *m, struct err *e)
{
    char text[300];
    replay_say_divergence(&m->schedule, &m->result.best, text, sizeof text);
    if (text[0] != '\0') {
        (void)err_set(e, "cannot be followed: %s", text);
    }
}

static int reduce(struct minimization *m, struct err *e)
{
    const struct minimize_command *c = m->command;
    struct recipe recipe = {0};
    m->options.same = (enum same)c->same;
    m->options.compat = (enum compat)c->compat;
    m->options.no_diverge = c->no_diverge;
    m->options.stages = c->stage == 0 ? 0 : 1u << (c->stage - 1);
    m->options.budget = m->session->budget;
    m->options.jobs = (uint32_t)c->common.jobs;
    m->options.keeps_checkpoints = c->spec == NULL;
    m->options.better = save;
    m->options.progress = show;
    m->options.context = m;
    int result = replay_check(m->world, &m->schedule, e);
    if (result == 0) {
        result = recipe_parse(&recipe, &m->schedule, e);
    }
    if (result == 0) {
        m->begin_ns = limit_now_ns();
        searching_begin(&m->searching, m->session, m->world->system);
        m->options.is_stopped = stopping_wish();
        result = minimize(m->world, &recipe.plan, &m->options, &m->result, e);
        searching_end(&m->searching);
    }
    if (result < 0 && !outcome_is_violation(m->result.best.outcome)) {
        name_divergence(m, e);
    }
    recipe_release(&recipe);
    return result < 0 ? err_wrap(e, "%s", m->session->inputs[0]) : 0;
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
    if (check_stage(m.command, e) < 0) {
        return MISUSED;
    }
    schedule_init(&m.schedule);
    spec_init(&m.spec);
    int status = name_output(&m, e);
    if (status == 0 && s->common->json && !is_on_disk(&m)) {
        status = session_misused(e, "--json and -o -: standard output has room for one of them");
    }
    if (status == 0 && m.command->pace != NULL) {
        status = out_open(&m.pace, m.command->pace, e);
    }
    const bool has_pace = status == 0 && m.command->pace != NULL;
    if (status == 0) {
        status = open_world(&m, e);
    }
    if (status == 0) {
        status = reduce(&m, e);
    }
    if (has_pace && out_close(&m.pace, e) < 0) {
        status = -1;
    }
    if (status == 0 && !is_as_recorded(&m)) {
        warn_of_another_run(&m);
    }
    if (status == 0) {
        if (s->common->json) {
            print_json(&m);
        } else if (is_on_disk(&m)) {
            print_report(&m);
        } else {
            status = write_schedule(&m, &m.result.plan, &m.result.best, e);
        }
    }
    minimized_release(&m.result);
    world_close(m.world);
    fuzz_release(&m.fuzz);
    spec_release(&m.spec);
    schedule_release(&m.schedule);
    return status < 0 ? status : EXIT_CLEAN;
}

static const struct option options[] = {
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_FILE, .argument = "FILE",
               .help =
                   "where the schedule is written, anew with every better one (default: "
                   "X.min.sched for X.sched, - for -); - is standard output, for the last alone"),
    {.name = "stage",
     .type = OPTION_CHOICE,
     .argument = "NAME",
     .word = stage_word,
     .target = offsetof(struct minimize_command, stage),
     .help = "only this: shortcuts, slice, switches, externals, chunks, cones, strands, singles, "
             "seeds, "
             "contents, drift, pairs, tails, matches, moves, anew, detours, exact (default: all)"},
    {.name = "compat",
     .type = OPTION_CHOICE,
     .argument = "WHOM",
     .word = compat_word,
     .target = offsetof(struct minimize_command, compat),
     .help = "as another does it: demi (its program), demi-paper (its paper)"},
    {.name = "no-diverge",
     .type = OPTION_FLAG,
     .target = offsetof(struct minimize_command, no_diverge),
     .help = "refuse runs in which a node's variables change as they never did in the first"},
    {.name = "same",
     .type = OPTION_CHOICE,
     .argument = "WHAT",
     .word = same_word,
     .target = offsetof(struct minimize_command, same),
     .help = "what is the same violation: up-to-renaming (the same claim is broken on any node; "
             "default), exact (on the same node), kind (any of its kind)"},
    {.name = "repeat",
     .type = OPTION_TEXT,
     .argument = "K/N",
     .target = offsetof(struct minimize_command, repeat),
     .help = "for systems that do not behave the same every time: K of N replays must show it"},
    {.name = "pace",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct minimize_command, pace),
     .help = "write a line for every better one: replays, steps, those from outside, seconds"},
    {.name = "spec",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct minimize_command, spec),
     .help = "check these properties too, as the exploration did"},
    {.name = "config",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct minimize_command, config),
     .help = "what comes from outside, as the exploration had it (default: as the system says)"},
    COMMAND_OPTIONS(struct minimize_command),
    COMMON_JSON,
    COMMON_JOBS,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct minimize_command defaults = {.common = COMMON_DEFAULTS,
                                                 .program = COMMAND_CHOICE_DEFAULTS};

static const struct example examples[] = {
    {"clew minimize ring.campaign/violations/1.sched ./ring.so",
     "The shortest way to the same violation."},
    {"clew minimize --budget 5s -o short.sched long.sched ./ring.so",
     "The best that five seconds give."},
    {0},
};

const struct verb verb_minimize = {
    .name = "minimize",
    .summary = "find the shortest execution that still shows a violation",
    .operands = "SCHEDULE SYSTEM.so | SCHEDULE -- PROGRAM...",
    .operand_min = 2,
    .operand_max = 2,
    .takes_command = true,
    .about = "Leaves out what a violation does not need: requests and faults first, then "
             "deliveries and timers, by ever smaller groups, by twos and threes, and by moving "
             "steps; makes smaller what requests bring, where the system says how; looks for other "
             "runs that show it; at last every shorter execution is tried, as far as that can be "
             "done. Each "
             "better one is replayed and written at once, so that Ctrl-C, or worse, leaves the "
             "best so far.",
    .exit_statuses = "0 a schedule that was replayed is written\n"
                     "2 the schedule or the system could not be read, or shows no violation",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct minimize_command),
    .examples = examples,
    .run = run,
};
