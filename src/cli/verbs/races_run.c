#include "cli/verbs/races_run.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#include "base/name_glob.h"
#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"
#include "race/access_classes.h"
#include "race/interrupts.h"
#include "race/observed/observed.h"
#include "race/observed/observed_report.h"
#include "wire/kind.h"

void races_release(struct races *r)
{
    given_release(&r->given);
    finding_file_release(&r->file);
    notes_release(&r->notes);
    names_release(&r->keys);
}

/* ---- findings of one run become those of all ---- */

/* Several runs share one report. */
static bool is_merging(const struct races *r)
{
    return r->session->input_count > 1 && !r->session->common->one_run;
}

/* Findings with one key are one: two runs show the same pair of places, or the streaming model,
 * which tells kinds of access apart, shows it twice. */
static bool has_doubles(const struct races *r)
{
    return !r->command->all_pairs && (is_merging(r) || r->model == RACE_OBSERVED);
}

/* The number, from 1, of the finding with this key; *is_new when it is the first. */
static uint32_t number_of_key(struct races *r, const char *key, bool *is_new)
{
    if (r->keys.list.count == 0) {
        names_init(&r->keys);
    }
    const size_t before = r->keys.list.count;
    const uint32_t number = names_intern_text(&r->keys, key);
    *is_new = r->keys.list.count > before;
    return number;
}

static bool is_known(struct races *r, const struct finding *finding)
{
    if (!has_doubles(r)) {
        return false;
    }
    bool is_new = false;
    const uint32_t number = number_of_key(r, finding->key, &is_new);
    if (!is_new) {
        r->file.findings.list.at[number - 1].pair_count += finding->pair_count;
    }
    return !is_new;
}

/* Keeps, of the findings from `first` on, those that are new. */
static void merge_findings(struct races *r, size_t first, const struct reading *reading)
{
    struct findings *f = &r->file.findings;
    const size_t end = f->list.count;
    f->list.count = first;
    for (size_t i = first; i < end; i++) {
        struct finding finding = f->list.at[i];
        if (reading != NULL) {
            reading_place_events(reading, f, &finding);
        }
        if (!suppressions_hide(&r->session->suppressions, &finding) && !is_known(r, &finding)) {
            f->list.at[f->list.count++] = finding;
        }
    }
}

static void keep_notes(struct races *r, const struct notes *notes)
{
    vec_each (&notes->list, note) {
        notes_add_many(&r->notes, note->count, note->place, note->text);
    }
}

/* Irregularities of the run, and their treatment by the analysis. */
static void add_notes(struct races *r, const struct reading *reading, const struct notes *notes)
{
    keep_notes(r, &reading->notes);
    keep_notes(r, notes);
    session_warn(r->session, reading->name, notes);
}

static void add_stats(struct race_stats *sum, const struct race_stats *s)
{
    sum->data_candidates += s->data_candidates;
    sum->data_races += s->data_races;
    sum->message_candidates += s->message_candidates;
    sum->message_races += s->message_races;
    sum->deadlock_candidates += s->deadlock_candidates;
    sum->deadlocks += s->deadlocks;
    sum->deadlock_places += s->deadlock_places;
    sum->use_places += s->use_places;
    sum->conflict_pairs += s->conflict_pairs;
    sum->location_pairs += s->location_pairs;
    sum->pruned_events += s->pruned_events;
    sum->unknown += s->unknown;
    sum->asked += s->asked;
    sum->constraints += s->constraints;
    sum->is_cut = sum->is_cut || s->is_cut;
    sum->has_decided_places = sum->has_decided_places || s->has_decided_places;
    sum->places_sound += s->places_sound;
    sum->places_observed += s->places_observed;
    sum->places_refuted += s->places_refuted;
    for (size_t i = 0; i < RACE_OPEN_COUNT; i++) {
        sum->places_open[i] += s->places_open[i];
    }
}

/* ---- the models that need the whole trace ---- */

static int64_t first_time(const struct trace *t)
{
    trace_each (t, event) {
        if ((event->has & HAS_TIME) != 0 && event->time != 0) {
            return event->time;
        }
    }
    return 0;
}

static int set_span(const struct races_command *c, const struct trace *t, struct race_options *o,
                    struct err *e)
{
    const int64_t first = first_time(t);
    o->has_since = c->since.is_given;
    o->has_until = c->until.is_given;
    if (c->since.is_given && moment_ticks(&c->since, first, t->tables.tick_ns, &o->since, e) < 0) {
        return err_wrap(e, "--since");
    }
    if (c->until.is_given && moment_ticks(&c->until, first, t->tables.tick_ns, &o->until, e) < 0) {
        return err_wrap(e, "--until");
    }
    return 0;
}

