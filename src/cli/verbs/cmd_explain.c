/* clew explain: why a finding, or the failing run of a schedule, is a bug. */
#include <string.h>

#include "cli/input/file_kind.h"
#include "cli/input/finding_trace.h"
#include "cli/input/schedule_file.h"
#include "cli/input/schedule_run.h"
#include "cli/interrupt.h"
#include "cli/text/findings_output.h"
#include "cli/text/output_check.h"
#include "cli/text/verdict.h"
#include "hunt/explain_finding.h"
#include "hunt/explain_run.h"

struct explain_command {
    struct common common;
    bool markdown;
    const char *finding;
    uint64_t rows;
    struct texts sources;
    const char *spec;
    const char *config;
    struct command_choice program;
};

enum { ROWS_DEFAULT = 40 };

/* One command: the explanations that it prints. */
struct explaining {
    struct session *session;
    const struct explain_command *command;
    struct finding_file findings; /* that are explained */
    VEC(struct explanation) explanations;
    struct out file; /* --output */
};

/* Output */

static void print_explanations(const void *context, struct json *j)
{
    const struct explaining *x = context;
    json_array(j, "explanations");
    vec_each (&x->explanations, explanation) {
        explanation_print_json(explanation, j);
    }
    json_end(j);
}

static void print_words(const struct explaining *x, struct out *out)
{
    for (size_t i = 0; i < x->explanations.count; i++) {
        out_text(out, i == 0 ? "" : "\n");
        if (x->command->markdown) {
            explanation_print_markdown(&x->explanations.at[i], 2, out);
        } else {
            explanation_print_text(&x->explanations.at[i], out);
        }
    }
}

/* Prints what was explained, to --output where that is given. */
static int print_all(struct explaining *x, struct err *e)
{
    struct session *s = x->session;
    const char *path = s->common->output;
    if (s->common->json) {
        x->findings.print_more = print_explanations;
        x->findings.context = x;
        report_print(&x->findings, s);
        return 0;
    }
    if (path == NULL) {
        print_words(x, &s->out);
        return 0;
    }
    if (out_open(&x->file, path, e) < 0) {
        return -1;
    }
    print_words(x, &x->file);
    return out_close(&x->file, e);
}

/* Findings */

static int explain_one(struct explaining *x, struct finding_trace *l, struct source_lines *source,
                       struct finding *f, struct err *e)
{
    if (f->event_count == 0) {
        return finding_has_no_trace(f, "explain", e);
    }
    const bool has_trace = l->session.input_count > 0;
    if (has_trace && finding_trace_load(l, f, e) != 0) {
        return -1;
    }
    const struct explain_finding_options o = {.trace = has_trace ? &l->reading.trace : NULL,
                                              .trace_name = has_trace ? l->reading.name : "",
                                              .rows_max = x->command->rows,
                                              .source = source};
    vec_push(&x->explanations, (struct explanation){0});
    return explain_finding(f, &o, vec_last(&x->explanations), e);
}

/* The folders where the sources are looked for: this one, then those of --source. */
static int explain_list(struct explaining *x, const struct finding_file *from, struct err *e)
{
    const char *folders[TEXTS_MAX + 1] = {"."};
    struct source_lines source;
    for (size_t i = 0; i < x->command->sources.count; i++) {
        folders[i + 1] = x->command->sources.at[i];
    }
    struct finding_trace l;
    finding_trace_init(&l, x->session, from);
    source_lines_init(&source, folders, x->command->sources.count + 1);
    int result = 0;
    for (size_t i = 0; i < from->findings.list.count && result == 0; i++) {
        struct finding *f = &from->findings.list.at[i];
        if (finding_is_named(f, (uint32_t)i + 1, x->command->finding) &&
            x->explanations.count < x->session->common->limit) {
            f->id = f->id == 0 ? (uint32_t)i + 1 : f->id;
            result = explain_one(x, &l, &source, f, e);
            findings_add(&x->findings.findings, f);
        }
    }
    finding_trace_close(&l);
    source_lines_release(&source);
    if (result == 0 && x->command->finding != NULL && x->explanations.count == 0) {
        return err_set(e, "%s: no finding has the number or the key \"%s\"; there are %zu",
                       x->session->inputs[0], x->command->finding, from->findings.list.count);
    }
    return result;
}

