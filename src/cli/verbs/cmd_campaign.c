/* clew campaign: the results of a search. */
#include <string.h>

#include "campaign/account.h"
#include "cli/text/findings_output.h"

struct campaign_command {
    struct common common;
    int show; /* enum show */
};

enum show { SHOW_ALL, SHOW_RUNS, SHOW_VIOLATIONS, SHOW_PROPERTIES, SHOW_COVERAGE };

static const char *show_word(size_t index)
{
    static const char *const words[] = {"all", "runs", "violations", "properties", "coverage"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static unsigned long long wide(uint64_t number)
{
    return number;
}

static size_t count_covered(const struct account *a)
{
    size_t count = 0;
    vec_each (&a->blocks, block) {
        count += block->count > 0;
    }
    return count;
}

/* "  NAME        " */
static void print_row(struct session *s, const char *name)
{
    out_format(&s->out, "  %-11s ", name);
}

static void print_fact(struct session *s, const char *name, const char *value)
{
    if (value[0] != '\0') {
        print_row(s, name);
        session_text(s, value);
        out_char(&s->out, '\n');
    }
}

static void print_about(struct session *s, const struct account *a)
{
    session_text(s, s->inputs[0]);
    out_text(&s->out, ": ");
    report_count(&s->out, a->run_count, "run", "runs");
    out_text(&s->out, ", ");
    report_count(&s->out, a->violations.count, "violation", "violations");
    out_char(&s->out, '\n');
    print_fact(s, "system", a->about.system);
    print_fact(s, "build", a->about.build);
    print_fact(s, "world", a->about.world);
    print_fact(s, "strategy", a->about.strategy);
    print_fact(s, "settings", a->about.settings);
    print_row(s, "seed");
    out_format(&s->out, "%llu\n", wide(a->about.seed));
    print_row(s, "sessions");
    out_format(&s->out, "%llu", wide(a->session_count));
    if (a->job_open_count > 0) {
        out_text(&s->out, ", ");
        report_count(&s->out, a->job_open_count, "job", "jobs");
        out_text(&s->out, " running or to be repeated");
    }
    out_char(&s->out, '\n');
}

static void print_runs(struct session *s, const struct account *a)
{
    out_text(&s->out, "runs\n");
    if (a->run_count == 0) {
        out_text(&s->out, "  none\n");
        return;
    }
    print_row(s, "steps");
    out_format(&s->out, "%llu, %llu to %llu a run, %.1f on average\n", wide(a->step_count),
               wide(a->steps_least), wide(a->steps_most),
               (double)a->step_count / (double)a->run_count);
    print_row(s, "different");
    report_count(&s->out, a->execution_count, "execution", "executions");
    if (a->state_count > 0) {
        out_text(&s->out, ", ");
        report_count(&s->out, a->state_count, "final state", "final states");
    }
    out_char(&s->out, '\n');
    vec_each (&a->outcomes, o) {
        print_row(s, "");
        session_text(s, o->strategy);
        out_text(&s->out, ", ");
        session_text(s, o->outcome);
        out_text(&s->out, ": ");
        report_count(&s->out, o->run_count, "run", "runs");
        out_char(&s->out, '\n');
    }
}

static enum finding_severity severity_of(const struct account_violation *v)
{
    const int severity = finding_severity_find(v->violation.severity);
    return severity < 0 ? SEVERITY_ERROR : (enum finding_severity)severity;
}

static void print_violation(struct session *s, const struct account_violation *v)
{
    out_format(&s->out, "  %llu. ", wide(v->id));
    const bool is_error = severity_of(v) == SEVERITY_ERROR;
    session_paint(s, is_error ? PAINT_ERROR : PAINT_WARNING, v->violation.kind);
    if (!is_error) {
        out_format(&s->out, " (%s)", finding_severity_name(severity_of(v)));
    }
    out_text(&s->out, ": ");
    session_text(s, v->violation.what);
    out_format(&s->out, "\n     first in run %llu, step %llu; in ", wide(v->violation.run + 1),
               wide(v->violation.step));
    report_count(&s->out, v->run_count, "run", "runs");
    out_char(&s->out, '\n');
    const char *const files[] = {v->violation.schedule, v->violation.trace};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i][0] != '\0') {
            out_text(&s->out, "     ");
            session_text(s, s->inputs[0]);
            out_char(&s->out, '/');
            session_text(s, files[i]);
            out_char(&s->out, '\n');
        }
    }
}

static void print_more(struct session *s, size_t count)
{
    if (count > s->common->limit) {
        out_format(&s->out, "  and %zu more\n", count - (size_t)s->common->limit);
    }
}

