/* clew explore: run a system under many schedules, and keep those that break it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "campaign/account.h"
#include "cli/command.h"
#include "cli/fuzz_file.h"
#include "cli/interactive.h"
#include "cli/report.h"
#include "cli/searching.h"
#include "cli/spec_file.h"
#include "explore/explore.h"
#include "pick/name.h"
#include "sim/sim.h"
#include "trace/kind.h"

enum { DEPTH_DEFAULT = 1000, DELAYS_DEFAULT = 3, JOBS_MAX = 1024, FOLDERS_MAX = 10000 };

struct explore_command {
    struct common common;
    int strategy; /* index of strategy_word */
    const char *faults;
    const char *net;
    const char *spec;
    const char *bug;
    const char *set;
    const char *config;
    uint64_t depth; /* 0: as the system says */
    uint64_t delays;
    uint64_t pct_depth;
    uint64_t seed;
    bool prune;
    bool first;
    bool require_exhaustive;
    const char *resume;
    bool interactive;
    struct command_choice program;
};

static const int strategies[] = {EXPLORE_AUTO,  PICK_RANDOM, PICK_PCT,       PICK_POS,
                                 PICK_SURW,     PICK_UNIQUE, PICK_FREQUENCY, PICK_NODEFREQ,
                                 EXPLORE_DELAY, EXPLORE_DPOR};

static const char *strategy_word(size_t index)
{
    return index < sizeof strategies / sizeof *strategies ? explore_strategy_name(strategies[index])
                                                          : NULL;
}

/* One exploration from beginning to end. */
struct exploration {
    struct session *session;
    const struct explore_command *command;
    struct spec spec;
    struct fuzz fuzz;
    struct world *world;
    struct explore_options options;
    struct explored found;
    struct account account; /* of the campaign, after the search */
    char folder[4000];
    char *target; /* what is explored, as a command line has it */
};

static bool is_program(const struct exploration *x)
{
    return x->session->command != NULL;
}

static int check_command(const struct exploration *x, struct err *e)
{
    const struct explore_command *c = x->command;
    if (is_program(x) && (c->config != NULL || c->net != NULL || c->bug != NULL || c->set != NULL ||
                          c->faults != NULL || c->interactive)) {
        return session_misused(e, "--config, --net, --bug, --set, --faults and --interactive are "
                                  "for systems, not for programs");
    }
    if (!is_program(x) && (c->program.property != NULL || c->program.watch.count > 0)) {
        return session_misused(e, "--property and --watch are for programs, not for systems");
    }
    if (c->common.jobs == 0 || c->common.jobs > JOBS_MAX) {
        return session_misused(e, "--jobs: from 1 to %d", JOBS_MAX);
    }
    if (c->depth > UINT32_MAX / 2 || c->delays > 1000 || c->pct_depth > 16) {
        return session_misused(e, "--depth, --delays or --pct-depth is too large");
    }
    return 0;
}

static int choose_options(struct exploration *x, struct err *e)
{
    const struct explore_command *c = x->command;
    const struct sim_defaults own =
        is_program(x) ? (struct sim_defaults){.faults = "", .depth = CONTROL_STEPS_DEFAULT}
                      : sim_defaults(x->world);
    /* Where a property speaks of more than one moment, equal states do not go on alike. */
    const bool has_history = spec_count_temporal(&x->spec) > 0;
    struct search_options *search = &x->options.search;
    x->options.strategy = strategies[c->strategy];
    x->options.budget = x->session->budget;
    if (x->options.budget.time_ns == 0 && x->options.budget.runs == 0) {
        x->options.budget.time_ns = UINT64_C(60000000000);
    }
    x->options.jobs = (uint32_t)c->common.jobs;
    x->options.stops_at_violation = c->first;
    *search = (struct search_options){.depth = (uint32_t)(c->depth != 0    ? c->depth
                                                          : own.depth != 0 ? own.depth
                                                                           : DEPTH_DEFAULT),
                                      .delays_max = (uint32_t)c->delays,
                                      .pct_depth = (uint32_t)c->pct_depth,
                                      .prunes_states = c->prune && !has_history,
                                      .has_states = x->world->ops->state_hash != NULL,
                                      .is_mixed = is_program(x),
                                      .is_drawn = own.is_drawn,
                                      .seed = c->seed};
    const char *faults = c->faults != NULL       ? c->faults
                         : own.faults[0] != '\0' ? own.faults
                                                 : "none";
    return fault_budget_parse(&search->faults, faults, e) < 0
               ? err_wrap(e, c->faults != NULL ? "--faults" : "the system's faults")
               : 0;
}