/* Only a single run without an explanation can stop describing at the limit: others are merged or
 * counted by their numbers. */
static bool is_limited(const struct races *r)
{
    return r->session->common->limit != UINT64_MAX && !is_merging(r) &&
           r->command->explain == UINT64_MAX && !suppressions_are_given(&r->session->suppressions);
}

/* A pattern for variables asks for races on these alone. */
static bool wants_deadlocks(const struct races *r)
{
    const struct races_command *c = r->command;
    return (c->only < 0 || c->only == ONLY_DEADLOCKS) && c->variable == NULL;
}

static struct race_options options_of(const struct races *r)
{
    const struct races_command *c = r->command;
    const struct session *s = r->session;
    const bool is_program =
        c->via != NULL && strcmp(c->via, "z3") != 0 && strcmp(c->via, "native") != 0;
    return (struct race_options){
        .model = r->model,
        .compat = (enum race_compat)c->compat,
        .via = c->via == NULL              ? RACE_VIA_ENGINE
               : is_program                ? RACE_VIA_PROGRAM
               : strcmp(c->via, "z3") == 0 ? RACE_VIA_Z3
                                           : RACE_VIA_NATIVE,
        .command = is_program ? c->via : NULL,
        .smtlib = c->smtlib,
        .skips_data = c->only != ONLY_DATA && c->only >= 0,
        .skips_messages = c->only != ONLY_MESSAGES && c->only >= 0,
        .skips_deadlocks = !wants_deadlocks(r),
        .variable = c->variable,
        .given = c->edges == NULL ? NULL : &r->given,
        .prunes = c->prune,
        .decides_places = s->command != NULL,
        .wants_all = c->all,
        .wants_pairs = c->all_pairs,
        .wants_witness = c->witness || c->explain != UINT64_MAX,
        .find_max = is_limited(r) ? s->common->limit : 0,
        .counts_only = is_limited(r) && s->common->limit == 0,
        .worker_count = (uint32_t)s->common->jobs,
        .budget = &s->budget,
    };
}

/* Shows the finding that is asked for as soon as it is known, while its trace (NULL: there is none)
 * is at hand. */
static void explain(struct races *r, const struct trace *trace)
{
    const uint64_t number = r->command->explain;
    const struct findings *f = &r->file.findings;
    if (number > 0 && number <= f->list.count && !r->is_explained) {
        report_race(r->session, &f->list.at[number - 1], number, trace);
        r->is_explained = true;
    }
}

static bool is_of_control(const struct trace *t)
{
    const char *source = trace_name(t, t->tables.source);
    return strncmp(source, "clew explore ", strlen("clew explore ")) == 0;
}

/* Whether a recorded or controlled process reported no access to memory, nor coverage, which code
 * built by clew cc reports: then nothing is known of data races. Nodes of simulated systems share
 * no memory. */
static bool has_no_accesses(const struct trace *t)
{
    bool is_blind = t->tables.order == ORDER_STAMPED || is_of_control(t);
    trace_each (t, event) {
        /* Blocks of a controlled program, which have a value, may be all that its code tells. */
        const bool is_coverage = event->kind == EVENT_COVERAGE && (event->has & HAS_VALUE) == 0;
        is_blind &= !access_is_plain(event) && !is_coverage;
    }
    return is_blind;
}

/* Notes each task that had not ended when the run ended, while another task of its process held a
 * lock. A trace records locks that a task has acquired, not locks that it is blocked on, so these
 * tasks may be deadlocked. Returns whether there are any. */
static bool note_stuck(const struct trace *t, struct notes *notes)
{
    const size_t count = t->tables.tasks.count;
    int32_t *held = mem_zero(count + 1, sizeof *held);
    bool *is_going_on = mem_zero(count + 1, sizeof *is_going_on);
    bool is_any = false;
    trace_each (t, event) {
        held[event->task] += event->kind == EVENT_LOCK || event->kind == EVENT_WAIT_END;
        held[event->task] -= event->kind == EVENT_UNLOCK || event->kind == EVENT_WAIT_BEGIN;
        is_going_on[event->task] = event->kind != EVENT_THREAD_END &&
                                   event->kind != EVENT_PROCESS_EXIT &&
                                   (event->kind != EVENT_COVERAGE || is_going_on[event->task]);
    }
    for (uint32_t holder = 0; holder < count; holder++) {
        for (uint32_t task = 0; task < count && held[holder] > 0; task++) {
            const struct task *one = &t->tables.tasks.at[task];
            if (task != holder && is_going_on[task] &&
                one->node == t->tables.tasks.at[holder].node) {
                notes_add(notes, trace_name(t, one->name),
                          "the task was still there when the run ended, while another task held a "
                          "lock: the two may have deadlocked");
                is_any = true;
            }
        }
    }
    mem_free(held);
    mem_free(is_going_on);
    return is_any;
}

