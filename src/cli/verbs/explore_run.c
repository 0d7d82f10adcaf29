#include "cli/verbs/explore_run.h"

#include <string.h>

#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"
#include "cli/verbs/assumptions.h"
#include "report/findings_file.h"

bool exploration_is_program(const struct exploration *x)
{
    return x->session->command != NULL;
}

static struct assumed_search exploration_assumed(const struct exploration *x)
{
    return (struct assumed_search){.world = x->world,
                                   .is_program = exploration_is_program(x),
                                   .is_complete = x->found.is_complete,
                                   .has_data_races = x->found.has_data_races,
                                   .seed = x->options.search.seed};
}

/* The observed features of the program; nothing for a system. */
static struct control_told told_of(const struct exploration *x)
{
    return exploration_is_program(x) ? control_told(x->world)
                                     : (struct control_told){.left = "", .preempted = ""};
}

/* The command that shows the violation again; NULL when the campaign has not kept it. */
static const char *replay_of(const struct exploration *x, const char *key, struct findings *f)
{
    vec_each (&x->account.violations, v) {
        if (strcmp(v->violation.key, key) == 0) {
            return report_replay(f, &x->account.about, x->folder, v->violation.schedule);
        }
    }
    return NULL;
}

/* Whether --ignore names the key. */
static bool is_ignored(const struct exploration *x, const char *key)
{
    const struct texts *keys = &x->command->ignore;
    for (size_t i = 0; i < keys->count; i++) {
        if (strcmp(keys->at[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the search was to stop at this one; NULL: at any. Keys of properties end in their names.
 */
static bool is_awaited(const char *until, const struct execution *x)
{
    const size_t size = until == NULL ? 0 : strlen(until);
    const size_t key_size = strlen(x->key);
    return until == NULL || (key_size >= size && strcmp(x->key + key_size - size, until) == 0);
}

bool exploration_is_known(void *exploration, const struct execution *x)
{
    const struct exploration *self = exploration;
    if (is_ignored(self, x->key)) {
        return true;
    }
    if (outcome_is_cut(x->outcome, x->severity)) {
        return true; /* nothing was found: the search goes on */
    }
    const struct finding finding = {
        .kind = outcome_finding(x->outcome), .what = x->what, .key = x->key};
    return !is_awaited(self->command->until, x) ||
           suppressions_hide(&self->session->suppressions, &finding);
}

/* Whether the finding is only that a run did not end in time. */
static bool is_cut(const struct finding *f)
{
    return f->kind == FINDING_HANG && f->severity == SEVERITY_NOTE;
}

/* Adds a violation, with the fields that all have, unless --ignore names it. Texts
 * outlive f or are its own. */
static void add_finding(const struct exploration *x, struct finding_file *f, struct finding known)
{
    if (is_ignored(x, known.key)) {
        return;
    }
    const bool is_repeated = known.kind != FINDING_NONDETERMINISM;
    known.status = is_cut(&known) ? STATUS_UNKNOWN : STATUS_CONFIRMED;
    known.grade = is_cut(&known) ? GRADE_NONE : GRADE_SOUND;
    known.replay = is_repeated ? replay_of(x, known.key, &f->findings) : NULL;
    known.pair_count = 1;
    if (!suppressions_hide(&x->session->suppressions, &known)) {
        findings_add(&f->findings, &known);
    }
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
                             .why = findings_text(
                                 &f->findings, "%sshown by run %llu, after %u step%s; %llu %s it",
                                 v->calls, (unsigned long long)v->run, v->step_count,
                                 v->step_count == 1 ? "" : "s", (unsigned long long)v->count,
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
                .why = findings_text(
                    &f->findings, "shown by run %llu, after %llu step%s, in an earlier search",
                    (unsigned long long)v->violation.run + 1, (unsigned long long)v->violation.step,
                    v->violation.step == 1 ? "" : "s")});
    }
}

/* The violations of the search, without runs that only did not end. */
struct counted {
    uint64_t violations, runs;
    uint64_t first_run; /* the least number over all processes; 0: none */
    uint64_t cut;       /* runs that did not end in time */
};

static struct counted count_violations(const struct exploration *x)
{
    struct counted c = {0};
    vec_each (&x->found.violations, v) {
        if (outcome_is_cut(v->outcome, v->severity)) {
            c.cut += v->count;
        } else {
            c.violations++;
            must(v->count > 0);
            c.runs += v->count;
            c.first_run = c.first_run == 0 || v->run < c.first_run ? v->run : c.first_run;
        }
    }
    return c;
}

/* How many blocks that the compiler lists no run of the campaign has entered. */
static uint32_t count_uncovered(const struct exploration *x)
{
    uint32_t count = 0;
    vec_each (&x->account.blocks, block) {
        count += block->count == 0;
    }
    return count;
}

/* Of several processes, each has entered blocks of its own; blocks that none entered are known from
 * all. */
static struct world_coverage coverage_of(const struct exploration *x)
{
    struct world_coverage coverage = x->found.coverage;
    const uint32_t uncovered = count_uncovered(x);
    if (uncovered > 0 && uncovered <= coverage.block_total) {
        coverage.block_covered = coverage.block_total - uncovered;
    }
    return coverage;
}

/* "uncovered": their places in the source. */
static void print_uncovered(const void *context, struct json *j)
{
    const struct exploration *x = context;
    json_array(j, "uncovered");
    vec_each (&x->account.blocks, block) {
        if (block->count == 0) {
            json_text(j, NULL, block->place);
        }
    }
    json_end(j);
}

static void print_coverage(const struct exploration *x)
{
    const struct world_coverage coverage = coverage_of(x);
    struct session *s = x->session;
    if (coverage.block_total == 0) {
        return; /* the compiler does not list them */
    }
    out_format(&s->out, "%u of %u blocks entered", coverage.block_covered, coverage.block_total);
    size_t count = 0;
    vec_each (&x->account.blocks, block) {
        if (block->count == 0 && count++ < s->common->limit) {
            out_text(&s->out, count == 1 ? "; never: " : ", ");
            session_text(s, block->place);
        }
    }
    if (count > s->common->limit) {
        out_format(&s->out, " and %zu more", count - s->common->limit);
    }
    out_char(&s->out, '\n');
}

static void add_stats(const struct exploration *x, struct finding_file *f)
{
    const struct explored *found = &x->found;
    const struct counted counted = count_violations(x);
    finding_file_count(f, "runs", found->runs);
    finding_file_count(f, "steps", found->steps);
    finding_file_count(f, "violating_runs", counted.runs);
    finding_file_count(f, "first_violation_run", counted.first_run);
    finding_file_flag(f, "exhausted", found->is_complete && !found->has_drawn);
    if (!exploration_is_program(x)) {
        finding_file_count(f, "messages", found->classes[PICK_CLASS_MESSAGE]);
        finding_file_count(f, "timers", found->classes[PICK_CLASS_TIMER]);
        finding_file_count(f, "changed_runs", found->changed_runs);
    }
    finding_file_count(f, "states", found->states);
    finding_file_count(f, "shared_words", found->shared_words);
    const struct world_coverage coverage = coverage_of(x);
    finding_file_count(f, "blocks_covered", coverage.block_covered);
    finding_file_count(f, "blocks_total", coverage.block_total);
    finding_file_flag(f, "blocks_listed", coverage.block_total > 0);
    finding_file_text(f, "strategy", explore_strategy_name(x->options.strategy));
    const struct control_told told = told_of(x);
    finding_file_text(f, "mode",
                      exploration_is_program(x) ? control_mode_name((int)told.mode) : "sim");
    finding_file_count(f, "uncontrolled", told.outside_count);
    finding_file_count(f, "verified", told.verified);
    finding_file_count(f, "unlike", told.unlike);
    finding_file_count(f, "runs_cut", counted.cut);
    finding_file_flag(f, "unreached", told.is_unreached);
}

/* A run that differs when it is repeated: the result holds for the runs that were made, and a
 * schedule may not show it again. */
static void add_difference(const struct exploration *x, struct finding_file *f)
{
    const struct control_told told = told_of(x);
    if (told.unlike == 0) {
        return;
    }
    findings_add(
        &f->findings,
        &(struct finding){
            .kind = FINDING_NONDETERMINISM,
            .status = STATUS_CONFIRMED,
            .severity = SEVERITY_WARNING,
            .what = findings_text(&f->findings, "not deterministic: %s", told.difference),
            .why = findings_text(
                &f->findings, "%llu of %llu repeated runs differ from their first execution",
                (unsigned long long)told.unlike, (unsigned long long)told.verified),
            .key = "not deterministic",
            .pair_count = 1});
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
        if (finding->replay != NULL) {
            out_text(&s->out, "    again: ");
            session_text(s, finding->replay);
            out_char(&s->out, '\n');
        }
    }
}

/* Uncontrolled calls: a run without a violation proves less then. */
static void print_outside(const struct exploration *x)
{
    const struct control_told told = control_told(x->world);
    for (uint32_t i = 0; i < told.outside_count; i++) {
        out_text(&x->session->out, i == 0 ? "not controlled: " : ", ");
        session_text(x->session, told.outside[i]);
    }
    out_text(&x->session->out, told.outside_count > 0 ? "\n" : "");
    for (uint32_t i = 0; i < told.unseen_count && !x->is_unseen; i++) {
        out_text(&x->session->out,
                 i == 0 ? "memory accesses not visible (build with clew cc): " : ", ");
        session_text(x->session, told.unseen[i]);
    }
    out_text(&x->session->out, told.unseen_count > 0 && !x->is_unseen ? "\n" : "");
    if (told.left[0] != '\0') {
        out_text(&x->session->out,
                 "written outside of the current directory, where the next run finds it: ");
        session_text(x->session, told.left);
        out_char(&x->session->out, '\n');
    }
    if (told.preempted[0] != '\0') {
        out_text(&x->session->out,
                 "not exact: code without scheduling points was preempted, first at ");
        session_text(x->session, told.preempted);
        out_char(&x->session->out, '\n');
    }
    if (told.verified > 0 && x->command->verify) {
        out_format(&x->session->out, "%llu of %llu repeated runs were identical\n",
                   (unsigned long long)(told.verified - told.unlike),
                   (unsigned long long)told.verified);
    }
}

/* Calls of the system that the simulator does not control. */
static void print_doubts(const struct exploration *x)
{
    for (uint32_t i = 0; i < x->world->doubt_count; i++) {
        out_text(&x->session->out, "not simulated: ");
        session_text(x->session, x->world->doubts[i]);
        out_char(&x->session->out, '\n');
    }
}

bool exploration_is_controlled(const struct exploration *x)
{
    const struct assumed_search search = exploration_assumed(x);
    return assumptions_leave_control(&search);
}

bool exploration_has_unseen(const struct exploration *x)
{
    return exploration_is_program(x) && control_told(x->world).unseen_count > 0;
}

/* A search that ended says nothing of accesses that it does not see. */
static void print_unseen(const struct exploration *x)
{
    struct out *out = &x->session->out;
    const struct control_told told = control_told(x->world);
    if (x->found.executions == 1) {
        out_text(out, "the only schedule at synchronization points explored; ");
    } else {
        out_format(out, "all %llu schedules at synchronization points explored; ",
                   (unsigned long long)x->found.executions);
    }
    out_text(out, "memory accesses of ");
    for (uint32_t i = 0; i < told.unseen_count; i++) {
        out_text(out, i == 0 ? "" : ", ");
        session_text(x->session, told.unseen[i]);
    }
    out_text(out, " were not visible (build with clew cc), ");
}

/* How much of all executions was explored. */
static void print_explored(const struct exploration *x)
{
    struct out *out = &x->session->out;
    const struct explored *found = &x->found;
    if (x->is_unseen) {
        print_unseen(x);
        return;
    }
    if (!found->is_complete) {
        report_count(out, found->runs, "run", "runs");
        out_text(out, " of ");
        report_count(out, found->steps, "step", "steps");
        out_text(out, ", ");
        return;
    }
    if (x->options.strategy != EXPLORE_DPOR) {
        out_text(out, "all executions explored in ");
        /* Those of earlier searches, which the campaign went on with, are among the executions. */
        report_count(out, found->runs > found->executions ? found->runs : found->executions, "run",
                     "runs");
    } else if (found->executions == 1) {
        out_text(out, "the only execution explored");
    } else {
        out_format(out, "all %llu executions explored", (unsigned long long)found->executions);
    }
    const struct assumed_search search = exploration_assumed(x);
    assumptions_print(&search, out);
    out_text(out, ", ");
}

/* The runs that were made, and the strength of the result. */
static void print_summary(const struct exploration *x)
{
    struct out *out = &x->session->out;
    const struct explored *found = &x->found;
    const struct counted counted = count_violations(x);
    const size_t earlier = count_earlier(x);
    print_explored(x);
    if (counted.violations > 0) {
        report_count(out, counted.violations, "violation", "violations");
        if (!found->is_complete) {
            out_format(out, " in %llu of them", (unsigned long long)counted.runs);
        } else if (x->options.strategy == EXPLORE_DPOR) {
            out_text(out, " in ");
            report_count(out, counted.runs, "run", "runs");
            if (found->runs > found->executions) {
                out_format(out, " of %llu", (unsigned long long)found->runs);
            }
        }
    } else if (told_of(x).is_unreached) {
        out_text(out,
                 "the program waited for connections and no client connected: nothing was tested");
    } else {
        out_text(out, earlier > 0 ? "no other violation" : "no violation");
    }
    if (earlier > 0) {
        out_format(out, ", %zu from an earlier search", earlier);
    }
    if (found->limited_runs > 0) {
        out_format(out, "; %llu reached the limit of %u steps",
                   (unsigned long long)found->limited_runs, x->options.search.depth);
    }
    if (counted.cut > 0) {
        out_format(out, "; %llu did not end in time", (unsigned long long)counted.cut);
    }
    out_text(out, found->is_stopped ? "; stopped by a signal" : "");
    report_hidden(x->session);
    out_char(out, '\n');
}

/* Warns where runs do little but fire timers, for then hardly anything was tested. */
static void print_unproductive(const struct exploration *x)
{
    enum { RUNS_ENOUGH = 100, MESSAGES_PER_CENT = 10, TIMERS_PER_CENT = 75 };
    const struct explored *found = &x->found;
    const uint64_t messages = found->classes[PICK_CLASS_MESSAGE];
    const uint64_t timers = found->classes[PICK_CLASS_TIMER];
    if (found->runs < RUNS_ENOUGH || messages * 100 > found->steps * MESSAGES_PER_CENT ||
        timers * 100 < found->steps * TIMERS_PER_CENT) {
        return;
    }
    out_format(&x->session->out,
               "most runs deliver almost no messages: %llu of %llu steps are timers, and a run "
               "delivers %llu.%llu messages; try --weights timer=1,message=8, or longer timeouts\n",
               (unsigned long long)timers, (unsigned long long)found->steps,
               (unsigned long long)(messages / found->runs),
               (unsigned long long)(messages * 10 / found->runs % 10));
}

/* Reasons why a search without findings proves nothing; printed with the remedy. */
static bool print_hindrance(const struct exploration *x, bool is_printed)
{
    struct out *out = &x->session->out;
    const struct assumed_search search = exploration_assumed(x);
    size_t count = 0;
    const char *reason = NULL;
    while ((reason = assumptions_hindrance(&search, x->command->allow_uncontrolled, count)) !=
           NULL) {
        if (is_printed) {
            out_text(out, count > 0 ? ", " : "unknown: ");
            out_text(out, reason);
        }
        count++;
    }
    out_text(out, count > 0 && is_printed ? "\n" : "");
    return count > 0;
}

/* Whether anything was found. A run that did not end in time is only a note. */
static bool has_found(const struct finding_file *f)
{
    for (size_t i = 0; i < f->findings.list.count; i++) {
        if (!is_cut(&f->findings.list.at[i])) {
            return true;
        }
    }
    return false;
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
               ? findings_text(
                     &f->findings,
                     "nodes draw random numbers: only executions with seed %llu were explored",
                     (unsigned long long)x->options.search.seed)
               : NULL;
}

int exploration_report(struct exploration *x)
{
    struct finding_file f = {0};
    const struct assumed_search search = exploration_assumed(x);
    if (exploration_is_program(x)) {
        control_rest(x->world);
    }
    report_begin(&f, x->session);
    add_findings(x, &f);
    add_earlier(x, &f);
    add_difference(x, &f);
    const bool is_found = has_found(&f);
    exports_add_all(&x->session->exports, &f.findings);
    add_stats(x, &f);
    if (x->found.coverage.block_total > 0) {
        f.print_more = print_uncovered;
        f.context = x;
    }
    assumptions_add_uncontrolled(&search, &f);
    assumptions_add(&search, &f);
    const char *order = order_of(x);
    if (order != NULL) {
        vec_push(&f.assumptions,
                 findings_text(&f.findings,
                               "each order of steps counts as a separate execution: %s", order));
    }
    const char *seed = seed_of(x, &f);
    if (seed != NULL) {
        vec_push(&f.assumptions, seed);
    }
    const bool is_hindered = print_hindrance(x, false);
    /* With other seeds, nodes that draw would have drawn other numbers. */
    const bool is_proven =
        x->found.is_complete && !x->found.has_drawn && !assumptions_are_made(&search);
    f.verdict = verdict_of(is_found, is_hindered || !is_proven);
    if (x->session->common->json) {
        report_print(&f, x->session);
    } else {
        print_findings(x, &f);
        print_summary(x);
        if (order != NULL) {
            out_format(&x->session->out, "each order of steps counts as a separate execution: %s\n",
                       order);
        }
        if (seed != NULL) {
            out_format(&x->session->out, "%s\n", seed);
        }
        print_doubts(x);
        if (exploration_is_program(x)) {
            print_coverage(x);
            print_outside(x);
        } else {
            print_unproductive(x);
        }
        if (!is_found) {
            (void)print_hindrance(x, true);
        }
    }
    /* Without an answer, although the budget was not spent. */
    const bool has_ended = x->found.is_complete || x->is_unseen;
    const int status = verdict_status_of_search(
        f.verdict, is_hindered || has_ended || (x->command->require_exhaustive && !is_proven));
    finding_file_release(&f);
    return status;
}