/* The campaign */

/* SYSTEM.campaign, or with a number where that is there already. */
static void choose_folder(struct exploration *x)
{
    const struct explore_command *c = x->command;
    const char *wanted = c->resume != NULL ? c->resume : x->session->common->output;
    if (wanted != NULL) {
        (void)snprintf(x->folder, sizeof x->folder, "%s", wanted);
        return;
    }
    (void)snprintf(x->folder, sizeof x->folder, "%s.campaign", x->world->system);
    for (int i = 2; access(x->folder, F_OK) == 0 && i < FOLDERS_MAX; i++) {
        (void)snprintf(x->folder, sizeof x->folder, "%s-%d.campaign", x->world->system, i);
    }
}

/* Builds and fuzz files are known by their bytes. */
static int name_file(const char *path, char name[20], struct err *e)
{
    struct in in;
    uint64_t hash = 0;
    ssize_t available = 0;
    if (in_open(&in, path, e) < 0) {
        return -1;
    }
    while ((available = in_fill(&in, 1, e)) > 0) {
        hash = name_mix(hash, name_text(in.at, (size_t)available));
        in_skip(&in, (size_t)available);
    }
    in_close(&in);
    (void)snprintf(name, 20, "%016llx", (unsigned long long)hash);
    return available < 0 ? -1 : 0;
}

/* What makes a run what it is, besides system, strategy and seed; `config` is what the fuzz file is
 * known by. */
static void print_settings(const struct exploration *x, const char *config, struct out *out)
{
    const struct search_options *s = &x->options.search;
    out_format(out, "net %s, depth %u, delays %u, pct depth %u, %s, faults", x->world->net,
               s->depth, s->delays_max, s->pct_depth, s->prunes_states ? "pruning" : "no pruning");
    const char *separator = " ";
    for (unsigned fault = 1; fault < FAULT_LIMIT; fault++) {
        if (s->faults.most[fault] > 0) {
            out_format(out, "%s%s=%u", separator, mode_name(MODES_FAULT, (uint8_t)fault),
                       s->faults.most[fault]);
            separator = ",";
        }
    }
    out_text(out, *separator == ' ' ? " none" : "");
    if (x->world->with != NULL) {
        out_format(out, ", with %s", x->world->with);
    }
    if (x->command->spec != NULL) {
        out_format(out, ", spec %s", x->command->spec);
    }
    if (x->command->program.property != NULL) {
        out_format(out, ", property %s", x->command->program.property);
    }
    if (x->command->config != NULL) {
        out_format(out, ", config %s %s", x->command->config, config);
    }
    out_char(out, '\0');
}

/* What a replay has to be told besides the schedule and the system. */
static void print_replay_options(const struct explore_command *c, struct out *out)
{
    if (c->spec != NULL) {
        out_format(out, "--spec %s ", c->spec);
    }
    if (c->config != NULL) {
        out_format(out, "--config %s ", c->config);
    }
    if (c->program.property != NULL) {
        out_format(out, "--property %s ", c->program.property);
    }
    for (size_t i = 0; i < c->program.watch.count; i++) {
        out_text(out, "--watch ");
        command_print_word(out, c->program.watch.at[i]);
        out_char(out, ' ');
    }
    out_char(out, '\0');
}