static int find_as_observed(struct races *r, const struct trace *t, struct notes *notes,
                            struct err *e);

static int find_by_model(struct races *r, const struct trace *t, struct notes *notes, struct err *e)
{
    struct race_options o = options_of(r);
    struct race_stats stats = {0};
    if (set_span(r->command, t, &o, e) < 0 ||
        race_find(t, &o, &r->file.findings, &stats, notes, e) < 0) {
        return -1;
    }
    add_stats(&r->stats, &stats);
    r->is_cut = stats.is_cut;
    return 0;
}

/* Adds the races of a trace; its notes and its findings, from `first` on, are the caller's. */
static int find_in(struct races *r, const struct trace *t, struct notes *notes, struct err *e)
{
    if ((r->model == RACE_OBSERVED ? find_as_observed(r, t, notes, e)
                                   : find_by_model(r, t, notes, e)) < 0) {
        return -1;
    }
    if (t->tables.order == ORDER_STAMPED || is_of_control(t)) {
        r->is_unsure |= wants_deadlocks(r) && note_stuck(t, notes);
    }
    if (is_of_control(t) && interrupts_hide_accesses(t)) {
        notes_add(
            notes, "",
            "a signal handler ran when its task was alone: its accesses are not in the trace, "
            "and it could have run before");
        r->is_unsure = true;
    }
    r->has_no_accesses |= r->command->only != ONLY_MESSAGES && r->command->only != ONLY_DEADLOCKS &&
                          has_no_accesses(t);
    return 0;
}

static int find_in_trace(struct races *r, struct reading *reading, struct err *e)
{
    if (reading_load(reading, e) < 0) {
        return -1;
    }
    r->is_cut = reading->is_cut;
    reading_warn(reading);
    if (r->is_cut) {
        return 0;
    }
    struct notes notes = {0};
    const size_t first = r->file.findings.list.count;
    const int result = find_in(r, &reading->trace, &notes, e);
    if (result == 0) {
        merge_findings(r, first, reading);
        explain(r, &reading->trace);
        add_notes(r, reading, &notes);
    }
    notes_release(&notes);
    return result;
}

/* ---- a program, run under control ---- */

static bool makes_child(const char *call)
{
    return strcmp(call, "fork") == 0 || strcmp(call, "vfork") == 0 || strcmp(call, "clone") == 0 ||
           strcmp(call, "posix_spawn") == 0;
}

/* Notes the limits of the run. A run with uncontrolled calls may differ next time, and one
 * that ended early has no accesses after its end: neither is clean. */
enum { SHORT_MAX = 120 };

/* As much of the text as a note has room for, by whole words. */
static const char *shortened(const char *text, char to[static SHORT_MAX])
{
    size_t size = strlen(text);
    if (size < SHORT_MAX) {
        return text;
    }
    for (size = SHORT_MAX - strlen(" ...") - 1; size > 1 && text[size] != ' '; size--) {
    }
    (void)snprintf(to, SHORT_MAX, "%.*s ...", (int)size, text);
    return to;
}

static void note_run(struct races *r, struct world *w, const struct execution *x)
{
    char text[SHORT_MAX];
    const struct control_told told = control_told(w);
    for (uint32_t i = 0; i < told.outside_count; i++) {
        notes_add(&r->notes, "", "%s is not controlled", told.outside[i]);
        r->has_children |= makes_child(told.outside[i]);
    }
    if (x->outcome != OUTCOME_PASSED) {
        notes_add(&r->notes, "",
                  "the run, and its trace, ended with %s (clew explore finds such runs again): "
                  "%s",
                  outcome_name(x->outcome), shortened(x->what, text));
    }
    r->is_unsure |= told.outside_count > 0 || x->outcome != OUTCOME_PASSED;
}

/* A call that is not controlled may order accesses that look unordered: the trace does not prove a
 * race. */
