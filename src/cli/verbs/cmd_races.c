/* clew races: what in an execution could have come the other way round. */
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

/* What is said of a program needs one, and a program is all there is to read. */
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
     .help = "which other executions count: strict (all orders that the rules allow), sound (those "
             "that a checked prefix of an execution shows), feasible (prefixes in which reads see "
             "what they saw) or observed (locks and waits as they went; reads a stream)"},
    {.name = "only",
     .type = OPTION_CHOICE,
     .argument = "KIND",
     .word = only_word,
     .target = offsetof(struct races_command, only),
     .help = "only races of data, only races of messages, or only deadlocks"},
    {.name = "variable",
     .type = OPTION_TEXT,
     .argument = "GLOB",
     .target = offsetof(struct races_command, variable),
     .help = "only races on these variables"},
    {.name = "since",
     .type = OPTION_MOMENT,
     .argument = "TIME",
     .target = offsetof(struct races_command, since),
     .help = "only events from this time on: as the trace has it, or from its first time on "
             "(1.5s)"},
    {.name = "until",
     .type = OPTION_MOMENT,
     .argument = "TIME",
     .target = offsetof(struct races_command, until),
     .help = "only events up to this time"},
    {.name = "edges",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct races_command, edges),
     .help = "orders that the tracer could not see, a line each: A before B, where a side is an "
             "event's index or a source place"},
    {.name = "all",
     .type = OPTION_FLAG,
     .target = offsetof(struct races_command, all),
     .help = "of a recording or a program: list also the pairs of places that no execution prefix "
             "shows, and those that are undecided"},
    {.name = "all-pairs",
     .type = OPTION_FLAG,
     .target = offsetof(struct races_command, all_pairs),
     .help = "a finding for each pair of events, not of source places"},
    {.name = "witness",
     .type = OPTION_FLAG,
     .target = offsetof(struct races_command, witness),
     .help = "with each race an order of events that shows it, where one is known"},
    {.name = "explain",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct races_command, explain),
     .help = "the whole argument for finding N, and its witness"},
    {.name = "prune",
     .type = OPTION_SWITCH,
     .target = offsetof(struct races_command, prune),
     .help =
         "leave out events that can show no further pair of places: counts then speak of what is "
         "left (default: keep them all)"},
    {.name = "via",
     .type = OPTION_TEXT,
     .argument = "SOLVER",
     .target = offsetof(struct races_command, via),
     .help = "let a solver decide every candidate: native, z3, or the command of one that reads "
             "SMT-LIB"},
    {.name = "smtlib",
     .type = OPTION_FILE,
     .argument = "DIR",
     .target = offsetof(struct races_command, smtlib),
     .help = "write each question to a solver as a file into this folder"},
    {.name = "compat",
     .type = OPTION_CHOICE,
     .argument = "NAME",
     .word = compat_word,
     .target = offsetof(struct races_command, compat),
     .help = "decide as another program does, mistakes included: spider (SPIDER as published), "
             "spider-paper (with message races as its dissertation defines them) or none"},
    {.name = "seed",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct races_command, seed),
     .help = "of a program: the seed of the random schedule it runs under (default: 1)"},
    {.name = "mode",
     .type = OPTION_CHOICE,
     .argument = "MODE",
     .word = command_mode_word,
     .target = offsetof(struct races_command, program.mode),
     .help = "of a program: how it is run, as for clew explore (default: the first that works)"},
    {.name = "hang",
     .type = OPTION_NUMBER,
     .argument = "SECONDS",
     .target = offsetof(struct races_command, program.hang),
     .help = "of a program: end a run that takes longer (default: 10)"},
    COMMON_JSON,
    COMMON_JSONL,
    COMMON_LIMIT,
    COMMON_SUPPRESS,
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
    {"clew races bank.log", "Every pair of places in bank.log that races, and why."},
    {"clew races --explain 1 bank.log", "The whole argument for the first of them."},
    {"clew races --only deadlock run.clew", "Cycles in the lock order of different threads."},
    {"clew races run1.clew run2.clew", "What two runs of one system allow, in one report."},
    {"clew races -- ./bank 3", "Run ./bank once under control and analyse that run."},
    {"clew races --one-run node-*.log --json > run.findings", "The logs of all nodes of one run."},
    {"tail -f trace.std | clew races --model observed --jsonl -", "Races as they happen."},
    {0},
};

const struct verb verb_races = {
    .name = "races",
    .summary = "which accesses and messages race, and which locks could deadlock",
    .operands = "TRACE... | -- PROGRAM ARGS...",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .is_stopped_softly = true,
    .takes_command = true,
    .about = "Lists the races that an execution allows, even if none showed: two accesses to one "
             "variable, at least one a write, or two messages to one task, that could have come "
             "the other way round. Also lists deadlocks that another schedule allows: tasks of "
             "which each holds a lock that another asks for; and uses after free: accesses to "
             "memory that another schedule puts after its free, with or without a race. Each is a "
             "sentence with its source "
             "places, what is missing to order it, and a grade: sound (a real execution shows it), "
             "observed (the run itself leaves it unordered) or may. Of a recording, and of a "
             "program that is run here under control, only sound and observed races are listed. "
             "Several traces are several runs of one system, told in one report.",
    .exit_statuses = "0 no race, deadlock or use after free\n"
                     "1 a race, a deadlock or a use after free\n"
                     "2 a trace could not be read, or the program not run\n"
                     "3 none was found, and something is not known: the budget ended, pairs of "
                     "places are undecided, the trace has no memory accesses, or the run was not "
                     "controlled whole",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct races_command),
    .examples = examples,
    .run = run,
};