static int open_campaign(struct exploration *x, struct err *e)
{
    const bool has_file = !is_program(x) || strchr(x->session->command[0], '/') != NULL;
    const char *system = is_program(x) ? x->session->command[0] : x->session->inputs[0];
    const char *files[] = {has_file ? system : NULL, x->command->config};
    char names[2][20] = {"", ""};
    struct out settings;
    struct out replay;
    for (size_t i = 0; i < 2; i++) {
        if (files[i] != NULL && name_file(files[i], names[i], e) < 0) {
            return err_wrap(e, "%s", files[i]);
        }
    }
    choose_folder(x);
    out_open_memory(&settings);
    print_settings(x, names[1], &settings);
    out_open_memory(&replay);
    print_replay_options(x->command, &replay);
    const struct campaign_options options = {
        .path = x->folder,
        .is_resumed = x->command->resume != NULL,
        .about = {.system = x->target,
                  .build = names[0],
                  .world = x->world->ops->name,
                  .strategy = explore_strategy_name(x->options.strategy),
                  .settings = settings.buffer,
                  .replay = replay.buffer,
                  .seed = x->options.search.seed}};
    const int result = campaign_open(&x->options.campaign, &options, e);
    out_abandon(&settings);
    out_abandon(&replay);
    return result;
}

/* Where the schedule of a violation is, relative to the folder. */
static const char *schedule_of(const struct exploration *x, const char *key)
{
    vec_each (&x->account.violations, v) {
        if (strcmp(v->violation.key, key) == 0) {
            return v->violation.schedule;
        }
    }
    return "";
}

/* The command that shows the violation again. */
static const char *print_replay(const struct exploration *x, const char *key, struct findings *f)
{
    return findings_text(f, "clew replay %s%s/%s %s", x->account.about.replay, x->folder,
                         schedule_of(x, key), x->target);
}

/* Adds what is known of a violation, with what all of them have. Texts outlive f or are its own. */
static void add_finding(const struct exploration *x, struct finding_file *f, struct finding known)
{
    known.status = STATUS_CONFIRMED;
    known.grade = GRADE_SOUND;
    known.replay = print_replay(x, known.key, &f->findings);
    known.pair_count = 1;
    findings_add(&f->findings, &known);
}

static void add_findings(const struct exploration *x, struct finding_file *f)
{
    vec_each (&x->found.violations, v) {
        add_finding(
            x, f,
            (struct finding){.kind = outcome_finding(v->outcome),
                             .severity = v->severity,
                             .what = v->what,
                             .key = v->key,
                             .why = findings_text(&f->findings,
                                                  "%sshown by run %llu, after %u steps; %llu %s it",
                                                  v->calls, (unsigned long long)v->run,
                                                  v->step_count, (unsigned long long)v->count,
                                                  v->count == 1 ? "run shows" : "runs show")});
    }
}

/* Of the campaign, those that a search before this one found and this one did not. */
static bool is_earlier(const struct exploration *x, const struct account_violation *v)
{
    vec_each (&x->found.violations, found) {
        if (strcmp(found->key, v->violation.key) == 0) {
            return false;
        }
    }
    return true;
}

static size_t count_earlier(const struct exploration *x)
{
    size_t count = 0;
    vec_each (&x->account.violations, v) {
        count += is_earlier(x, v);
    }
    return count;
}

static void add_earlier(const struct exploration *x, struct finding_file *f)
{
    vec_each (&x->account.violations, v) {
        if (!is_earlier(x, v)) {
            continue;
        }
        const int kind = finding_kind_find(v->violation.kind);
        const int severity = finding_severity_find(v->violation.severity);
        add_finding(
            x, f,
            (struct finding){
                .kind = kind < 0 ? FINDING_PROPERTY : (enum finding_kind)kind,
                .severity = severity < 0 ? SEVERITY_ERROR : (enum finding_severity)severity,
                .what = v->violation.what,
                .key = v->violation.key,
                .why = findings_text(&f->findings,
                                     "shown by run %llu, after %llu steps, in an earlier search",
                                     (unsigned long long)v->violation.run + 1,
                                     (unsigned long long)v->violation.step)});
    }
}

