#include "cli/verbs/atomicity_run.h"

#include <string.h>

#include "atomicity/correlate.h"
#include "atomicity/merge_findings.h"
#include "cli/text/findings_output.h"
#include "cli/text/progress.h"
#include "cli/text/verdict.h"

/* The time limit for a trace, where no budget is given. */
static const uint64_t time_ns_default = 60000000000;

int atomicity_begin(struct atomicity *a, struct session *s, const struct atomicity_command *c,
                    struct err *e)
{
    *a = (struct atomicity){.session = s, .command = c};
    names_init(&a->keys);
    names_init(&a->seen);
    report_begin(&a->file, s);
    a->has_pairs = c->pairs != NULL;
    return c->pairs == NULL ? 0 : pairs_read(&a->pairs, c->pairs, e);
}

void atomicity_release(struct atomicity *a)
{
    pairs_release(&a->pairs);
    finding_file_release(&a->file);
    notes_release(&a->notes);
    names_release(&a->keys);
    names_release(&a->seen);
}

/* Several runs share one report. */
static bool is_merging(const struct atomicity *a)
{
    return a->session->input_count > 1 && !a->session->common->one_run;
}

/* ---- pairs of several runs ---- */

static int correlate_run(struct atomicity *a, struct correlation *c, size_t index, struct err *e)
{
    struct reading reading;
    if (reading_open_one(&reading, a->session, index, e) < 0) {
        return -1;
    }
    const int result = reading_load(&reading, e);
    struct limit_watch watch = {.limit = &a->session->budget};
    if (result == 0 && !reading.is_cut) {
        correlation_add(c, &reading.trace, &watch);
    }
    a->is_cut |= reading.is_cut || watch.is_over;
    reading_close(&reading);
    return result;
}

static void take_best(struct atomicity *a, const struct correlated_list *ranked)
{
    const uint64_t max = a->command->all_pairs ? UINT64_MAX : a->command->top;
    for (size_t i = 0; i < ranked->list.count && i < max; i++) {
        const struct correlated *r = &ranked->list.at[i];
        vec_push(&a->pairs.list, (struct atomicity_pair){
                                     .x = arena_text(&a->pairs.arena, r->x, strlen(r->x)),
                                     .y = arena_text(&a->pairs.arena, r->y, strlen(r->y)),
                                 });
    }
    a->has_pairs = true;
}

int atomicity_choose_pairs(struct atomicity *a, struct err *e)
{
    if (a->has_pairs || !is_merging(a)) {
        return 0;
    }
    struct correlation *c = correlation_new();
    struct correlated_list ranked = {0};
    int result = 0;
    for (size_t i = 0; i < a->session->input_count && result == 0 && !a->is_cut; i++) {
        result = correlate_run(a, c, i, e);
    }
    if (result == 0) {
        correlation_rank(c, &ranked);
        take_best(a, &ranked);
    }
    vec_release(&ranked.list);
    correlation_free(c);
    return result;
}

/* ---- one run ---- */

/* Keeps, of the findings from `first` on, those that no earlier run had. */
static void merge_findings(struct atomicity *a, size_t first, const struct reading *reading)
{
    struct findings *f = &a->file.findings;
    const size_t end = f->list.count;
    f->list.count = first;
    for (size_t i = first; i < end; i++) {
        struct finding finding = f->list.at[i];
        const size_t known = a->keys.list.count;
        const uint32_t key = names_intern_text(&a->keys, finding.key);
        if (a->keys.list.count == known) {
            f->list.at[key - 1].pair_count++;
            continue;
        }
        reading_place_events(reading, f, &finding);
        f->list.at[f->list.count++] = finding;
    }
}

