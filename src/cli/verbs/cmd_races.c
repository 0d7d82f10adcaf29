/* clew races: pairs of events that could have come in the other order. */
#include <string.h>

#include "cli/input/trace_input.h"
#include "cli/interrupt.h"
#include "cli/text/findings_output.h"
#include "cli/verbs/races_run.h"
#include "race/race.h"

static const struct {
    const char *word;
    enum race_model model;
} models[] = {
    {"strict", RACE_STRICT},
    {"sound", RACE_SOUND},
    {"feasible", RACE_FEASIBLE},
    {"observed", RACE_OBSERVED},
};

static const char *model_word(size_t index)
{
    return index < sizeof models / sizeof *models ? models[index].word : NULL;
}

static const char *compat_word(size_t index)
{
    static const char *const words[] = {"none", "spider", "spider-paper"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const char *only_word(size_t index)
{
    static const char *const words[] = {"data", "message", "deadlock"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

/* An option that only our own analysis of a whole trace has, by its name; NULL when none is
 * given. */
static const char *asked_of_engine(const struct races_command *c)
{
    return c->edges != NULL    ? "edges"
           : c->since.is_given ? "since"
           : c->until.is_given ? "until"
           : c->via != NULL    ? "via"
           : c->smtlib != NULL ? "smtlib"
           : c->witness        ? "witness"
                               : NULL;
}

/* The same, of options that any analysis of a whole trace has. */
static const char *asked_of_whole(const struct races_command *c)
{
    return c->prune ? "prune" : asked_of_engine(c);
}

/* Why no deadlock can be asked for, NULL when one can. */
static const char *refuses_deadlocks(const struct races_command *c)
{
    return models[c->model].model == RACE_OBSERVED
               ? "--model observed keeps the lock order of the run, in which nobody waited for ever"
           : c->compat != RACE_COMPAT_NONE ? "the program that --compat follows finds none"
           : c->variable != NULL           ? "--variable asks for races on variables"
           : c->via != NULL                ? "--via lets a solver decide races"
                                           : NULL;
}

static int check_command(const struct races_command *c, struct err *e)
{
    if (c->common.json && c->common.jsonl) {
        return session_misused(e, "--json or --jsonl, not both");
    }
    if (c->explain != UINT64_MAX && (c->common.json || c->common.jsonl)) {
        return session_misused(e, "--explain is for reading; JSON holds every argument");
    }
    if (models[c->model].model != RACE_STRICT && c->compat != RACE_COMPAT_NONE) {
        return session_misused(e, "--compat brings its own model: no --model");
    }
    if (models[c->model].model == RACE_OBSERVED && asked_of_whole(c) != NULL) {
        return session_misused(e, "--model observed reads a stream and knows no --%s",
                               asked_of_whole(c));
    }
    if (c->compat != RACE_COMPAT_NONE && asked_of_engine(c) != NULL) {
        return session_misused(e, "--compat decides as another program does, which knows no --%s",
                               asked_of_engine(c));
    }
    if (models[c->model].model == RACE_FEASIBLE && (c->via != NULL || c->smtlib != NULL)) {
        return session_misused(e, "--model feasible has its own way to decide: no --%s",
                               c->via != NULL ? "via" : "smtlib");
    }
    if (c->only == ONLY_DEADLOCKS && refuses_deadlocks(c) != NULL) {
        return session_misused(e, "--only deadlock: %s", refuses_deadlocks(c));
    }
    if (c->common.budget.runs != 0) {
        return session_misused(e, "--budget: races makes no runs; give time or memory");
    }
    if (c->common.jobs == 0 || c->common.jobs > 1024) {
        return session_misused(e, "--jobs: from 1 to 1024");
    }
    return 0;
}

/* Each input is an execution, or all together are one. */
static int find_all(struct races *r, struct err *e)
{
    const struct session *s = r->session;
    const size_t runs = s->common->one_run ? 1 : s->input_count;
    for (size_t i = 0; i < runs && !r->is_cut; i++) {
        struct reading reading;
        if ((s->common->one_run ? reading_open(&reading, r->session, e)
                                : reading_open_one(&reading, r->session, i, e)) < 0) {
            return -1;
        }
        const int result = races_of_run(r, &reading, e);
        reading_close(&reading);
        if (result < 0) {
            return -1;
        }
    }
    return 0;
}

/* Options for a program need one, and a program excludes other inputs. */
static int check_program(const struct session *s, const struct races_command *c, struct err *e)
{
    if (s->command == NULL && c->seed != UINT64_MAX) {
        return session_misused(e, "--seed is for programs: clew races -- PROGRAM");
    }
    if (s->command != NULL && s->input_count > 0) {
        return session_misused(e, "traces or a program, not both");
    }
    if (s->command != NULL && c->common.jsonl) {
        return session_misused(e, "a program's run is analysed whole: no --jsonl");
    }
    return command_check(s, &c->program, e);
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct races_command *c = options;
    if (check_command(c, e) < 0 || check_program(s, c, e) < 0) {
        return MISUSED;
    }
    struct races r = {.session = s,
                      .command = c,
                      .model = models[c->model].model,
                      .model_name = c->compat == RACE_COMPAT_NONE ? models[c->model].word
                                                                  : compat_word((size_t)c->compat)};
    report_begin(&r.file, s);
    struct stopping stopping;
    stopping_begin(&stopping);
    s->budget.is_stopped = stopping_wish();
    int status = c->edges == NULL ? 0 : given_read(&r.given, c->edges, e);
    if (status == 0) {
        status = s->command != NULL ? races_of_command(&r, e) : find_all(&r, e);
    }
    stopping_end(&stopping);
    if (status == 0) {
        status = races_report(&r, e);
    }
    races_release(&r);
    return status;
}

static const struct option options[] = {
    {.name = "model",
     .type = OPTION_CHOICE,
     .argument = "MODEL",
     .word = model_word,
     .target = offsetof(struct races_command, model),
     .help =
         "which executions to predict: strict (all orders that the synchronization allows), sound "
         "(sync-preserving prefixes, each checked), feasible (prefixes in which each read sees its "
         "recorded write) or observed (happens-before of the run itself; reads a stream)"},
    {.name = "only",
     .type = OPTION_CHOICE,
     .argument = "KIND",
     .word = only_word,
     .target = offsetof(struct races_command, only),
     .help = "report only data races, only message races, or only deadlocks"},
    {.name = "variable",
     .type = OPTION_TEXT,
     .argument = "GLOB",
     .target = offsetof(struct races_command, variable),
     .help = "report only races on these variables"},
    {.name = "since",
     .type = OPTION_MOMENT,
     .argument = "TIME",
     .target = offsetof(struct races_command, since),
     .help = "analyse only events from this time on: a time of the trace, or an offset from its "
             "first time (1.5s)"},
    {.name = "until",
     .type = OPTION_MOMENT,
     .argument = "TIME",
     .target = offsetof(struct races_command, until),
     .help = "analyse only events up to this time"},
    {.name = "edges",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct races_command, edges),
     .help = "happens-before edges that the trace lacks, one a line: A before B, where A and B are "
             "event numbers or source locations"},
    {.name = "all",
     .type = OPTION_FLAG,
     .target = offsetof(struct races_command, all),
     .help = "recordings and programs: list also the location pairs that no execution prefix "
             "shows, and the undecided ones"},
    {.name = "all-pairs",
     .type = OPTION_FLAG,
     .target = offsetof(struct races_command, all_pairs),
     .help = "report each pair of events, instead of each pair of source locations"},
    {.name = "witness",
     .type = OPTION_FLAG,
     .target = offsetof(struct races_command, witness),
     .help =
         "print a witness with each race, where one is known: an order of events that shows it"},
    {.name = "explain",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct races_command, explain),
     .help = "print the whole argument for finding N, and its witness"},
    {.name = "prune",
     .type = OPTION_SWITCH,
     .target = offsetof(struct races_command, prune),
     .help = "drop events that cannot add a location pair; counts then cover only the remaining "
             "events (default: keep all events)"},
    {.name = "via",
     .type = OPTION_TEXT,
     .argument = "SOLVER",
     .target = offsetof(struct races_command, via),
     .help = "decide every candidate with a solver: native, z3, or a command that reads SMT-LIB"},
    {.name = "smtlib",
     .type = OPTION_FILE,
     .argument = "DIR",
     .target = offsetof(struct races_command, smtlib),
     .help = "write each solver query to a file in this directory"},
    {.name = "compat",
     .type = OPTION_CHOICE,
     .argument = "NAME",
     .word = compat_word,
     .target = offsetof(struct races_command, compat),
     .help = "decide as another program does, including its errors: spider (SPIDER as published), "
             "spider-paper (with message races as its dissertation defines them) or none"},
    {.name = "seed",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct races_command, seed),
     .help = "programs: seed of the random schedule (default: 1)"},
    {.name = "mode",
     .type = OPTION_CHOICE,
     .argument = "MODE",
     .word = command_mode_word,
     .target = offsetof(struct races_command, program.mode),
     .help = "programs: how the run starts, as for clew explore (default: the first that works)"},
    {.name = "hang",
     .type = OPTION_NUMBER,
     .argument = "SECONDS",
     .target = offsetof(struct races_command, program.hang),
     .help = "programs: kill a run that takes longer than this (default: 10)"},
    COMMON_JSON,
    COMMON_JSONL,
    COMMON_LIMIT,
    COMMON_SUPPRESS,
    COMMON_EXPORTS,
    COMMON_INPUT,
    COMMON_JOBS,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct races_command defaults = {.common = COMMON_DEFAULTS,
                                              .only = -1,
                                              .explain = UINT64_MAX,
                                              .seed = UINT64_MAX,
                                              .program = COMMAND_CHOICE_DEFAULTS};

static const struct example examples[] = {
    {"clew races bank.log", "List the races in bank.log, each with its reason."},
    {"clew races --explain 1 bank.log", "Print the whole argument for the first race."},
    {"clew races --only deadlock run.clew",
     "List only deadlocks: cycles in the lock order of threads."},
    {"clew races run1.clew run2.clew", "Analyse two runs of one system in one report."},
    {"clew races -- ./bank 3", "Run ./bank once under clew's scheduler and analyse that run."},
    {"clew races --one-run node-*.log --json > run.findings",
     "Analyse the logs of all nodes of one run."},
    {"tail -f trace.std | clew races --model observed --jsonl -",
     "Report races while the trace is written."},
    {0},
};

const struct verb verb_races = {
    .name = "races",
    .summary = "find data races, message races, deadlocks and uses after free",
    .operands = "TRACE... | -- PROGRAM ARGS...",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .is_stopped_softly = true,
    .takes_command = true,
    .runs_program = true,
    .about =
        "Predicts races from one execution, even if it ran without error: two accesses to one "
        "variable, at least one of them a write, or two messages to one task, that another "
        "schedule can reorder. Also predicts deadlocks, where each task holds a lock that another "
        "task requests, and uses after free, where another schedule moves an access after the "
        "free. Each finding has its source locations, the missing synchronization, and a grade: "
        "sound (a witness execution shows it), observed (the run itself leaves the events "
        "unordered) or may. For a recording, and for a program that clew runs, only sound and "
        "observed races are listed. Several traces are several runs of one system in one report.",
    .exit_statuses =
        "0 no race, deadlock or use after free\n1 a race, a deadlock or a use after free\n2 a "
        "trace could not be read, or the program could not be run\n3 nothing found, but the "
        "analysis is incomplete: the budget ended, location pairs are undecided, the trace has no "
        "memory accesses, or parts of the run were not controlled",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct races_command),
    .examples = examples,
    .run = run,
};