static void print_violations(struct session *s, const struct account *a)
{
    out_text(&s->out, "violations\n");
    if (a->violations.count == 0) {
        out_text(&s->out, "  none\n");
    }
    for (size_t i = 0; i < a->violations.count && i < s->common->limit; i++) {
        print_violation(s, &a->violations.at[i]);
    }
    print_more(s, a->violations.count);
}

/* Where and with which values it was broken first, at rest and in loops too. */
static void print_failures(struct session *s, const struct account *a, const char *property)
{
    vec_each (&a->violations, v) {
        if (strcmp(v->violation.property, property) != 0) {
            continue;
        }
        out_format(&s->out, "     %s first in run %llu, step %llu", v->violation.kind,
                   wide(v->violation.run + 1), wide(v->violation.step));
        if (v->violation.values[0] != '\0') {
            out_text(&s->out, ": ");
            session_text(s, v->violation.values);
        }
        out_char(&s->out, '\n');
    }
}

static void print_properties(struct session *s, const struct account *a)
{
    out_text(&s->out, "properties\n");
    if (a->properties.count == 0) {
        out_text(&s->out, "  none\n");
    }
    vec_each (&a->properties, p) {
        out_text(&s->out, "  ");
        session_text(s, p->name);
        if (p->text[0] != '\0') {
            out_text(&s->out, ": ");
            session_text(s, p->text);
        }
        out_text(&s->out, "\n     ");
        report_count(&s->out, p->checks, "check", "checks");
        out_text(&s->out, ", ");
        report_count(&s->out, p->skips, "skip", "skips");
        out_text(&s->out, ", ");
        report_count(&s->out, p->failures, "failure", "failures");
        out_char(&s->out, '\n');
        print_failures(s, a, p->name);
    }
}

/* Blocks that were entered, or were not. */
static void print_blocks(struct session *s, const struct account *a, bool is_covered)
{
    size_t count = 0;
    vec_each (&a->blocks, block) {
        if ((block->count > 0) != is_covered) {
            continue;
        }
        if (count++ >= s->common->limit) {
            continue;
        }
        if (is_covered) {
            out_format(&s->out, "  %10llu times  ", wide(block->count));
        } else {
            out_format(&s->out, "  %16s  ", "never");
        }
        if (block->place[0] == '\0') {
            out_format(&s->out, "block %u", block->index);
        } else {
            session_text(s, block->place);
        }
        if (is_covered && block->nodes != 0) {
            out_text(&s->out, ", by ");
            report_count(&s->out, (uint64_t)__builtin_popcountll(block->nodes), "node", "nodes");
        }
        out_char(&s->out, '\n');
    }
    print_more(s, count);
}

static void print_coverage(struct session *s, const struct account *a)
{
    out_text(&s->out, "coverage\n");
    if (a->blocks.count == 0) {
        out_text(&s->out, "  not counted\n");
        return;
    }
    const size_t covered = count_covered(a);
    print_row(s, "blocks");
    /* Not every compiler lists the blocks that are never entered. */
    if (covered == a->blocks.count) {
        out_format(&s->out, "%zu covered; the compiler lists no uncovered blocks\n", covered);
    } else {
        out_format(&s->out, "%zu of %zu covered (%.1f %%)\n", covered, a->blocks.count,
                   100.0 * (double)covered / (double)a->blocks.count);
    }
    print_blocks(s, a, true);
    print_blocks(s, a, false);
}

static void print_text(struct session *s, const struct account *a, enum show show)
{
    print_about(s, a);
    const struct {
        enum show show;
        void (*print)(struct session *s, const struct account *a);
    } parts[] = {{SHOW_RUNS, print_runs},
                 {SHOW_VIOLATIONS, print_violations},
                 {SHOW_PROPERTIES, print_properties},
                 {SHOW_COVERAGE, print_coverage}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (show == SHOW_ALL || show == parts[i].show) {
            parts[i].print(s, a);
        }
    }
}

static void add_finding(struct finding_file *f, const struct account *a, const char *folder,
                        const struct account_violation *v)
{
    const int kind = finding_kind_find(v->violation.kind);
    struct finding finding = {.id = (uint32_t)v->id,
                              .kind = kind < 0 ? FINDING_PROPERTY : (enum finding_kind)kind,
                              .severity = severity_of(v),
                              .status = STATUS_CONFIRMED,
                              .grade = GRADE_SOUND,
                              .what = v->violation.what,
                              .why = v->violation.values,
                              .key = v->violation.key,
                              .pair_count = 1};
    if (v->violation.schedule[0] != '\0') {
        finding.replay = report_replay(&f->findings, &a->about, folder, v->violation.schedule);
    }
    findings_add(&f->findings, &finding);
}