static void add_stats(const struct exploration *x, struct finding_file *f)
{
    const struct explored *found = &x->found;
    finding_file_count(f, "runs", found->runs);
    finding_file_count(f, "steps", found->steps);
    finding_file_count(f, "violating_runs", found->violating_runs);
    finding_file_count(f, "first_violation_run", found->first_violation_run);
    finding_file_flag(f, "exhausted", found->is_complete);
    finding_file_count(f, "states", found->states);
    finding_file_count(f, "blocks_covered", found->coverage.block_covered);
    finding_file_count(f, "blocks_total", found->coverage.block_total);
    finding_file_text(f, "strategy", explore_strategy_name(x->options.strategy));
    const struct control_told told =
        is_program(x) ? control_told(x->world) : (struct control_told){0};
    finding_file_text(f, "mode", is_program(x) ? control_mode_name((int)told.mode) : "sim");
    finding_file_count(f, "uncontrolled", told.outside_count);
    finding_file_count(f, "verified", told.verified);
    finding_file_count(f, "unlike", told.unlike);
}

static void print_findings(const struct exploration *x, const struct finding_file *f)
{
    struct session *s = x->session;
    for (size_t i = 0; i < f->findings.list.count && i < s->common->limit; i++) {
        const struct finding *finding = &f->findings.list.at[i];
        out_format(&s->out, "%zu. ", i + 1);
        const bool is_error = finding->severity == SEVERITY_ERROR;
        session_paint(s, is_error ? PAINT_ERROR : PAINT_WARNING, finding_kind_name(finding->kind));
        if (!is_error) {
            out_format(&s->out, " (%s)", finding_severity_name(finding->severity));
        }
        out_text(&s->out, ": ");
        session_text(s, finding->what);
        out_char(&s->out, '\n');
        report_lines(s, finding->why);
        out_text(&s->out, "    again: ");
        session_text(s, finding->replay);
        out_char(&s->out, '\n');
    }
}

/* What went past control: a run without a violation says less then. */
static void print_outside(const struct exploration *x)
{
    const struct control_told told = control_told(x->world);
    for (uint32_t i = 0; i < told.outside_count; i++) {
        out_text(&x->session->out, i == 0 ? "not controlled: " : ", ");
        session_text(x->session, told.outside[i]);
    }
    out_text(&x->session->out, told.outside_count > 0 ? "\n" : "");
    if (told.verified > 0) {
        out_format(&x->session->out, "%llu of %llu runs were the same when made again\n",
                   (unsigned long long)(told.verified - told.unlike),
                   (unsigned long long)told.verified);
    }
    if (told.unlike > 0) {
        out_text(&x->session->out, "not determined by its schedule: ");
        session_text(x->session, told.difference);
        out_char(&x->session->out, '\n');
    }
}

static bool is_all_controlled(const struct exploration *x)
{
    return !is_program(x) ||
           (control_told(x->world).outside_count == 0 && !control_told(x->world).is_inexact);
}

/* What was done, and how much that says. */
static void print_summary(const struct exploration *x)
{
    struct out *out = &x->session->out;
    const struct explored *found = &x->found;
    const size_t earlier = count_earlier(x);
    if (found->is_complete && x->options.strategy == EXPLORE_DPOR && found->executions == 1) {
        out_text(out, "the only execution explored, ");
    } else if (found->is_complete && x->options.strategy == EXPLORE_DPOR) {
        out_format(out, "all %llu executions explored, ", (unsigned long long)found->executions);
    } else if (found->is_complete) {
        out_text(out, "all executions explored in ");
        report_count(out, found->executions, "run", "runs");
        out_text(out, ", ");
    } else {
        report_count(out, found->runs, "run", "runs");
        out_text(out, " of ");
        report_count(out, found->steps, "step", "steps");
        out_text(out, ", ");
    }
    if (found->violations.count > 0) {
        report_count(out, found->violations.count, "violation", "violations");
        out_text(out, " in ");
        if (found->is_complete) {
            report_count(out, found->violating_runs, "run", "runs");
        } else {
            out_format(out, "%llu of them", (unsigned long long)found->violating_runs);
        }
    } else {
        out_text(out, earlier > 0 ? "no other violation" : "no violation");
    }
    if (earlier > 0) {
        out_format(out, ", %zu known from before", earlier);
    }
    if (found->limited_runs > 0) {
        out_format(out, "; %llu ended at the limit of %u steps",
                   (unsigned long long)found->limited_runs, x->options.search.depth);
    }
    out_char(out, '\n');
}