static void doubt_findings(struct races *r, struct world *w, size_t first)
{
    struct findings *f = &r->file.findings;
    for (size_t i = first; control_told(w).outside_count > 0 && i < f->list.count; i++) {
        struct finding *finding = &f->list.at[i];
        finding->grade = finding->grade == GRADE_SOUND ? GRADE_MAY : finding->grade;
    }
}

/* A run that ends in a deadlock shows one, whatever else its trace allows. */
static void add_deadlock(struct races *r, const struct execution *x)
{
    struct findings *f = &r->file.findings;
    if (x->outcome != OUTCOME_DEADLOCK ||
        (r->command->only >= 0 && r->command->only != ONLY_DEADLOCKS)) {
        return;
    }
    const struct finding finding = {
        .kind = FINDING_DEADLOCK,
        .status = STATUS_CONFIRMED,
        .severity = SEVERITY_ERROR,
        .what = findings_text(f, "the run itself ended in a deadlock: %s", x->what),
        .key = findings_text(f, "%s", x->key),
        .pair_count = 1,
    };
    findings_add(f, &finding);
    r->stats.deadlock_places++;
    r->stats.deadlocks++;
}

/* A run that ends because freed memory was used shows that, whether its trace has the free or not.
 */
static void add_misuse(struct races *r, const struct execution *x, size_t first)
{
    struct findings *f = &r->file.findings;
    bool is_known = x->outcome != OUTCOME_USE_AFTER_FREE ||
                    (r->command->only >= 0 && r->command->only != ONLY_DATA) ||
                    r->command->variable != NULL;
    for (size_t i = first; i < f->list.count; i++) {
        is_known |= f->list.at[i].kind == FINDING_USE_AFTER_FREE;
    }
    if (is_known) {
        return;
    }
    const struct finding finding = {
        .kind = FINDING_USE_AFTER_FREE,
        .status = STATUS_CONFIRMED,
        .severity = SEVERITY_ERROR,
        .what = findings_text(f, "the run itself used freed memory: %s", x->what),
        .key = findings_text(f, "%s", x->key),
        .pair_count = 1,
    };
    findings_add(f, &finding);
    r->stats.use_places++;
}

int races_of_command(struct races *r, struct err *e)
{
    struct world *w = NULL;
    struct execution x = {0};
    struct trace t;
    struct notes notes = {0};
    const struct races_command *c = r->command;
    struct command_choice choice = c->program;
    choice.shows_output = !c->common.quiet;
    const size_t first = r->file.findings.list.count;
    /* A random schedule: in one without preemption a single worker of a pool may take all jobs, and
     * accesses that no second task makes have no race. */
    struct plan plan = {.trace = &t};
    plan.pick.strategy = PICK_RANDOM;
    plan.pick.seed = c->seed != UINT64_MAX ? c->seed : 1;
    trace_init(&t);
    int result = command_open(&w, r->session, &choice, NULL, e);
    if (result == 0) {
        result = world_run(w, &plan, &x, e);
    }
    if (result == 0) {
        trace_seal(&t);
        r->file.event_count = t.events.count;
        result = find_in(r, &t, &notes, e);
    }
    if (result == 0) {
        doubt_findings(r, w, first);
        add_deadlock(r, &x);
        add_misuse(r, &x, first);
        merge_findings(r, first, NULL);
        note_run(r, w, &x);
        explain(r, &t);
        keep_notes(r, &notes);
        session_warn(r->session, r->session->command[0], &r->notes);
    }
    execution_release(&x);
    world_close(w);
    notes_release(&notes);
    trace_release(&t);
    return result;
}

/* ---- the model that streams ---- */

struct stream {
    struct races *races;
    struct reading *reading; /* NULL: a trace that is there as a whole */
    const struct tables *tables;
    struct name_glob variable; /* its text is NULL when all are wanted */
};

static bool is_wanted(struct stream *k, const struct observed_race *race)
{
    return k->variable.text == NULL || race->is_message ||
           name_glob_matches(&k->variable, &k->tables->names, race->object);
}

/* A pattern that meets no variable at all is worth a word. */
static void look_for_variable(struct stream *k, const struct batch *b)
{
    for (size_t i = 0; k->variable.text != NULL && i < b->count; i++) {
        if (access_is_plain(&b->events[i]) || access_is_atomic(&b->events[i])) {
            (void)name_glob_matches(&k->variable, &k->tables->names, b->events[i].object);
        }
    }
}