static void add_count(struct finding_file *f, const char *group, const char *name, uint64_t count)
{
    vec_push(&f->stats,
             (struct figure){.group = group, .name = name, .type = FIGURE_COUNT, .count = count});
}

static void add_text(struct finding_file *f, const char *group, const char *name, const char *text)
{
    vec_push(&f->stats,
             (struct figure){.group = group, .name = name, .type = FIGURE_TEXT, .text = text});
}

static void add_property(struct finding_file *f, const struct account *a,
                         const struct campaign_property *p)
{
    const char *group = findings_text(&f->findings, "property %s", p->name);
    add_count(f, group, "checks", p->checks);
    add_count(f, group, "skips", p->skips);
    add_count(f, group, "failures", p->failures);
    vec_each (&a->violations, v) {
        if (strcmp(v->violation.property, p->name) == 0) {
            add_count(f, group, "run", v->violation.run + 1);
            add_count(f, group, "step", v->violation.step);
            add_text(f, group, "values", v->violation.values);
            return;
        }
    }
}

static void add_block(struct finding_file *f, const struct campaign_block *block)
{
    const char *group = findings_text(&f->findings, "block %u", block->index);
    add_text(f, group, "place", block->place);
    add_count(f, group, "times", block->count);
    add_count(f, group, "nodes", (uint64_t)__builtin_popcountll(block->nodes));
}

static void print_json(struct session *s, const struct account *a)
{
    struct finding_file f;
    report_begin(&f, s);
    f.verdict = a->violations.count > 0 ? VERDICT_FOUND : VERDICT_UNKNOWN;
    finding_file_text(&f, "system", a->about.system);
    finding_file_text(&f, "strategy", a->about.strategy);
    finding_file_count(&f, "runs", a->run_count);
    finding_file_count(&f, "steps", a->step_count);
    finding_file_count(&f, "executions", a->execution_count);
    finding_file_count(&f, "states", a->state_count);
    finding_file_count(&f, "sessions", a->session_count);
    finding_file_count(&f, "jobs_open", a->job_open_count);
    finding_file_count(&f, "blocks_covered", count_covered(a));
    finding_file_count(&f, "blocks_total", a->blocks.count);
    vec_each (&a->outcomes, o) {
        add_count(&f, findings_text(&f.findings, "outcomes of %s", o->strategy), o->outcome,
                  o->run_count);
    }
    vec_each (&a->properties, p) {
        add_property(&f, a, p);
    }
    vec_each (&a->blocks, block) {
        add_block(&f, block);
    }
    for (size_t i = 0; i < a->violations.count && i < s->common->limit; i++) {
        add_finding(&f, a, s->inputs[0], &a->violations.at[i]);
    }
    report_print(&f, s);
    finding_file_release(&f);
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct campaign_command *c = options;
    struct account a = {0};
    const int result = account_read(&a, s->inputs[0], e);
    if (result == 0 && s->common->json) {
        print_json(s, &a);
    } else if (result == 0) {
        print_text(s, &a, (enum show)c->show);
    }
    account_release(&a);
    return result < 0 ? -1 : EXIT_CLEAN;
}

static const struct option options[] = {
    {.name = "show",
     .type = OPTION_CHOICE,
     .argument = "PART",
     .target = offsetof(struct campaign_command, show),
     .word = show_word,
     .help = "print only this part: runs, violations, properties or coverage (default: all)"},
    COMMON_JSON,
    COMMON_ROW(limit, .name = "limit", .type = OPTION_NUMBER, .argument = "N",
               .help = "list at most N violations, covered and uncovered blocks (default: 20)"),
    COMMON_ALWAYS,
    {0},
};

static const struct campaign_command defaults = {.common = {.from = -1, .to = -1, .limit = 20}};

static const struct example examples[] = {
    {"clew campaign bank.campaign",
     "Print the runs, violations, properties and coverage of a search."},
    {"clew campaign --show coverage --limit 1000 bank.campaign",
     "List the covered and the uncovered blocks of code."},
    {"clew campaign --json bank.campaign > bank.findings",
     "Write the violations as a findings file."},
    {0},
};

const struct verb verb_campaign = {
    .name = "campaign",
    .summary = "print the state and the results of a search",
    .operands = "DIR",
    .operand_min = 1,
    .operand_max = 1,
    .about = "Prints the search that clew explore keeps in a campaign directory, finished or still "
             "running: the number of runs and their outcomes, each violation with its schedule, "
             "how often each property was checked, skipped and broken, and which blocks of code "
             "were covered.",
    .exit_statuses = "0 the campaign was read\n2 the campaign could not be read: not a campaign, "
                     "damaged, or written by a later version",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct campaign_command),
    .examples = examples,
    .run = run,
};