/* Why there are so many executions; NULL when nothing needs to be said. */
static const char *order_of(const struct exploration *x)
{
    const bool is_said = x->options.strategy == EXPLORE_DPOR && x->found.order != ORDER_FREE;
    return is_said ? world_order_words(x->found.order) : NULL;
}

/* Which executions are all of them; NULL when nothing needs to be said. */
static const char *seed_of(const struct exploration *x, struct finding_file *f)
{
    return x->found.is_complete && x->found.has_drawn
               ? findings_text(&f->findings,
                               "nodes draw random numbers: these are the executions with those of "
                               "seed %llu",
                               (unsigned long long)x->options.search.seed)
               : NULL;
}

static int report(struct exploration *x)
{
    struct finding_file f = {0};
    const bool is_found = x->account.violations.count > 0;
    report_begin(&f, x->session);
    add_findings(x, &f);
    add_earlier(x, &f);
    add_stats(x, &f);
    const char *order = order_of(x);
    if (order != NULL) {
        vec_push(&f.assumptions,
                 findings_text(&f.findings,
                               "each order of steps is an execution of its own, for %s", order));
    }
    const char *seed = seed_of(x, &f);
    if (seed != NULL) {
        vec_push(&f.assumptions, seed);
    }
    f.verdict = is_found ? VERDICT_FOUND : x->found.is_complete ? VERDICT_CLEAN : VERDICT_UNKNOWN;
    if (x->session->common->json) {
        report_print(&f, x->session);
    } else {
        print_findings(x, &f);
        print_summary(x);
        if (order != NULL) {
            out_format(&x->session->out, "each order of steps is an execution of its own, for %s\n",
                       order);
        }
        if (seed != NULL) {
            out_format(&x->session->out, "%s\n", seed);
        }
        if (is_program(x)) {
            print_outside(x);
        }
    }
    finding_file_release(&f);
    return is_found                                                  ? EXIT_FOUND
           : x->command->require_exhaustive && !x->found.is_complete ? EXIT_BUDGET
                                                                     : EXIT_CLEAN;
}

static int search(struct exploration *x, struct err *e)
{
    struct searching line;
    searching_begin(&line, x->session, x->world->system);
    x->options.progress = searching_progress;
    x->options.context = &line;
    x->options.is_stopped = stopping_wish();
    const int result = explore(x->world, &x->options, &x->found, e);
    searching_end(&line);
    x->found.is_complete = x->found.is_complete && is_all_controlled(x);
    return result;
}

/* Bugs and settings in one list, as schedules have them; NULL when there are none. */
static char *join_choices(const struct explore_command *c)
{
    const char *bug = c->bug == NULL ? "" : c->bug;
    const char *set = c->set == NULL ? "" : c->set;
    const size_t size = strlen(bug) + strlen(set) + 2;
    if (c->bug == NULL && c->set == NULL) {
        return NULL;
    }
    char *list = mem_resize(NULL, size);
    (void)snprintf(list, size, "%s%s%s", bug, c->bug != NULL && c->set != NULL ? "," : "", set);
    return list;
}