static void keep_race(void *context, const struct observed_race *race)
{
    struct stream *k = context;
    struct findings *f = &k->races->file.findings;
    if (is_wanted(k, race)) {
        observed_tell(f, k->tables, race, 0);
    }
}

/* A line for a race, at once; nothing is kept but its key. */
static void show_race(void *context, const struct observed_race *race)
{
    struct stream *k = context;
    struct races *r = k->races;
    if (!is_wanted(k, race)) {
        return;
    }
    struct findings f = {0};
    bool is_new = true;
    observed_tell(&f, k->tables, race, 0);
    if (suppressions_hide(&r->session->suppressions, &f.list.at[0])) {
        is_new = false;
    } else if (has_doubles(r)) {
        (void)number_of_key(r, f.list.at[0].key, &is_new);
    }
    r->stats.location_pairs += is_new;
    if (is_new && r->stats.location_pairs <= r->session->common->limit) {
        reading_place_events(k->reading, &f, &f.list.at[0]);
        report_line(r->session, &f.list.at[0], r->stats.location_pairs);
    }
    findings_release(&f);
}

static void count_race(void *context, const struct observed_race *race)
{
    struct stream *k = context;
    if (is_wanted(k, race)) {
        struct race_stats *stats = &k->races->stats;
        *(race->is_message ? &stats->message_races : &stats->data_races) += race->pair_count;
    }
}

static void ignore_race(void *context, const struct observed_race *race)
{
    (void)context;
    (void)race;
}

static int feed(struct stream *k, struct observed *o, struct err *e)
{
    struct session *s = k->races->session;
    struct batch b;
    int more = 0;
    while ((more = reading_next(k->reading, &b, e)) > 0) {
        look_for_variable(k, &b);
        if (observed_feed(o, &b, e) < 0) {
            return err_wrap(e, "%s", k->reading->name);
        }
        if (s->common->jsonl && out_flush(&s->out, e) < 0) {
            return -1;
        }
    }
    if (more == 0 && observed_finish(o, e) < 0) {
        return err_wrap(e, "%s", k->reading->name);
    }
    progress_end(&k->reading->progress);
    return more;
}

static struct stream stream_of(struct races *r, struct reading *reading,
                               const struct tables *tables)
{
    return (struct stream){.races = r,
                           .reading = reading,
                           .tables = tables,
                           .variable = {.text = r->command->variable}};
}

static struct observed *open_observed(struct stream *k, struct notes *notes)
{
    const struct races_command *c = k->races->command;
    const struct observed_options options = {
        .found = c->common.jsonl ? show_race
                 : c->all_pairs  ? keep_race
                                 : ignore_race,
        .context = k,
        .every_pair = c->all_pairs,
        .skips_data = c->only == ONLY_MESSAGES,
        .skips_messages = c->only == ONLY_DATA,
    };
    return observed_new(k->tables, notes, &options);
}

/* Adds a finding, unless it was reported at once, and counts it. */
static void keep_observed(struct stream *k, const struct observed *o, struct notes *notes)
{
    const struct races_command *c = k->races->command;
    if (!c->common.jsonl && !c->all_pairs) {
        observed_each(o, keep_race, k);
    }
    observed_each(o, count_race, k);
    if (c->variable != NULL && !k->variable.is_met && !k->races->is_cut) {
        access_note_unmet(&k->variable, &k->tables->names, notes);
    }
}

static int find_in_stream(struct races *r, struct reading *reading, struct err *e)
{
    struct stream k = stream_of(r, reading, &reading->trace.tables);
    struct notes notes = {0};
    const size_t first = r->file.findings.list.count;
    struct observed *o = open_observed(&k, &notes);
    const int result = feed(&k, o, e);
    if (result == 0) {
        r->is_cut = reading->is_cut;
        keep_observed(&k, o, &notes);
        merge_findings(r, first, reading);
        explain(r, NULL);
        reading_warn(reading);
        add_notes(r, reading, &notes);
    }
    name_glob_release(&k.variable);
    observed_free(o);
    notes_release(&notes);
    return result;
}

/* The same for a run that is there as a whole. */
static int find_as_observed(struct races *r, const struct trace *t, struct notes *notes,
                            struct err *e)
{
    struct stream k = stream_of(r, NULL, &t->tables);
    struct observed *o = open_observed(&k, notes);
    const struct batch all = {.events = t->events.at, .count = t->events.count};
    look_for_variable(&k, &all);
    int result = observed_feed(o, &all, e);
    if (result == 0) {
        result = observed_finish(o, e);
    }
    if (result == 0) {
        keep_observed(&k, o, notes);
    }
    name_glob_release(&k.variable);
    observed_free(o);
    return result;
}

