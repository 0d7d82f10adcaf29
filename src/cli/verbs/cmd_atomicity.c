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
     .help = "only single variables, pairs of variables, or marked regions"},
    {.name = "variable",
     .type = OPTION_TEXT,
     .argument = "GLOB",
     .target = offsetof(struct atomicity_command, variable),
     .help = "only these variables, and pairs with one of them"},
    {.name = "pairs",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct atomicity_command, pairs),
     .help = "the pairs that belong together, a line each, as clew correlate prints them; without "
             "it, those that correlate best"},
    {.name = "top",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct atomicity_command, top),
     .help = "look at the N pairs that correlate best (default 200)"},
    {.name = "all-pairs",
     .type = OPTION_FLAG,
     .target = offsetof(struct atomicity_command, all_pairs),
     .help = "look at all pairs that ever come close to each other (or at all of --pairs), and "
             "tell every finding by itself; without it, findings about the same variables or "
             "places are one"},
    {.name = "merged",
     .type = OPTION_FLAG,
     .target = offsetof(struct atomicity_command, merged),
     .help = "tell also stale reads of memory, and what would be wrong if the two of a pair were "
             "one variable: weaker classes, with findings that are serializable"},
    {.name = "rounds",
     .type = OPTION_FLAG,
     .target = offsetof(struct atomicity_command, rounds),
     .help = "report also couples whose accesses belong to two operations, such as two rounds of a "
             "loop; without it they are counted"},
    {.name = "all",
     .type = OPTION_FLAG,
     .target = offsetof(struct atomicity_command, all),
     .help = "tell also what is left out, as notes: couples of two operations, conflicts that "
             "creating or "
             "joining a task settles, blocks that were not published yet, are freed or are handed "
             "over; without it they are counted by reason"},
    {.name = "witness",
     .type = OPTION_FLAG,
     .target = offsetof(struct atomicity_command, witness),
     .help = "with each finding an order of events that shows it"},
    {.name = "explain",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct atomicity_command, explain),
     .help = "finding N with its witness, event by event"},
    {.name = "via",
     .type = OPTION_CHOICE,
     .argument = "SOLVER",
     .word = via_word,
     .target = offsetof(struct atomicity_command, via),
     .help = "native (the default) or libz3: who looks for an execution in which reads see what "
             "they saw, for the grade"},
    {.name = "compat",
     .type = OPTION_CHOICE,
     .argument = "NAME",
     .word = compat_word,
     .target = offsetof(struct atomicity_command, compat),
     .help = "spin: let SPIN, where it is installed, judge each typed order of the pairs (of one "
             "run), and compare with a search of clew's own"},
    COMMON_JSON,
    COMMON_JSONL,
    COMMON_LIMIT,
    COMMON_SUPPRESS,
    COMMON_INPUT,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct atomicity_command defaults = {
    .common = COMMON_DEFAULTS, .only = ONLY_ALL, .top = 200, .explain = UINT64_MAX};

static const struct example examples[] = {
    {"clew atomicity bank.clew", "What could be interrupted in a recorded run, and how."},
    {"clew atomicity --explain 1 bank.clew", "The first finding, with an order that shows it."},
    {"clew atomicity run*.clew", "What several runs of one system allow, in one report."},
    {"clew atomicity --pairs pairs.txt bank.clew", "Only pairs that you know to belong together."},
    {"clew atomicity capture.har", "Lost updates and stale reads of HTTP resources."},
    {0},
};

const struct verb verb_atomicity = {
    .name = "atomicity",
    .summary = "which accesses that belong together could have been interrupted",
    .operands = "TRACE...",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .is_stopped_softly = true,
    .about =
        "Predicts unserializable interleavings from executions in which nothing went wrong: of "
        "one variable, of two that correlate, of HTTP resources, and of regions marked as "
        "atomic. Each is a sentence with its source places, the locks held, what would "
        "fix it, and a grade: sound (an execution in which reads see what they saw shows "
        "it) or may. What is harmless to what anyone reads is told as a note. Several traces "
        "are several runs of one system, told in one report; runs that are the same but for "
        "their timing are analysed once. A trace is looked at for a minute, or for the budget that "
        "is given; Ctrl-C ends that too, and what was found is told, with a count of what was not "
        "looked at.",
    .exit_statuses = "0 no violation\n1 a violation\n2 a trace could not be read\n"
                     "3 the budget ended, something could not be decided, or the trace has no "
                     "accesses, before a violation was found",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct atomicity_command),
    .examples = examples,
    .run = run,
};
