/* clew explore: run a system under many schedules, and keep those that break it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/seam.h"
#include "cli/report.h"
#include "cli/searching.h"
#include "explore/explore.h"
#include "explore/replay.h"
#include "sim/sim.h"
#include "trace/format.h"

enum { DEPTH_DEFAULT = 1000, DELAYS_DEFAULT = 3, JOBS_MAX = 1024 };

struct explore_command {
    struct common common;
    int strategy; /* index of strategy_word */
    const char *faults;
    const char *net;
    uint64_t depth; /* 0: as the system says */
    uint64_t delays;
    uint64_t pct_depth;
    uint64_t seed;
    bool prune;
    bool first;
    bool require_exhaustive;
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
    struct world *world;
    struct explore_options options;
    struct explored found;
    char folder[4000];
};

static int check_command(const struct explore_command *c, struct err *e)
{
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
    const struct sim_defaults own = sim_defaults(x->world);
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
                                      .prunes_states = c->prune,
                                      .has_states = x->world->ops->state_hash != NULL,
                                      .seed = c->seed};
    const char *faults = c->faults != NULL       ? c->faults
                         : own.faults[0] != '\0' ? own.faults
                                                 : "none";
    return fault_budget_parse(&search->faults, faults, e) < 0
               ? err_wrap(e, c->faults != NULL ? "--faults" : "the system's faults")
               : 0;
}

static int make_folder(struct exploration *x, struct err *e)
{
    const char *wanted = x->session->common->output;
    const int size = wanted != NULL
                         ? snprintf(x->folder, sizeof x->folder, "%s", wanted)
                         : snprintf(x->folder, sizeof x->folder, "%s.campaign", x->world->system);
    if (size < 0 || (size_t)size >= sizeof x->folder) {
        return err_set(e, "%s: the path is too long", wanted);
    }
    if ((seam_fails() ? seam_failure(EACCES) : mkdir(x->folder, 0777)) < 0 && errno != EEXIST) {
        return err_set(e, "%s: cannot be made: %s", x->folder, strerror(errno));
    }
    return 0;
}

static int write_text(const char *path, const char *text, struct err *e)
{
    struct out out;
    if (out_open(&out, path, e) < 0) {
        return -1;
    }
    out_text(&out, text);
    return out_close(&out, e);
}

/* The run is made once more, for its trace. */
static int write_trace(struct exploration *x, const struct violation *v, const char *path,
                       struct err *e)
{
    struct schedule s;
    struct in in;
    struct trace t;
    struct replayed r = {0};
    struct notes notes = {0};
    schedule_init(&s);
    trace_init(&t);
    in_open_memory(&in, v->schedule, strlen(v->schedule));
    int result = schedule_parse(&s, &in, e);
    if (result == 0) {
        result = replay(x->world, &s, &(struct replay_options){.trace = &t}, &r, e);
    }
    if (result == 0) {
        struct out out;
        result = out_open(&out, path, e);
        if (result == 0) {
            struct writer *w = format_native.create(&out, &t.tables, &notes);
            result = writer_write(w, t.events.at, t.events.count, e);
            if (result == 0) {
                result = writer_close(w, e);
            } else {
                writer_abandon(w);
            }
        }
    }
    notes_release(&notes);
    replayed_release(&r);
    trace_release(&t);
    schedule_release(&s);
    return result;
}

