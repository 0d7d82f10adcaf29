/* clew check: is a trace well formed? */
#include "cli/input/trace_input.h"
#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"
#include "trace/check.h"

struct check_command {
    struct common common;
};

/* --json holds its findings until they are all known; this many of a severity at most. */
enum { DESCRIBED_MAX = 100000 };

/* A check under way, and how many of its findings have been shown. */
struct checking {
    struct session *session;
    struct reading reading;
    struct check *check;
    struct finding_file file;
    uint64_t shown_count;
    uint64_t hidden_errors; /* impossible findings that are not shown */
};

/* Prints the findings since the last call and drops them, so that memory stays bounded. --json must
 * wait: it is one object. */
static void show_findings(struct checking *k)
{
    struct session *s = k->session;
    if (s->common->json) {
        return;
    }
    vec_each (&k->file.findings.list, finding) {
        if (suppressions_hide(&s->suppressions, finding)) {
            k->hidden_errors += finding->severity == SEVERITY_ERROR;
            continue;
        }
        exports_add(&s->exports, finding);
        if (k->shown_count >= s->common->limit) {
            continue;
        }
        k->shown_count++;
        if (s->common->jsonl) {
            report_line(s, finding, k->shown_count);
        } else {
            report_finding(s, finding);
        }
    }
    findings_release(&k->file.findings);
}

/* Only a part of the trace was there to be checked. */
static bool is_part(const struct checking *k)
{
    return k->reading.is_cut || k->reading.cursor->is_cut_short;
}

static void print_verdict(struct checking *k)
{
    struct session *s = k->session;
    const struct check_counts *counts = check_counts(k->check);
    session_text(s, k->reading.name);
    out_text(&s->out, ": ");
    report_count(&s->out, counts->events, "event", "events");
    if (is_part(k)) {
        out_text(&s->out, " of more");
    }
    if (counts->errors == 0 && counts->warnings == 0 && !is_part(k)) {
        out_text(&s->out, ", well formed\n");
        return;
    }
    out_format(&s->out, ", %llu impossible, %llu unfinished", (unsigned long long)counts->errors,
               (unsigned long long)counts->warnings);
    report_hidden(s);
    out_char(&s->out, '\n');
}

static void hide_findings(struct checking *k)
{
    struct findings *f = &k->file.findings;
    size_t kept = 0;
    for (size_t i = 0; i < f->list.count; i++) {
        const struct finding finding = f->list.at[i];
        if (suppressions_hide(&k->session->suppressions, &finding)) {
            k->hidden_errors += finding.severity == SEVERITY_ERROR;
        } else {
            f->list.at[kept++] = finding;
        }
    }
    f->list.count = kept;
}

static bool has_errors(const struct checking *k)
{
    return check_counts(k->check)->errors > k->hidden_errors;
}

static void print_json(struct checking *k)
{
    const struct check_counts *counts = check_counts(k->check);
    struct finding_file *f = &k->file;
    if (suppressions_are_given(&k->session->suppressions)) {
        const uint64_t limit = k->session->common->limit;
        hide_findings(k);
        f->findings.list.count =
            f->findings.list.count < limit ? f->findings.list.count : (size_t)limit;
    }
    exports_add_all(&k->session->exports, &f->findings);
    f->event_count = counts->events;
    f->verdict = verdict_of(has_errors(k), is_part(k));
    vec_each (&k->reading.notes.list, note) {
        vec_push(&f->assumptions, note->text);
    }
    finding_file_count(f, "impossible", counts->errors);
    finding_file_count(f, "unfinished", counts->warnings);
    finding_file_count(f, "messages_outside", counts->messages_outside);
    for (enum check_rule rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        if (counts->by_rule[rule] > 0) {
            vec_push(&f->stats, (struct figure){.group = "rules",
                                                .name = check_rule_name(rule),
                                                .type = FIGURE_COUNT,
                                                .count = counts->by_rule[rule]});
        }
    }
    report_print(f, k->session);
}

static int check_all(struct checking *k, struct err *e)
{
    struct batch b;
    int more = 0;
    while ((more = reading_next(&k->reading, &b, e)) > 0) {
        check_events(k->check, &b);
        show_findings(k);
    }
    if (more < 0) {
        return -1;
    }
    if (!k->reading.is_cut) {
        check_end(k->check); /* a trace that was cut short is not unfinished for it */
        show_findings(k);
    }
    reading_warn(&k->reading);
    if (k->session->common->json) {
        print_json(k);
    } else if (!k->session->common->jsonl) {
        print_verdict(k);
    }
    return verdict_status(verdict_of(has_errors(k), is_part(k)));
}

static int run(struct session *s, const void *options, struct err *e)
{
    (void)options;
    struct checking k = {.session = s};
    const int opened = reading_open(&k.reading, s, e);
    if (opened < 0) {
        return opened;
    }
    report_begin(&k.file, s);
    const bool hides = suppressions_are_given(&s->suppressions);
    struct check_options check_options = {.findings_max = hides ? UINT64_MAX : s->common->limit};
    if (s->common->json && check_options.findings_max > DESCRIBED_MAX) {
        check_options.findings_max = DESCRIBED_MAX;
    }
    k.check = check_new(&k.reading.trace.tables, &check_options, &k.file.findings);
    const int status = check_all(&k, e);
    check_free(k.check);
    finding_file_release(&k.file);
    reading_close(&k.reading);
    return status;
}

static const struct option options[] = {
    COMMON_JSON,   COMMON_JSONL,  COMMON_LIMIT, COMMON_SUPPRESS, COMMON_EXPORTS, COMMON_INPUT,
    COMMON_BUDGET, COMMON_ALWAYS, {0},
};

static const struct check_command defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew check bank.log", "List everything impossible or unfinished in bank.log."},
    {"clew check --limit 0 run.clew && echo sound", "Print only the counts, for use in scripts."},
    {"clew check --json run.clew > run.findings", "Write the findings to a file."},
    {0},
};

const struct verb verb_check = {
    .name = "check",
    .summary = "check whether a trace is well formed",
    .operands = "TRACE...",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .about = "Reports impossible events (a receive without its send, an unlock by another task, "
             "time running backwards) and, separately, unfinished ones (a lock held at the end, a "
             "task without end), each with its event number and byte offset. Reads the trace once; "
             "memory grows with tasks, locks and messages, not with events. Checks a truncated "
             "file up to its last complete part and exits with status 3.",
    .exit_statuses =
        "0 no impossible event; some may be unfinished\n1 an impossible event\n2 the trace could "
        "not be read\n3 no impossible event, but the file is truncated or the budget ended",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct check_command),
    .examples = examples,
    .run = run,
};
