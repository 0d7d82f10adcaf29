#include "cli/exploration.h"

#include <string.h>

#include "cli/assumptions.h"
#include "cli/report.h"
#include "trace/finding_file.h"

bool exploration_is_program(const struct exploration *x)
{
    return x->session->command != NULL;
}

/* The command that shows the violation again; NULL when the campaign has not kept it. */
static const char *print_replay(const struct exploration *x, const char *key, struct findings *f)
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
    const struct finding finding = {
        .kind = outcome_finding(x->outcome), .what = x->what, .key = x->key};
    return !is_awaited(self->command->until, x) ||
           suppressions_hide(&self->session->suppressions, &finding);
}

/* Adds what is known of a violation, with what all of them have. Texts outlive f or are its own. */
static void add_finding(const struct exploration *x, struct finding_file *f, struct finding known)
{
    const bool is_repeated = known.kind != FINDING_NONDETERMINISM;
    known.status = STATUS_CONFIRMED;
    known.grade = GRADE_SOUND;
    known.replay = is_repeated ? print_replay(x, known.key, &f->findings) : NULL;
    known.pair_count = 1;
    if (is_ignored(x, known.key)) {
        return;
    }
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

static void add_stats(const struct exploration *x, struct finding_file *f)
{
    const struct explored *found = &x->found;
    finding_file_count(f, "runs", found->runs);
    finding_file_count(f, "steps", found->steps);
    finding_file_count(f, "violating_runs", found->violating_runs);
    finding_file_count(f, "first_violation_run", found->first_violation_run);
    finding_file_flag(f, "exhausted", found->is_complete && !found->has_drawn);
    if (!exploration_is_program(x)) {
        finding_file_count(f, "messages", found->classes[PICK_CLASS_MESSAGE]);
        finding_file_count(f, "timers", found->classes[PICK_CLASS_TIMER]);
        finding_file_count(f, "changed_runs", found->changed_runs);
    }
    finding_file_count(f, "states", found->states);
    finding_file_count(f, "shared_words", found->shared_words);
    finding_file_count(f, "blocks_covered", found->coverage.block_covered);
    finding_file_count(f, "blocks_total", found->coverage.block_total);
    finding_file_text(f, "strategy", explore_strategy_name(x->options.strategy));
    const struct control_told told =
        exploration_is_program(x) ? control_told(x->world) : (struct control_told){0};
    finding_file_text(f, "mode",
                      exploration_is_program(x) ? control_mode_name((int)told.mode) : "sim");
    finding_file_count(f, "uncontrolled", told.outside_count);
    finding_file_count(f, "verified", told.verified);
    finding_file_count(f, "unlike", told.unlike);
    for (uint32_t i = 0; i < x->world->doubt_count; i++) {
        vec_push(&f->assumptions,
                 findings_text(&f->findings, "not simulated: %s", x->world->doubts[i]));
    }
    for (uint32_t i = 0; i < told.outside_count; i++) {
        vec_push(&f->assumptions,
                 findings_text(&f->findings, "%s is not controlled", told.outside[i]));
    }
    for (uint32_t i = 0; i < told.unseen_count; i++) {
        vec_push(
            &f->assumptions,
            findings_text(&f->findings, "memory accesses of %s are not visible", told.unseen[i]));
    }
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

/* What went past control: a run without a violation says less then. */
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

/* What the simulator does not control of the system. */
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
    return x->world->doubt_count == 0 &&
           (!exploration_is_program(x) ||
            (control_told(x->world).outside_count == 0 && !control_told(x->world).is_inexact));
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

/* What was done, and how much that says. */
static void print_summary(const struct exploration *x)
{
    struct out *out = &x->session->out;
    const struct explored *found = &x->found;
    const size_t earlier = count_earlier(x);
    if (x->is_unseen) {
        print_unseen(x);
    } else if (found->is_complete && x->options.strategy == EXPLORE_DPOR &&
               found->executions == 1) {
        out_text(out, "the only execution explored");
        assumptions_print(x, out);
        out_text(out, ", ");
    } else if (found->is_complete && x->options.strategy == EXPLORE_DPOR) {
        out_format(out, "all %llu executions explored", (unsigned long long)found->executions);
        assumptions_print(x, out);
        out_text(out, ", ");
    } else if (found->is_complete) {
        out_text(out, "all executions explored in ");
        report_count(out, found->executions, "run", "runs");
        assumptions_print(x, out);
        out_text(out, ", ");
    } else {
        report_count(out, found->runs, "run", "runs");
        out_text(out, " of ");
        report_count(out, found->steps, "step", "steps");
        out_text(out, ", ");
    }
    if (found->violations.count > 0) {
        report_count(out, found->violations.count, "violation", "violations");
        if (!found->is_complete) {
            out_format(out, " in %llu of them", (unsigned long long)found->violating_runs);
        } else if (x->options.strategy == EXPLORE_DPOR) {
            out_text(out, " in ");
            report_count(out, found->violating_runs, "run", "runs");
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
               "hardly any run is productive: %llu of %llu steps are timers, and a run delivers "
               "%llu.%llu messages; try --weights timer=1,message=8, or longer timeouts\n",
               (unsigned long long)timers, (unsigned long long)found->steps,
               (unsigned long long)(messages / found->runs),
               (unsigned long long)(messages * 10 / found->runs % 10));
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

int exploration_report(struct exploration *x)
{
    struct finding_file f = {0};
    report_begin(&f, x->session);
    add_findings(x, &f);
    add_earlier(x, &f);
    const bool is_found = f.findings.list.count > 0;
    add_stats(x, &f);
    assumptions_add(x, &f);
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
    /* With other seeds, nodes that draw would have drawn other numbers. */
    const bool is_proven = x->found.is_complete && !x->found.has_drawn && !assumptions_are_made(x);
    f.verdict = is_found ? VERDICT_FOUND : is_proven ? VERDICT_CLEAN : VERDICT_UNKNOWN;
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
        print_doubts(x);
        if (exploration_is_program(x)) {
            print_outside(x);
        } else {
            print_unproductive(x);
        }
    }
    finding_file_release(&f);
    return is_found                                       ? EXIT_FOUND
           : x->command->require_exhaustive && !is_proven ? EXIT_BUDGET
                                                          : EXIT_CLEAN;
}