static int save(struct exploration *x, struct err *e)
{
    if (x->found.violations.count == 0) {
        return 0;
    }
    if (make_folder(x, e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < x->found.violations.count; i++) {
        const struct violation *v = &x->found.violations.at[i];
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%zu.sched", x->folder, i + 1);
        if (write_text(path, v->schedule, e) < 0) {
            return -1;
        }
        (void)snprintf(path, sizeof path, "%s/%zu.clew", x->folder, i + 1);
        if (write_trace(x, v, path, e) < 0) {
            return -1;
        }
    }
    return 0;
}

static void add_findings(const struct exploration *x, struct finding_file *f)
{
    for (size_t i = 0; i < x->found.violations.count; i++) {
        const struct violation *v = &x->found.violations.at[i];
        findings_add(&f->findings,
                     &(struct finding){
                         .kind = outcome_finding(v->outcome),
                         .status = STATUS_CONFIRMED,
                         .grade = GRADE_SOUND,
                         .severity = SEVERITY_ERROR,
                         .what = findings_text(&f->findings, "%s", v->what),
                         .key = findings_text(&f->findings, "%s", v->key),
                         .replay = findings_text(&f->findings, "clew replay %s/%zu.sched %s",
                                                 x->folder, i + 1, x->session->inputs[0]),
                         .why = findings_text(&f->findings,
                                              "shown by run %llu, after %u steps; %llu runs show "
                                              "it",
                                              (unsigned long long)v->run, v->step_count,
                                              (unsigned long long)v->count),
                         .pair_count = 1,
                     });
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
    finding_file_text(f, "mode", "sim");
    finding_file_count(f, "uncontrolled", 0);
}

static void print_findings(const struct exploration *x, const struct finding_file *f)
{
    struct session *s = x->session;
    for (size_t i = 0; i < f->findings.list.count && i < s->common->limit; i++) {
        const struct finding *finding = &f->findings.list.at[i];
        out_format(&s->out, "%zu. ", i + 1);
        session_paint(s, PAINT_ERROR, finding_kind_name(finding->kind));
        out_text(&s->out, ": ");
        session_text(s, finding->what);
        out_text(&s->out, "\n    ");
        session_text(s, finding->why);
        out_text(&s->out, "\n    again: ");
        session_text(s, finding->replay);
        out_char(&s->out, '\n');
    }
}

/* What was done, and how much that says. */
static void print_summary(const struct exploration *x)
{
    struct out *out = &x->session->out;
    const struct explored *found = &x->found;
    const uint64_t executions = found->runs - found->redundant_runs;
    const bool is_found = found->violations.count > 0;
    if (found->is_complete && x->options.strategy == EXPLORE_DPOR) {
        out_format(out, "all %llu executions explored, ", (unsigned long long)executions);
    } else if (found->is_complete) {
        out_format(out, "all executions explored in %llu runs, ", (unsigned long long)found->runs);
    } else {
        report_count(out, found->runs, "run", "runs");
        out_text(out, " of ");
        report_count(out, found->steps, "step", "steps");
        out_text(out, ", ");
    }
    if (is_found) {
        report_count(out, found->violations.count, "violation", "violations");
        out_format(out, " in %llu of them", (unsigned long long)found->violating_runs);
    } else {
        out_text(out, "no violation");
    }
    if (found->limited_runs > 0) {
        out_format(out, "; %llu ended at the limit of %u steps",
                   (unsigned long long)found->limited_runs, x->options.search.depth);
    }
    out_char(out, '\n');
}

static int report(struct exploration *x)
{
    struct finding_file f = {0};
    const bool is_found = x->found.violations.count > 0;
    report_begin(&f, x->session);
    add_findings(x, &f);
    add_stats(x, &f);
    f.verdict = is_found ? VERDICT_FOUND : x->found.is_complete ? VERDICT_CLEAN : VERDICT_UNKNOWN;
    if (x->session->common->json) {
        report_print(&f, x->session);
    } else {
        print_findings(x, &f);
        print_summary(x);
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
    x->options.is_stopped = &searching_is_stopped;
    const int result = explore(x->world, &x->options, &x->found, e);
    searching_end(&line);
    return result;
}

static int run(struct session *s, const void *options, struct err *e)
{
    struct exploration x = {.session = s, .command = options};
    if (check_command(x.command, e) < 0) {
        return MISUSED;
    }
    if (sim_open(&x.world, s->inputs[0], &(struct sim_options){.net = x.command->net}, e) < 0) {
        return -1;
    }
    int status = choose_options(&x, e);
    if (status == 0) {
        status = search(&x, e);
    }
    if (status == 0) {
        status = save(&x, e);
    }
    if (status == 0) {
        status = report(&x);
    }
    explored_release(&x.found);
    world_close(x.world);
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
               .help = "where schedules and traces of violations go (default: SYSTEM.campaign)"),
    COMMON_JSON,
    COMMON_LIMIT,
    COMMON_JOBS,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct explore_command defaults = {
    .common = COMMON_DEFAULTS, .delays = DELAYS_DEFAULT, .seed = 1, .prune = true};

static const struct example examples[] = {
    {"clew explore ./ring.so", "Search for a minute, with a little of every strategy."},
    {"clew explore --budget 10s --faults crash=1,restart=1 ./commit.so",
     "With a node that may crash and come back."},
    {"clew explore --strategy dpor --require-exhaustive ./small.so",
     "Every execution there is, or status 3."},
    {0},
};

const struct verb verb_explore = {
    .name = "explore",
    .summary = "run a system under many schedules and keep those that break it",
    .operands = "SYSTEM.so",
    .operand_min = 1,
    .operand_max = 1,
    .about = "Runs a system written with clew/sim.h and built by clew cc --sim, again and again, "
             "each time with another order of messages, timers and faults, until the budget ends "
             "(60 s) or nothing is left. Reports each distinct violation once: a broken property, "
             "a failed assertion, a crash, undefined behaviour, an endless handler; and saves it "
             "as a schedule, which clew replay repeats exactly, and as a trace.",
    .exit_statuses = "0 nothing found\n1 a violation\n2 the system could not be loaded\n"
                     "3 with --require-exhaustive, not all executions were explored",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct explore_command),
    .examples = examples,
    .run = run,
};