static int open_world(struct exploration *x, struct err *e)
{
    const struct explore_command *c = x->command;
    if (c->spec != NULL && spec_file_read(&x->spec, c->spec, e) < 0) {
        return -1;
    }
    if (c->config != NULL && fuzz_file_read(&x->fuzz, c->config, e) < 0) {
        return -1;
    }
    if (is_program(x)) {
        return command_open(&x->world, x->session, &c->program, c->spec == NULL ? NULL : &x->spec,
                            e);
    }
    char *with = join_choices(c);
    const struct sim_options options = {.net = c->net,
                                        .with = with,
                                        .spec = c->spec == NULL ? NULL : &x->spec,
                                        .fuzz = c->config == NULL ? NULL : &x->fuzz,
                                        .fuzz_name = c->config};
    const int result = sim_open(&x->world, x->session->inputs[0], &options, e);
    mem_free(with);
    return result;
}

static char *print_target(const struct session *s)
{
    if (s->command != NULL) {
        return command_print(s);
    }
    char *copy = mem_resize(NULL, strlen(s->inputs[0]) + 1);
    memcpy(copy, s->inputs[0], strlen(s->inputs[0]) + 1);
    return copy;
}

static int run(struct session *s, const void *options, struct err *e)
{
    struct exploration x = {.session = s, .command = options};
    if (check_command(&x, e) < 0) {
        return MISUSED;
    }
    x.target = print_target(s);
    spec_init(&x.spec);
    int status = open_world(&x, e);
    if (status == 0) {
        status = choose_options(&x, e);
    }
    if (status == 0 && x.command->interactive) {
        struct plan plan = search_plan(&x.options.search);
        plan.is_learning = false; /* nobody chooses who could learn */
        status = interactive(s, x.world, &plan, e);
        world_close(x.world);
        fuzz_release(&x.fuzz);
        spec_release(&x.spec);
        mem_free(x.target);
        return status;
    }
    if (status == 0) {
        status = open_campaign(&x, e);
    }
    if (status == 0) {
        status = search(&x, e);
    }
    if (status == 0) {
        status = account_read(&x.account, x.folder, e);
    }
    if (status == 0) {
        status = report(&x);
    }
    campaign_close(x.options.campaign);
    account_release(&x.account);
    explored_release(&x.found);
    world_close(x.world);
    fuzz_release(&x.fuzz);
    spec_release(&x.spec);
    mem_free(x.target);
    return status;
}