/* The file has no findings, or --limit leaves none of them. */
static void print_none_explained(struct explaining *x, size_t count)
{
    if (count == 0) {
        out_text(&x->session->out, "there are no findings to explain\n");
    } else {
        out_format(&x->session->out, "%zu finding%s\n", count, count == 1 ? "" : "s");
    }
}

static int explain_findings(struct explaining *x, struct in *in, struct err *e)
{
    struct finding_file from = {0};
    if (x->session->command != NULL || x->session->input_count > 1) {
        return session_misused(e, "a findings file is explained from its trace, without a program");
    }
    if (finding_file_parse(&from, in, e) < 0) {
        return file_kind_refuse(x->session->inputs[0], "a findings file or a schedule", e);
    }
    int status = explain_list(x, &from, e);
    if (status == 0) {
        x->findings.verdict = x->explanations.count > 0 ? VERDICT_FOUND : VERDICT_CLEAN;
        status = print_all(x, e);
        if (status == 0 && x->explanations.count == 0 && !x->session->common->json) {
            print_none_explained(x, from.findings.list.count);
        }
    }
    /* The findings that are printed have their texts in `from`. */
    vec_release(&x->findings.findings.list);
    finding_file_release(&from);
    return status;
}

/* Schedules */

static int explain_world(struct explaining *x, const struct schedule_run *r, struct err *e)
{
    struct session *s = x->session;
    struct explained_run run = {0};
    struct stopping stopping;
    stopping_begin(&stopping);
    const struct limit limit = schedule_run_budget(r);
    const struct explain_options options = {.rows_max = x->command->rows, .limit = &limit};
    int status = explain_run(r->world, &r->schedule, &options, &run, e);
    stopping_end(&stopping);
    if (status < 0) {
        (void)err_wrap(e, "%s", s->inputs[0]);
    } else if (!run.is_shown) {
        const char *hint = schedule_hint(x->command->spec, x->command->config);
        out_format(&s->out, "unknown: the schedule shows no violation: %s%s%s%s\n",
                   run.divergence[0] != '\0' ? run.divergence : run.failing.what,
                   hint[0] == '\0' ? "" : " (", hint, hint[0] == '\0' ? "" : ")");
        status = EXIT_UNKNOWN;
    } else {
        run.result.replay = schedule_run_command(r, &run.result.arena);
        findings_add(&x->findings.findings,
                     &(struct finding){.kind = outcome_finding(run.failing.outcome),
                                       .status = STATUS_CONFIRMED,
                                       .grade = GRADE_SOUND,
                                       .severity = run.failing.severity,
                                       .what = run.failing.what,
                                       .key = run.failing.key,
                                       .replay = run.result.replay,
                                       .pair_count = 1});
        x->findings.verdict = VERDICT_FOUND;
        vec_push(&x->explanations, run.result);
        run.result = (struct explanation){0};
        status = print_all(x, e);
    }
    explained_run_release(&run);
    return status;
}

static int explain_schedule(struct explaining *x, struct err *e)
{
    const struct explain_command *c = x->command;
    struct schedule_run r = {
        .session = x->session, .program = &c->program, .spec = c->spec, .config = c->config};
    int status = schedule_run_open(&r, e);
    if (status == 0) {
        status = explain_world(x, &r, e);
    }
    schedule_run_close(&r);
    return status;
}