int races_of_run(struct races *r, struct reading *reading, struct err *e)
{
    const int result =
        r->model == RACE_OBSERVED ? find_in_stream(r, reading, e) : find_in_trace(r, reading, e);
    r->file.event_count += reading->event_count;
    return result;
}

/* ---- the report ---- */

/* Whether fewer findings are kept than were counted: merged or hidden ones count once,
 * or not at all. */
static bool is_sifted(const struct races *r)
{
    return is_merging(r) || suppressions_are_given(&r->session->suppressions);
}

/* Findings of deadlocks, by place. */
static uint64_t deadlock_count(const struct races *r)
{
    if (!is_sifted(r)) {
        return r->stats.deadlock_places;
    }
    uint64_t count = 0;
    vec_each (&r->file.findings.list, finding) {
        count += finding->kind == FINDING_DEADLOCK;
    }
    return count;
}

/* Findings of uses after free, by place. */
static uint64_t use_count(const struct races *r)
{
    if (!is_sifted(r)) {
        return r->stats.use_places;
    }
    uint64_t count = 0;
    vec_each (&r->file.findings.list, finding) {
        count += finding->kind == FINDING_USE_AFTER_FREE && finding->status != STATUS_REFUTED &&
                 finding->status != STATUS_UNKNOWN;
    }
    return count;
}

/* Findings of races, by place. Where findings are merged or hidden, and kept, those that are left
 * count. */
static uint64_t place_count(const struct races *r)
{
    const bool is_stream = r->model == RACE_OBSERVED;
    const bool is_kept = !is_stream || !r->session->common->jsonl;
    return is_kept && (is_stream || is_sifted(r))
               ? r->file.findings.list.count - deadlock_count(r) - use_count(r)
               : r->stats.location_pairs;
}

static bool has_hidden(const struct races *r)
{
    const struct suppressions *s = &r->session->suppressions;
    return suppressions_count(s) + suppressions_known_count(s) > 0;
}

/* How many races there are: pairs of places that are shown, where each is decided; else those that
 * are listed. */
static uint64_t race_count(const struct races *r)
{
    const struct race_stats *s = &r->stats;
    if (!s->has_decided_places) {
        return place_count(r);
    }
    if (!suppressions_are_given(&r->session->suppressions) && !is_merging(r)) {
        return s->places_sound + s->places_observed;
    }
    uint64_t count = 0;
    vec_each (&r->file.findings.list, finding) {
        count += finding->status == STATUS_PREDICTED && finding->kind != FINDING_DEADLOCK &&
                 finding->kind != FINDING_USE_AFTER_FREE;
    }
    return count;
}

static bool has_found(const struct races *r)
{
    return race_count(r) > 0 || deadlock_count(r) > 0 || use_count(r) > 0;
}

static uint64_t count_undecided(const struct race_stats *s)
{
    uint64_t count = 0;
    for (size_t i = 0; i < RACE_OPEN_COUNT; i++) {
        count += s->places_open[i];
    }
    return count;
}

static bool is_open(const struct races *r)
{
    return r->is_cut || r->stats.unknown > 0 || count_undecided(&r->stats) > 0 ||
           r->has_no_accesses || r->is_unsure;
}