static const struct option options[] = {
    {.name = "strategy",
     .type = OPTION_CHOICE,
     .argument = "NAME",
     .word = strategy_word,
     .target = offsetof(struct explore_command, strategy),
     .help = "how to search: auto (a little of all), random, pct, pos, surw (sampling), unique, "
             "frequency, nodefreq (by coverage), delay, dpor (systematic)"},
    {.name = "bug",
     .type = OPTION_TEXT,
     .argument = "LIST",
     .target = offsetof(struct explore_command, bug),
     .help = "the bugs to put into a system that has some on offer (clew cases)"},
    {.name = "set",
     .type = OPTION_TEXT,
     .argument = "LIST",
     .target = offsetof(struct explore_command, set),
     .help = "numbers that the system lets one choose: nodes=5,cycles=10"},
    {.name = "faults",
     .type = OPTION_TEXT,
     .argument = "LIST",
     .target = offsetof(struct explore_command, faults),
     .help = "how many of which faults a run may have: crash=1,restart=1,drop=2 ..., or none "
             "(default: as the system says)"},
    {.name = "net",
     .type = OPTION_TEXT,
     .argument = "NET",
     .target = offsetof(struct explore_command, net),
     .help = "how messages travel: fifo or datagram (default: as the system says, else fifo)"},
    {.name = "spec",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct explore_command, spec),
     .help = "properties of the variables that nodes report, in clew's language (man 5 clew-spec)"},
    {.name = "config",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct explore_command, config),
     .help = "what comes from outside, and more, in YAML (man 5 clew-fuzz; default: as the system "
             "says)"},
    {.name = "depth",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct explore_command, depth),
     .help = "steps of a run, at most (default: as the system says, else 1000)"},
    {.name = "delays",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct explore_command, delays),
     .help = "delays of a run, at most, with --strategy delay (default: 3)"},
    {.name = "pct-depth",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct explore_command, pct_depth),
     .help = "the depth of bugs that pct aims at (default: 3)"},
    {.name = "prune",
     .type = OPTION_SWITCH,
     .target = offsetof(struct explore_command, prune),
     .help = "do not search again from a state that was seen (default: yes)"},
    {.name = "seed",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct explore_command, seed),
     .help = "where all chance comes from (default: 1)"},
    {.name = "first",
     .type = OPTION_FLAG,
     .target = offsetof(struct explore_command, first),
     .help = "stop at the first violation"},
    {.name = "require-exhaustive",
     .type = OPTION_FLAG,
     .target = offsetof(struct explore_command, require_exhaustive),
     .help = "end with status 3 when not all executions could be explored"},
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_FILE, .argument = "DIR",
               .help = "the campaign's folder: what was done, with a schedule and a trace for each "
                       "violation (default: SYSTEM.campaign)"),
    {.name = "interactive",
     .type = OPTION_FLAG,
     .target = offsetof(struct explore_command, interactive),
     .help = "choose each step by hand, go back, save the schedule"},
    {.name = "resume",
     .type = OPTION_FILE,
     .argument = "DIR",
     .target = offsetof(struct explore_command, resume),
     .help = "go on with a campaign, with the system and the options it was begun with"},
    {.name = "verify",
     .type = OPTION_FLAG,
     .target = offsetof(struct explore_command, program.verifies),
     .help = "of a program: make each run twice, compare, and say where the two differ"},
    COMMAND_OPTIONS(struct explore_command),
    COMMON_JSON,
    COMMON_LIMIT,
    COMMON_JOBS,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct explore_command defaults = {.common = COMMON_DEFAULTS,
                                                .delays = DELAYS_DEFAULT,
                                                .seed = 1,
                                                .prune = true,
                                                .program = COMMAND_CHOICE_DEFAULTS};

static const struct example examples[] = {
    {"clew explore ./ring.so", "Search for a minute, with a little of every strategy."},
    {"clew explore -- ./bank 3", "A program with threads, built by clew cc or not."},
    {"clew explore --budget 10s --faults crash=1,restart=1 ./commit.so",
     "With a node that may crash and come back."},
    {"clew explore --resume ring.campaign ./ring.so",
     "Go on where a search was stopped or killed."},
    {"clew explore --strategy dpor --require-exhaustive ./small.so",
     "Every execution there is, or status 3."},
    {0},
};

const struct verb verb_explore = {
    .name = "explore",
    .summary = "run a system under many schedules and keep those that break it",
    .operands = "SYSTEM.so | -- PROGRAM...",
    .operand_min = 1,
    .operand_max = 1,
    .takes_command = true,
    .about = "Runs a system written with clew/sim.h and built by clew cc --sim, again and again, "
             "each time with another order of messages, timers and faults, until the budget ends "
             "(60 s) or nothing is left. Reports each distinct violation once: a broken property, "
             "a failed assertion, a crash, undefined behaviour, an endless handler; and saves it "
             "as a schedule, which clew replay repeats exactly, and as a trace. A program behind "
             "-- is run likewise, one of its threads at a time: at each operation on a lock, a "
             "condition, a thread or a clock, and when built by clew cc at each access to memory, "
             "another may go first. Found are crashes, failed assertions, deadlocks, misused "
             "memory and, with --fail-on exit, bad statuses. Its input is empty, and its output is "
             "dropped.",
    .exit_statuses = "0 nothing found\n1 a violation\n2 the system could not be loaded\n"
                     "3 with --require-exhaustive, not all executions were explored",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct explore_command),
    .examples = examples,
    .run = run,
};