/* A findings file is a JSON object; a schedule is not. */
static int explain_input(struct explaining *x, struct err *e)
{
    struct in in;
    const char *path = x->session->inputs[0];
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    ssize_t available = in_fill(&in, 1, e);
    while (available > 0 && strchr(" \t\r\n", in.at[0]) != NULL) {
        in_skip(&in, 1);
        available = in_fill(&in, 1, e);
    }
    int status = available < 0 ? err_wrap(e, "%s", path) : 0;
    if (available == 0) {
        status = err_set(e, "%s: is empty, not a schedule or a findings file", path);
    }
    const bool is_object = available > 0 && in.at[0] == '{';
    static const char mark[] = "clew-schedule";
    const bool is_schedule = available > 0 &&
                             in_fill(&in, sizeof mark, e) >= (ssize_t)sizeof mark - 1 &&
                             memcmp(in.at, mark, sizeof mark - 1) == 0;
    if (status == 0 && !is_object && !is_schedule) {
        (void)err_set(e, "is neither a schedule nor a findings file");
        status = file_kind_refuse(path, "a findings file or a schedule", e);
    }
    if (status == 0 && is_object) {
        status = explain_findings(x, &in, e);
    }
    in_close(&in);
    return status == 0 && !is_object ? explain_schedule(x, e) : status;
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct explain_command *c = options;
    if (c->markdown && c->common.json) {
        return session_misused(e, "--markdown and --json exclude each other");
    }
    if (c->common.json && c->common.output != NULL) {
        return session_misused(e, "--json prints to standard output and excludes --output");
    }
    if (command_check(s, &c->program, e) < 0) {
        return MISUSED;
    }
    if (c->common.output != NULL && output_check_writable(c->common.output, e) < 0) {
        return -1;
    }
    struct explaining x = {.session = s, .command = c};
    report_begin(&x.findings, s);
    const int status = explain_input(&x, e);
    vec_each (&x.explanations, explanation) {
        explanation_release(explanation);
    }
    vec_release(&x.explanations);
    finding_file_release(&x.findings);
    return status;
}

static const struct option options[] = {
    {.name = "finding",
     .type = OPTION_TEXT,
     .argument = "N|KEY",
     .target = offsetof(struct explain_command, finding),
     .help = "explain only this finding, by its number or its key (default: all)"},
    {.name = "markdown",
     .type = OPTION_FLAG,
     .target = offsetof(struct explain_command, markdown),
     .help = "write Markdown with a Mermaid sequence diagram"},
    {.name = "rows",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct explain_command, rows),
     .help = "show N steps of the interleaving, those of the cause and around it; 0 shows all "
             "(default: 40)"},
    {.name = "source",
     .type = OPTION_TEXTS,
     .argument = "DIR",
     .target = offsetof(struct explain_command, sources),
     .help = "findings: look for source files in DIR too; may be repeated (default: the current "
             "directory)"},
    {.name = "spec",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct explain_command, spec),
     .help = "schedules: check these properties, as the exploration did"},
    {.name = "config",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct explain_command, config),
     .help = "schedules: external events, as in the exploration (default: set by the system)"},
    COMMAND_OPTIONS(struct explain_command),
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_OUTPUT, .argument = "FILE",
               .help = "write the explanation to FILE; - is standard output"),
    COMMON_INPUT,
    COMMON_LIMIT,
    COMMON_JSON,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct explain_command defaults = {
    .common = COMMON_DEFAULTS, .rows = ROWS_DEFAULT, .program = COMMAND_CHOICE_DEFAULTS};

static const struct example examples[] = {
    {"clew explain account.campaign/violations/1.sched -- ./account",
     "Explain why a run of a program fails."},
    {"clew explain ring.campaign/violations/1.sched ./ring.so",
     "The same for a run of a simulated system."},
    {"clew races --json run.clew > run.findings; clew explain run.findings --finding 1",
     "Explain a finding of an analysis."},
    {"clew explain --markdown run.findings --source src -o bug.md",
     "Write a report with sequence diagrams."},
    {0},
};

const struct verb verb_explain = {
    .name = "explain",
    .summary = "explain why a finding or a failing run is a bug",
    .operands = "FINDINGS | SCHEDULE SYSTEM.so | SCHEDULE -- PROGRAM...",
    .operand_min = 1,
    .operand_max = 2,
    .takes_command = true,
    .is_stopped_softly = true,
    .about = "Prints the interleaving as a table with a column for each task or node, the order "
             "that is missing, the values that differ, and the nearest passing run with the first "
             "step where the two part. For a schedule it runs the program or system: that run and "
             "up to 2000 runs beside it (--budget). For a findings file (the output of --json) it "
             "reads the traces that the file names.",
    .exit_statuses = "0 the explanation was written\n2 the input, its trace or its system could "
                     "not be read\n3 the run of the schedule shows no violation",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct explain_command),
    .examples = examples,
    .run = run,
};