static void add_stats(struct atomicity_stats *sum, const struct atomicity_stats *s)
{
    sum->variables += s->variables;
    sum->pairs += s->pairs;
    sum->candidates += s->candidates;
    sum->questions += s->questions;
    sum->unknown += s->unknown;
    sum->same += s->same;
    sum->rounds += s->rounds;
    for (int i = 0; i < SETTLED_COUNT; i++) {
        sum->settled[i] += s->settled[i];
    }
    sum->unseen += s->unseen;
    sum->unobserved += s->unobserved;
    sum->lost += s->lost;
}

static struct atomicity_options options_of(struct atomicity *a)
{
    const struct atomicity_command *c = a->command;
    return (struct atomicity_options){
        .pairs = a->has_pairs ? a->pairs.list.at : NULL,
        .pair_count = a->pairs.list.count,
        .notes_absent = c->pairs != NULL,
        .pair_max = c->top > UINT32_MAX ? UINT32_MAX : (uint32_t)c->top,
        .wants_all_pairs = c->all_pairs,
        .wants_all = c->all_pairs,
        .variable = c->variable,
        .skips_single = c->only == ONLY_PAIR || c->only == ONLY_REGION,
        .skips_pairs = c->only == ONLY_SINGLE || c->only == ONLY_REGION || c->top == 0 ||
                       (a->has_pairs && a->pairs.list.count == 0),
        .skips_regions = c->only == ONLY_SINGLE || c->only == ONLY_PAIR,
        .skips_merged = !c->merged,
        .skips_stale_memory = !c->merged && !a->has_pairs,
        .wants_rounds = c->rounds || c->all,
        .wants_settled = c->all,
        .wants_witness = c->witness || c->explain != UINT64_MAX,
        .via = (enum solve_way)c->via,
        .seen = is_merging(a) ? &a->seen : NULL,
    };
}

/* One finding per bug, unless all are asked for; the findings by place are counted. */
static void fold(struct atomicity *a)
{
    vec_each (&a->file.findings.list, finding) {
        a->counts[finding->kind]++;
        a->count++;
    }
    if (!a->command->all_pairs) {
        fold_findings(&a->file.findings);
    }
    report_hide(a->session, &a->file.findings, 0);
    a->is_folded = true;
}

static void explain(struct atomicity *a, const struct trace *trace)
{
    const uint64_t number = a->command->explain;
    const struct findings *f = &a->file.findings;
    if (number > 0 && number <= f->list.count) {
        report_race(a->session, &f->list.at[number - 1], number, trace);
        a->is_explained = true;
    }
}

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    progress_step(context, done, done, total);
}

/* Without a budget, a time that a user waits for; it begins when the trace has been read. */
static struct limit budget_of(const struct atomicity *a)
{
    struct limit budget = a->session->budget;
    if (budget.time_ns == 0) {
        budget.time_ns = time_ns_default;
        limit_begin(&budget);
    }
    return budget;
}

int atomicity_of_run(struct atomicity *a, struct reading *reading, struct err *e)
{
    if (reading_load(reading, e) < 0) {
        return -1;
    }
    a->file.event_count += reading->event_count;
    a->is_cut |= reading->is_cut;
    reading_warn(reading);
    if (reading->is_cut) {
        return 0;
    }
    struct atomicity_options o = options_of(a);
    struct progress progress;
    const struct limit budget = budget_of(a);
    progress_begin(&progress, reading->name, "variables and pairs",
                   !a->session->common->quiet && !a->session->common->json);
    o.budget = &budget;
    o.progress = show_progress;
    o.context = &progress;
    struct atomicity_stats stats = {0};
    struct notes notes = {0};
    const size_t first = a->file.findings.list.count;
    const int result = atomicity_find(&reading->trace, &o, &a->file.findings, &stats, &notes, e);
    progress_end(&progress);
    a->is_cut |= stats.is_cut;
    if (result == 0) {
        add_stats(&a->stats, &stats);
        merge_findings(a, first, reading);
        if (!is_merging(a)) {
            fold(a);
            explain(a, &reading->trace);
        }
        vec_each (&notes.list, note) {
            notes_add_many(&a->notes, note->count, note->place, note->text);
        }
        session_warn(a->session, reading->name, &notes);
    }
    notes_release(&notes);
    return result;
}