/* Why pairs of places are undecided, and the remedy. */
static const struct {
    const char *word; /* in JSON */
    const char *reason;
    const char *remedy;
} opens[RACE_OPEN_COUNT] = {
    [RACE_OPEN_NOT] = {"", "", ""},
    [RACE_OPEN_DOUBT] = {"undecided_doubt",
                         "the write that a read before them saw is not known, because a write was "
                         "concurrent with it or was not recorded",
                         "repair the races that are shown, or analyse a run under control, where "
                         "the order is exact: clew races -- PROGRAM"},
    [RACE_OPEN_REORDER] = {"undecided_reorder",
                           "only another order of critical sections might show them",
                           "analyse a run under control: clew races -- PROGRAM"},
    [RACE_OPEN_LARGE] = {"undecided_large",
                         "too many events or pairs of events have to be looked at",
                         "take a shorter run, or a part of it with clew slice"},
    [RACE_OPEN_HARD] = {"undecided_hard",
                        "the search for an order of the events ended at its limit of steps",
                        "take a shorter run, or a part of it with clew slice"},
    [RACE_OPEN_NUMBER] = {"undecided_number",
                          "its address may depend on a descriptor number, which another schedule "
                          "changes",
                          "look whether the descriptor selects what is accessed"},
    [RACE_OPEN_UNSEEN] =
        {"undecided_unseen",
         "a file that one task changed and the other used, or a socket that was ready, may "
         "put them in order",
         "add the order by --edges, or by clew_happens_before() in the program"},
    [RACE_OPEN_TORN] = {"undecided_torn",
                        "the recording misses releases of locks, or contradicts itself",
                        "clew check says where"},
    [RACE_OPEN_OWNER] = {"undecided_owner",
                         "only a lock on a file keeps them apart, which excludes processes and not "
                         "the threads of one",
                         "take a mutex too"},
    [RACE_OPEN_IGNORED] =
        {"undecided_ignored",
         "only a lock or semaphore puts them in order or keeps them apart that was "
         "taken by a call that may give up, and the program ignores its result",
         "check the result of the call"},
    [RACE_OPEN_INTERRUPT] =
        {"undecided_interrupt",
         "only the moment at which a signal handler ran puts them in order, and it could "
         "run at another",
         "block the signal where the handler must not run"},
    [RACE_OPEN_SENDER] = {"undecided_sender",
                          "only a receive that another sender could have satisfied (eventfd, "
                          "connection, signal, equal messages, any child, several descriptors, "
                          "barrier), or a value that another task could have written (flag, "
                          "counter), puts them in order",
                          "let the receiver check who has sent, or wait for all senders"},
    [RACE_OPEN_CALLER] = {"undecided_caller",
                          "only a one-time routine puts them in order, and another caller may "
                          "run it first",
                          "do not rely on who runs the routine"},
    [RACE_OPEN_WAKE] = {"undecided_wake",
                        "only a wait for a condition puts them in order, and it may end by a "
                        "spurious wake-up, without a notify",
                        "wait in a loop that checks a predicate under the lock"},
    [RACE_OPEN_BUDGET] = {"undecided_budget", "the budget ended", "give a larger --budget"},
};
_Static_assert(RACE_OPEN_WAKE + 1 == RACE_OPEN_COUNT, "each reason has its words");

/* Why there are no accesses, and the remedy. */
static const char *no_accesses(const struct races *r)
{
    return r->has_children
               ? "the trace has no memory accesses of several threads: the program makes other "
                 "processes, which are not under control; record them: clew record -- PROGRAM"
               : "the trace has no memory accesses: data races are not known; build the program "
                 "with clew cc";
}

/* The pairs of places that are not listed, or not known. */
static void print_rest(struct races *r)
{
    struct out *out = &r->session->out;
    const struct race_stats *s = &r->stats;
    const char *list = r->command->all ? "" : "; --all lists them";
    if (s->places_refuted > 0) {
        report_count(out, s->places_refuted, "more pair of places is", "more pairs of places are");
        out_format(out,
                   " allowed by the order of synchronization, but no execution prefix of this run "
                   "shows them%s\n",
                   list);
    }
    for (size_t i = 0; i < RACE_OPEN_COUNT; i++) {
        if (s->places_open[i] > 0) {
            must(opens[i].reason[0] != '\0');
            report_count(out, s->places_open[i], "pair of places is", "pairs of places are");
            out_format(out, " undecided: %s; %s%s\n", opens[i].reason, opens[i].remedy, list);
        }
    }
    if (r->has_no_accesses) {
        out_format(out, "%s\n", no_accesses(r));
    }
}

static void add_places(struct races *r)
{
    struct finding_file *f = &r->file;
    const struct race_stats *s = &r->stats;
    if (s->has_decided_places) {
        finding_file_count(f, "places_sound", s->places_sound);
        finding_file_count(f, "places_observed", s->places_observed);
        finding_file_count(f, "places_refuted", s->places_refuted);
        finding_file_count(f, "places_undecided", count_undecided(s));
    }
    for (size_t i = 0; i < RACE_OPEN_COUNT; i++) {
        if (s->places_open[i] > 0) {
            finding_file_count(f, opens[i].word, s->places_open[i]);
            vec_push(&f->assumptions, opens[i].reason);
        }
    }
    if (r->has_no_accesses) {
        vec_push(&f->assumptions, no_accesses(r));
    }
}

