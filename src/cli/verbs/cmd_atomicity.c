/* clew atomicity: which accesses that belong together could have been interrupted. */
#include "cli/interrupt.h"
#include "cli/verbs/atomicity_run.h"
#include "cli/verbs/compat_spin.h"

static const char *only_word(size_t index)
{
    static const char *const words[] = {"single", "pair", "region"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const char *compat_word(size_t index)
{
    static const char *const words[] = {"none", "spin"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const char *via_word(size_t index)
{
    static const char *const words[] = {[SOLVE_NATIVE] = "native", [SOLVE_LIBZ3] = "libz3"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static int check_command(const struct atomicity_command *c, struct err *e)
{
    if (c->common.json && c->common.jsonl) {
        return session_misused(e, "--json or --jsonl, not both");
    }
    if (c->explain != UINT64_MAX && (c->common.json || c->common.jsonl)) {
        return session_misused(e, "--explain is for reading; JSON holds every argument");
    }
    if (c->compat != 0 && (c->common.json || c->common.jsonl || c->pairs != NULL)) {
        return session_misused(e,
                               "--compat spin prints its own table: no --json, --jsonl, --pairs");
    }
    return 0;
}

/* Each input is an execution, or all together are one. */
static int find_all(struct atomicity *a, struct err *e)
{
    const struct session *s = a->session;
    const size_t runs = s->common->one_run ? 1 : s->input_count;
    for (size_t i = 0; i < runs && !a->is_cut; i++) {
        struct reading reading;
        if ((s->common->one_run ? reading_open(&reading, a->session, e)
                                : reading_open_one(&reading, a->session, i, e)) < 0) {
            return -1;
        }
        const int result = atomicity_of_run(a, &reading, e);
        reading_close(&reading);
        if (result < 0) {
            return -1;
        }
    }
    return 0;
}

static int compare(struct session *s, const struct atomicity_command *c, struct err *e)
{
    struct reading reading;
    if (reading_open(&reading, s, e) < 0) {
        return -1;
    }
    const int status = compat_spin(s, c, &reading, e);
    reading_close(&reading);
    return status;
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct atomicity_command *c = options;
    if (check_command(c, e) < 0) {
        return MISUSED;
    }
    if (c->compat != 0) {
        return compare(s, c, e);
    }
    struct atomicity a;
    struct stopping stopping;
    stopping_begin(&stopping);
    s->budget.is_stopped = stopping_wish();
    int status = atomicity_begin(&a, s, c, e);
    if (status == 0) {
        status = atomicity_choose_pairs(&a, e);
    }
    if (status == 0) {
        status = find_all(&a, e);
    }
    stopping_end(&stopping);
    if (status == 0) {
        status = atomicity_report(&a, e);
    }
    atomicity_release(&a);
    return status;
}

static const struct option options[] = {
    {.name = "only",
     .type = OPTION_CHOICE,
     .argument = "KIND",
     .word = only_word,
     .target = offsetof(struct atomicity_command, only),
     .help = "analyse only single variables, pairs of variables, or marked regions"},
    {.name = "variable",
     .type = OPTION_TEXT,
     .argument = "GLOB",
     .target = offsetof(struct atomicity_command, variable),
     .help = "analyse only these variables, and pairs that contain one of them"},
    {.name = "pairs",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct atomicity_command, pairs),
     .help = "pairs of correlated variables, one a line, as clew correlate prints them (default: "
             "the pairs that correlate best)"},
    {.name = "top",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct atomicity_command, top),
     .help = "analyse the N pairs that correlate best (default: 200)"},
    {.name = "all-pairs",
     .type = OPTION_FLAG,
     .target = offsetof(struct atomicity_command, all_pairs),
     .help = "analyse all pairs with nearby accesses (or all of --pairs), and report every finding "
             "separately instead of merging findings about the same variables or code locations"},
    {.name = "merged",
     .type = OPTION_FLAG,
     .target = offsetof(struct atomicity_command, merged),
     .help = "report also stale reads of memory, and violations that treat the two variables of a "
             "pair as one; these weaker classes include serializable executions"},
    {.name = "rounds",
     .type = OPTION_FLAG,
     .target = offsetof(struct atomicity_command, rounds),
     .help = "report also access pairs that belong to two operations, such as two iterations of a "
             "loop, instead of only counting them"},
    {.name = "all",
     .type = OPTION_FLAG,
     .target = offsetof(struct atomicity_command, all),
     .help = "report the excluded candidates as notes, instead of only counting them by reason: "
             "access pairs of two operations, conflicts that thread creation or join orders, "
             "memory blocks that are not yet published, are freed or are handed over"},
    {.name = "witness",
     .type = OPTION_FLAG,
     .target = offsetof(struct atomicity_command, witness),
     .help = "print a witness with each finding: an order of events that shows it"},
    {.name = "explain",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct atomicity_command, explain),
     .help = "print finding N with its witness, event by event"},
    {.name = "via",
     .type = OPTION_CHOICE,
     .argument = "SOLVER",
     .word = via_word,
     .target = offsetof(struct atomicity_command, via),
     .help = "solver that searches for a witness in which each read sees its recorded write: "
             "native (default) or libz3"},
    {.name = "compat",
     .type = OPTION_CHOICE,
     .argument = "NAME",
     .word = compat_word,
     .target = offsetof(struct atomicity_command, compat),
     .help = "spin: check each typed order of the pairs of one run with SPIN, if it is installed, "
             "and compare its answers with clew's own"},
    COMMON_JSON,
    COMMON_JSONL,
    COMMON_LIMIT,
    COMMON_SUPPRESS,
    COMMON_EXPORTS,
    COMMON_INPUT,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct atomicity_command defaults = {
    .common = COMMON_DEFAULTS, .only = ONLY_ALL, .top = 200, .explain = UINT64_MAX};

static const struct example examples[] = {
    {"clew atomicity bank.clew", "Predict the atomicity violations of a recorded run."},
    {"clew atomicity --explain 1 bank.clew", "Print the first finding with its witness."},
    {"clew atomicity run*.clew", "Analyse several runs of one system in one report."},
    {"clew atomicity --pairs pairs.txt bank.clew", "Analyse only the pairs in pairs.txt."},
    {"clew atomicity capture.har", "Find lost updates and stale reads of HTTP resources."},
    {0},
};

const struct verb verb_atomicity = {
    .name = "atomicity",
    .summary = "predict atomicity violations: unserializable interleavings",
    .operands = "TRACE...",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .is_stopped_softly = true,
    .about =
        "Predicts unserializable interleavings from correct executions: of one variable, of two "
        "correlated variables, of HTTP resources, and of regions marked as atomic. Each finding "
        "has its source locations, the locks held, a fix, and a grade: sound (a witness execution "
        "shows it in which each read sees its recorded write) or may. A violation that affects no "
        "later read is reported as a note. Several traces are several runs of one system in one "
        "report; runs that differ only in timing are analysed once. The analysis stops after a "
        "minute, or at the given budget, or at Ctrl-C. It then prints the findings so far and the "
        "number of variables and pairs not analysed.",
    .exit_statuses =
        "0 no violation\n1 a violation\n2 a trace could not be read\n3 no violation found, but the "
        "budget ended, a candidate is undecided, or the trace has no memory accesses",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct atomicity_command),
    .examples = examples,
    .run = run,
};