/* ---- the report ---- */

static bool is_open(const struct atomicity *a)
{
    return a->is_cut || a->stats.unknown > 0 || a->stats.unobserved > 0 || a->stats.lost > 0;
}

static void print_json(struct atomicity *a)
{
    struct finding_file *f = &a->file;
    const uint64_t limit = a->session->common->limit;
    const size_t count = f->findings.list.count;
    f->verdict = verdict_of(count > 0, is_open(a));
    finding_file_count(f, "variables", a->stats.variables);
    finding_file_count(f, "pairs", a->stats.pairs);
    finding_file_count(f, "single",
                       a->counts[FINDING_ATOMICITY_SINGLE] + a->counts[FINDING_LOST_UPDATE]);
    finding_file_count(f, "lost_update", a->counts[FINDING_LOST_UPDATE]);
    finding_file_count(f, "two_variable", a->counts[FINDING_ATOMICITY_PAIR]);
    finding_file_count(f, "merged", a->counts[FINDING_ATOMICITY_MERGED]);
    finding_file_count(f, "stale_read", a->counts[FINDING_STALE_READ]);
    finding_file_count(f, "regions", a->counts[FINDING_ATOMICITY_REGION]);
    finding_file_count(f, "candidates", a->stats.candidates);
    finding_file_count(f, "questions", a->stats.questions);
    finding_file_count(f, "unknown", a->stats.unknown);
    finding_file_count(f, "not_looked_at", a->stats.unseen);
    finding_file_count(f, "unobserved", a->stats.unobserved);
    finding_file_count(f, "lost", a->stats.lost);
    finding_file_count(f, "rounds", a->stats.rounds);
    finding_file_count(f, "creation", a->stats.settled[SETTLED_CREATION]);
    finding_file_count(f, "publication", a->stats.settled[SETTLED_PUBLICATION]);
    finding_file_count(f, "free", a->stats.settled[SETTLED_FREE]);
    finding_file_count(f, "handover", a->stats.settled[SETTLED_HANDOVER]);
    finding_file_count(f, "calls", a->stats.settled[SETTLED_CALLS]);
    finding_file_count(f, "loop", a->stats.settled[SETTLED_LOOP]);
    finding_file_count(f, "actions", a->stats.settled[SETTLED_ACTIONS]);
    finding_file_count(f, "wait", a->stats.settled[SETTLED_WAIT]);
    finding_file_count(f, "compared", a->stats.settled[SETTLED_COMPARED]);
    finding_file_count(f, "asserted", a->stats.settled[SETTLED_ASSERTED]);
    finding_file_count(f, "sync", a->stats.settled[SETTLED_SYNC]);
    finding_file_count(f, "same_models", a->stats.same);
    f->findings.list.count = count < limit ? count : (size_t)limit;
    vec_push(&f->assumptions,
             "accesses to one variable that follow each other in a task, or to two "
             "that correlate, are meant to be atomic");
    vec_push(&f->assumptions, "variables and locks belong to their node, but for locks of several "
                              "processes");
    vec_each (&a->notes.list, note) {
        vec_push(&f->assumptions, note->text);
    }
    report_print(f, a->session);
}