static void print_json(struct races *r)
{
    struct finding_file *f = &r->file;
    const uint64_t limit = r->session->common->limit;
    const uint64_t places = place_count(r);
    f->verdict = verdict_of(has_found(r), is_open(r));
    f->findings.list.count =
        f->findings.list.count < limit ? f->findings.list.count : (size_t)limit;
    finding_file_text(f, "model", r->model_name);
    finding_file_count(f, "data_candidates", r->stats.data_candidates);
    finding_file_count(f, "data_races", r->stats.data_races);
    finding_file_count(f, "message_candidates", r->stats.message_candidates);
    finding_file_count(f, "message_races", r->stats.message_races);
    finding_file_count(f, "deadlock_candidates", r->stats.deadlock_candidates);
    finding_file_count(f, "deadlocks", r->stats.deadlocks);
    finding_file_count(f, "uses_after_free", use_count(r));
    finding_file_count(f, "conflict_pairs", r->stats.conflict_pairs);
    finding_file_count(f, "location_pairs", places);
    finding_file_count(f, "pruned_events", r->stats.pruned_events);
    finding_file_count(f, "unknown", r->stats.unknown);
    finding_file_count(f, "asked", r->stats.asked);
    finding_file_count(f, "constraints", r->stats.constraints);
    add_places(r);
    vec_push(&f->assumptions, r->command->compat == RACE_COMPAT_NONE
                                  ? "variables and locks belong to their node, but for locks of "
                                    "several processes"
                                  : "decided as another program does, its mistakes included");
    if (r->model == RACE_OBSERVED) {
        vec_push(&f->assumptions, "the order of locks is kept as it was observed; candidates are "
                                  "not counted, deadlocks not looked for");
    }
    vec_each (&r->notes.list, note) {
        vec_push(&f->assumptions, note->text);
    }
    report_print(f, r->session);
}

static void print_no_race(const struct races *r, struct out *out)
{
    const struct race_stats *stats = &r->stats;
    const bool is_open_end = is_open(r) && !has_found(r);
    out_format(out, ", no %s%s%s", has_hidden(r) && !has_found(r) ? "other " : "",
               r->command->only == ONLY_DEADLOCKS ? "deadlock" : "race",
               is_open_end ? " found so far" : "");
    if (stats->message_races > 0 && r->command->variable == NULL) {
        out_text(out, " on data: ");
        report_count(out, stats->message_races, "pair of messages", "pairs of messages");
        out_text(out, " may come in either order (--only message tells them)");
    }
}

static void print_races(const struct races *r, struct out *out)
{
    out_text(out, ", ");
    report_count(out, race_count(r), "race", "races");
    out_text(out, " by place");
    /* Proofs are for places, not for every pair there. */
    const bool is_by_place =
        r->model == RACE_SOUND || (r->model == RACE_FEASIBLE && !r->command->all_pairs);
    if (!is_by_place && !r->stats.has_decided_places) {
        out_text(out, ": ");
        report_count(out, r->stats.data_races, "pair of accesses, ", "pairs of accesses, ");
        report_count(out, r->stats.message_races, "pair of messages", "pairs of messages");
    }
}

static void print_sum(struct races *r)
{
    struct out *out = &r->session->out;
    report_count(out, r->file.event_count, "event", "events");
    if (race_count(r) > 0) {
        print_races(r, out);
    } else if (deadlock_count(r) == 0 || r->command->only != ONLY_DEADLOCKS) {
        print_no_race(r, out);
    }
    if (deadlock_count(r) > 0) {
        out_text(out, ", ");
        report_count(out, deadlock_count(r), "deadlock", "deadlocks");
        out_text(out, " by place");
    }
    if (use_count(r) > 0) {
        out_text(out, ", ");
        report_count(out, use_count(r), "use after free", "uses after free");
        out_text(out, " by place");
    }
    if (r->stats.unknown > 0) {
        out_format(out, ", %llu undecided", (unsigned long long)r->stats.unknown);
    }
    report_hidden(r->session);
    out_char(out, '\n');
}

static void print_text(struct races *r)
{
    report_list(r->session, &r->file.findings);
    if (!r->session->common->jsonl) {
        print_sum(r);
        print_rest(r);
    }
}

int races_report(struct races *r, struct err *e)
{
    if (r->command->explain != UINT64_MAX) {
        return r->is_explained
                   ? verdict_status(VERDICT_FOUND)
                   : report_unexplained(r->command->explain, r->file.findings.list.count, e);
    }
    exports_add_all(&r->session->exports, &r->file.findings);
    if (r->session->common->json) {
        print_json(r);
    } else {
        print_text(r);
    }
    return verdict_status(verdict_of(has_found(r), is_open(r)));
}