/* The couples of places that are left out, by reason. */
static void print_left_out(struct atomicity *a)
{
    const struct {
        uint64_t count;
        const char *reason;
    } reasons[] = {
        {a->stats.rounds, "two operations"},
        {a->stats.settled[SETTLED_CREATION], "creating or joining a task orders one conflict"},
        {a->stats.settled[SETTLED_PUBLICATION], "the block was not published yet"},
        {a->stats.settled[SETTLED_FREE], "freeing the block"},
        {a->stats.settled[SETTLED_HANDOVER], "the block is handed over"},
        {a->stats.settled[SETTLED_CALLS], "two complete calls"},
        {a->stats.settled[SETTLED_LOOP], "two rounds of a loop"},
        {a->stats.settled[SETTLED_ACTIONS], "two complete updates"},
        {a->stats.settled[SETTLED_WAIT], "read again after a wait"},
        {a->stats.settled[SETTLED_COMPARED], "a version compared again"},
        {a->stats.settled[SETTLED_ASSERTED], "read only to assert"},
        {a->stats.settled[SETTLED_SYNC], "calls with a lock"},
    };
    struct out *out = &a->session->out;
    bool is_first = true;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].count > 0) {
            out_text(out, is_first ? "; left out: " : ", ");
            report_count(out, reasons[i].count, "couple of places", "couples of places");
            out_format(out, " (%s)", reasons[i].reason);
            is_first = false;
        }
    }
    out_text(out, is_first ? "" : "; --all lists them");
}

static void print_sum(struct atomicity *a)
{
    struct out *out = &a->session->out;
    const size_t count = a->file.findings.list.count;
    report_count(out, a->file.event_count, "event", "events");
    out_text(out, ", ");
    report_count(out, a->stats.variables, "shared variable", "shared variables");
    out_text(out, ", ");
    report_count(out, a->stats.pairs, "pair", "pairs");
    if (count == 0 && a->stats.unobserved > 0) {
        out_text(out,
                 ": unknown, the trace has no accesses to look at (build the program with clew "
                 "cc and record it again)");
    } else if (count == 0 && a->stats.lost > 0) {
        out_text(out, ": unknown, accesses to ");
        report_count(out, a->stats.lost, "variable", "variables");
        out_text(out, " were not recorded (record again with --all-accesses)");
    } else if (count == 0) {
        out_text(out, a->count > 0 ? ": no other atomicity violation" : ": no atomicity violation");
        out_text(out, is_open(a) ? " found so far" : "");
    } else {
        out_text(out, ": ");
        report_count(out, count, "atomicity violation", "atomicity violations");
        if (a->count > count) {
            out_format(out, ", %llu", (unsigned long long)a->count);
        }
        out_text(out, " by place");
    }
    if (a->stats.unknown > 0) {
        out_format(out, ", %llu undecided", (unsigned long long)a->stats.unknown);
    }
    if (a->stats.unseen > 0) {
        out_text(out, ", ");
        report_count(out, a->stats.unseen, "variable or pair", "variables and pairs");
        out_text(out, " not looked at");
    }
    print_left_out(a);
    report_hidden(a->session);
    out_char(out, '\n');
}

static void print_text(struct atomicity *a)
{
    report_list(a->session, &a->file.findings);
    if (!a->session->common->jsonl) {
        print_sum(a);
    }
}

/* Of several runs, the one with the finding that is asked for is read again. */
static int explain_again(struct atomicity *a, struct err *e)
{
    const uint64_t number = a->command->explain;
    const struct findings *f = &a->file.findings;
    if (a->is_explained || number == 0 || number > f->list.count) {
        return 0;
    }
    struct reading reading;
    const size_t input = f->list.at[number - 1].events[0].input;
    if (reading_open_one(&reading, a->session, input, e) < 0) {
        return -1;
    }
    const int result = reading_load(&reading, e);
    if (result == 0) {
        explain(a, &reading.trace);
    }
    reading_close(&reading);
    return result;
}

int atomicity_report(struct atomicity *a, struct err *e)
{
    if (!a->is_folded) {
        fold(a);
    }
    const size_t count = a->file.findings.list.count;
    if (a->command->explain != UINT64_MAX) {
        if (explain_again(a, e) < 0) {
            return -1;
        }
        return a->is_explained ? verdict_status(VERDICT_FOUND)
                               : report_unexplained(a->command->explain, count, e);
    }
    exports_add_all(&a->session->exports, &a->file.findings);
    if (a->session->common->json) {
        print_json(a);
    } else {
        print_text(a);
    }
    return verdict_status(verdict_of(count > 0, is_open(a)));
}
