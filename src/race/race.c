#include "race/race.h"

#include "order/message.h"
#include "race/access_classes.h"
#include "race/blind_updates.h"
#include "race/compat/spider.h"
#include "race/cxx_sync.h"
#include "race/data_races.h"
#include "race/deadlock/deadlock.h"
#include "race/feasible/feasible.h"
#include "race/feasible/feasible_places.h"
#include "race/file_lock_owners.h"
#include "race/grade_places.h"
#include "race/groups.h"
#include "race/interrupts.h"
#include "race/message_handlers.h"
#include "race/message_races.h"
#include "race/parallel_decide.h"
#include "race/prune.h"
#include "race/race_grade.h"
#include "race/race_report.h"
#include "race/sound/sync_preserving.h"
#include "race/strict/lock_free.h"
#include "race/strict/pair_count.h"
#include "race/strict/solver_query.h"
#include "race/strict/strict.h"
#include "race/sync_relaxation.h"
#include "race/token_stream.h"
#include "race/use_after_free.h"
#include "race/worker_pool.h"
#include "trace/kind_table.h"
#include "wire/kind.h"

/* The candidates, for all ways of finding races. */
struct candidates {
    struct arena arena;
    struct accesses all;
    struct accesses data; /* the accesses left by pruning; handlers keep theirs, for the messages */
    struct inboxes inboxes;
    struct swap_input swap;
};

static struct access_filter filter_of(const struct race_options *o)
{
    return (struct access_filter){
        .variable = o->variable,
        .has_since = o->has_since,
        .has_until = o->has_until,
        .since = o->since,
        .until = o->until,
    };
}

static void candidates_build(struct candidates *c, const struct hb *hb, bool is_plain,
                             struct race_groups *y)
{
    const struct race_options *o = y->o;
    struct access_filter filter = filter_of(o);
    *c = (struct candidates){0};
    accesses_build(&c->all, hb->trace, &filter, &c->arena);
    if (!o->skips_messages) {
        inboxes_build(&c->inboxes, hb, &c->all, &filter, &c->arena);
    }
    c->swap = (struct swap_input){.hb = hb, .accesses = &c->all, .inboxes = &c->inboxes};
    c->data = c->all;
    if (o->prunes) {
        struct pruned pruned;
        prune(&pruned, hb, &c->all, is_plain, &c->arena);
        y->stats->pruned_events = pruned.count;
        filter.dropped = &pruned.events;
        accesses_build(&c->data, hb->trace, &filter, &c->arena);
    }
}

static void candidates_release(struct candidates *c)
{
    inboxes_release(&c->inboxes);
    arena_release(&c->arena);
}

static void judge_messages(struct race_groups *y, const struct candidates *c,
                           const struct judge *judge)
{
    if (!y->o->skips_messages) {
        swap_judge(y, &c->swap, judge);
        pool_judge(y, &c->swap, judge);
    }
}

static void judge_candidates(struct race_groups *y, const struct candidates *c,
                             const struct judge *judge, enum data_part part)
{
    if (!y->o->skips_data) {
        data_judge(y, &c->data, judge, part);
    }
    judge_messages(y, c, judge);
}

/* Whether the conflicting pairs of classes are more than `many`. */
static bool has_many_conflicts(const struct accesses *a, uint64_t many)
{
    uint64_t count = 0;
    for (uint32_t v = 0; v < a->variable_count && count <= many; v++) {
        const struct access_class *classes = a->classes + a->variables[v].first;
        uint64_t write_count = 0;
        for (uint32_t i = 0; i < a->variables[v].count; i++) {
            write_count += classes[i].is_write;
        }
        count += write_count * a->variables[v].count;
    }
    return count > many;
}

/* Counts where nothing is left to choose: by pairs of classes, or where many tasks touch the same
 * variables, access by access. */
static void count_candidates(struct race_groups *y, const struct candidates *c, struct hb *hb)
{
    enum { CLASSES_PER_ACCESS = 4 };
    const bool is_listed = hb->follows_list && hb->contexts.count == hb->contexts.task_count;
    if (y->o->skips_data) {
        /* Only messages are asked about. */
    } else if (is_listed && !race_groups_wants_each(y) &&
               has_many_conflicts(&c->data, CLASSES_PER_ACCESS * (uint64_t)c->data.count)) {
        if (hb->sides == HB_AFTER) {
            hb_rescope(hb, hb->scope, HB_BOTH);
        }
        pair_count(y, &(struct pair_count_input){.hb = hb, .accesses = &c->data});
    } else {
        data_count(y, &c->data, hb);
    }
    if (!y->o->skips_messages) {
        swap_count(y, &c->swap);
    }
}

/* Where findings go. */
struct telling {
    struct findings *findings;
    struct notes *notes;
};

/* Reports races, and the uses after free that no race shows. */
static int tell_races(struct race_groups *y, struct hb *hb, const struct accesses *a,
                      const struct telling *to, struct err *e)
{
    use_count_races(y, hb);
    tell_findings(y, hb, to->findings);
    return y->o->skips_data
               ? 0
               : use_find(y, &(struct use_input){.hb = hb, .accesses = a}, to->findings, e);
}

static int find_deadlocks(struct race_groups *y, struct hb *hb, const struct telling *to,
                          struct err *e)
{
    return y->o->skips_deadlocks ? 0 : deadlock_find(y, hb, to->findings, to->notes, e);
}

/* Grades the races found by the judge (NULL: by order alone), if the options ask for grades, and
 * reports them; then looks for deadlocks. */
static int grade_and_tell(struct race_groups *y, const struct place_input *in,
                          const struct telling *to, struct err *e)
{
    const bool needs_grades = y->o->model == RACE_SOUND;
    int result = 0;
    if (race_groups_decides_places(y)) {
        result = place_grade(y, in, to->notes, e);
    } else if (needs_grades || (!y->o->skips_grades && !y->o->counts_only)) {
        grade_groups(y, in->hb, to->notes);
    }
    if (needs_grades && !race_groups_decides_places(y)) {
        grade_keep_sound(y);
    }
    if (result == 0) {
        result = tell_races(y, in->hb, in->accesses, to, e);
    }
    if (result == 0) {
        result = find_deadlocks(y, in->hb, to, e);
    }
    return result;
}

struct by_engine {
    struct strict *s;
    const struct candidates *c;
};

static bool counts_by_spans(const struct strict *s, const struct race_groups *y)
{
    return s->has_spans && s->has_order && !race_groups_wants_each(y);
}

static int judge_by_engine(void *context, struct race_groups *y, struct err *e)
{
    const struct by_engine *b = context;
    strict_serve(b->s, y);
    const struct judge judge = strict_judge(b->s);
    if (counts_by_spans(b->s, y)) {
        const struct pair_count_input in = {
            .hb = &b->s->hb, .accesses = &b->c->data, .spans = &b->s->spans, .judge = &judge};
        if (!y->o->skips_data) {
            pair_count(y, &in);
        }
        judge_messages(y, b->c, &judge);
    } else {
        judge_candidates(y, b->c, &judge, DATA_FEW);
    }
    return strict_written(b->s, e);
}

static int find_by_engine(struct race_groups *y, struct findings *f, struct notes *n, struct err *e)
{
    struct strict s;
    struct candidates c;
    if (strict_build(&s, y, n, e) < 0) {
        return -1;
    }
    int result = 0;
    candidates_build(&c, &s.hb, s.is_plain, y);
    strict_read_classes(&s, &c.data);
    if (s.is_plain) {
        count_candidates(y, &c, &s.hb);
    } else {
        result = share_run(y, judge_by_engine, &(struct by_engine){.s = &s, .c = &c}, e);
    }
    if (result == 0) {
        strict_serve(&s, y);
        const struct judge judge = strict_judge(&s);
        if (!s.is_plain && !counts_by_spans(&s, y) && !y->o->skips_data) {
            data_search(y, &c.data, &judge);
        }
        const struct place_input in = {
            .hb = &s.hb, .accesses = &c.data, .strict = s.is_plain ? NULL : &judge};
        result = grade_and_tell(y, &in, &(struct telling){f, n}, e);
    }
    candidates_release(&c);
    strict_release(&s);
    return result;
}

/* With more candidates than this under contended locks, each of which would be a question, only
 * races shown by sync-preserving reordering are reported. */
enum { SOUND_CANDIDATES_MAX = 2000000 };

static uint64_t candidate_count(const struct accesses *a, size_t task_count)
{
    uint64_t count = 0;
    for (uint32_t v = 0; v < a->variable_count; v++) {
        count += access_candidate_count(a, v, task_count);
    }
    return count;
}

static int tell_shown(struct race_groups *y, struct hb *hb, const struct accesses *a,
                      const struct telling *to, struct err *e)
{
    struct arena arena = {0};
    const struct bits wanted = bits_take(&arena, y->t->events.count + 1);
    for (size_t i = 0; i < a->count; i++) {
        bits_add(wanted, a->events[i]);
    }
    grade_find(y, hb, &wanted);
    const int result = tell_races(y, hb, a, to, e);
    arena_release(&arena);
    return result;
}

static int find_sound(struct race_groups *y, struct findings *f, struct notes *n, struct err *e)
{
    struct hb hb;
    const struct hb_options options = {
        .model = HB_STRICT, .scope = REACH_NONE, .given = y->o->given};
    struct notes met = {0};
    if (hb_build(&hb, y->t, &options, &met, e) < 0) {
        notes_release(&met);
        return -1;
    }
    int result = 0;
    struct arena arena = {0};
    struct accesses a;
    const struct access_filter filter = filter_of(y->o);
    accesses_build(&a, y->t, &filter, &arena);
    const uint64_t count = candidate_count(&a, y->t->tables.tasks.count);
    const bool is_direct =
        !race_groups_decides_places(y) && count > SOUND_CANDIDATES_MAX && !plain_applies(&hb);
    if (is_direct) {
        vec_each (&met.list, note) {
            notes_add_many(n, note->count, note->place, note->text);
        }
        y->stats->data_candidates = count;
        result = tell_shown(y, &hb, &a, &(struct telling){f, n}, e);
        notes_add(n, "",
                  "too many candidates to decide each; reported are races that sync-preserving "
                  "reordering shows");
        result = result == 0 ? find_deadlocks(y, &hb, &(struct telling){f, n}, e) : result;
    }
    notes_release(&met);
    arena_release(&arena);
    hb_release(&hb);
    return is_direct ? result : find_by_engine(y, f, n, e);
}

struct by_rules {
    const struct hb *hb;
    const struct candidates *c;
    struct race_groups *found; /* feasible: the races shown already */
};

static int judge_by_prefixes(void *context, struct race_groups *y, struct err *e)
{
    (void)e;
    const struct by_rules *b = context;
    const struct feasible_options how = {
        .step_max = y->o->step_max, .is_about_many = true, .watch = &y->watch};
    struct feasible *feasible = feasible_new(b->hb, &how);
    const struct judge judge = feasible_judge(feasible);
    if (race_groups_wants_each(y)) {
        judge_candidates(y, b->c, &judge, DATA_ALL);
    } else {
        if (!y->o->skips_data) {
            const struct feasible_input in = {.hb = b->hb, .accesses = &b->c->data};
            feasible_places_judge(y, b->found, &in, feasible);
        }
        judge_messages(y, b->c, &judge);
    }
    y->stats->asked = feasible_stats(feasible)->by_solver;
    feasible_free(feasible);
    return 0;
}

static int find_feasible(struct race_groups *y, struct findings *f, struct notes *n, struct err *e)
{
    struct hb hb;
    struct candidates c;
    const struct hb_options options = {
        .model = HB_STRICT, .scope = REACH_NONE, .given = y->o->given};
    if (hb_build(&hb, y->t, &options, n, e) < 0) {
        return -1;
    }
    candidates_build(&c, &hb, false, y);
    if (!y->o->skips_data && !race_groups_wants_each(y) && sound_refusal(&hb) == NULL) {
        feasible_places_find(y, &hb, &c.data);
    }
    int result =
        share_run(y, judge_by_prefixes, &(struct by_rules){.hb = &hb, .c = &c, .found = y}, e);
    if (result == 0 && !y->o->counts_only) {
        grade_shown(y, &hb);
    }
    const struct telling to = {f, n};
    if (result == 0) {
        result = tell_races(y, &hb, &c.data, &to, e);
    }
    if (result == 0) {
        result = find_deadlocks(y, &hb, &to, e);
    }
    candidates_release(&c);
    hb_release(&hb);
    return result;
}

static enum race_verdict know_nothing(void *self, event_id a, event_id b)
{
    (void)self;
    (void)a;
    (void)b;
    return RACE_UNKNOWN;
}

/* Asks about accesses of routines that any caller could run with the calls in the order of the
 * list, as strict.c does. */
struct solver_judge {
    const struct hb *hb;
    struct query query;
    bool has_fixed;
    struct hb fixed_hb;
    struct query fixed;
};

static int open_fixed(struct solver_judge *s, struct race_groups *y, struct arena *a, struct err *e)
{
    struct notes repeated = {0};
    const struct hb_options options = {
        .model = HB_STRICT, .scope = REACH_ALL, .given = y->o->given, .fixes_onces = true};
    int result = hb_build(&s->fixed_hb, y->t, &options, &repeated, e);
    notes_release(&repeated);
    if (result == 0) {
        result = query_open(&s->fixed, &s->fixed_hb, y, a, e);
        s->has_fixed = result == 0;
        if (result < 0) {
            hb_release(&s->fixed_hb);
        }
    }
    if (result < 0) {
        query_close(&s->query);
    }
    return result;
}

static enum race_verdict ask_data(void *self, event_id a, event_id b)
{
    struct solver_judge *s = self;
    const bool is_about_routine =
        once_around(&s->hb->onces, a) != NULL || once_around(&s->hb->onces, b) != NULL;
    const struct judge judge = query_judge(is_about_routine ? &s->fixed : &s->query);
    return judge.data(judge.self, a, b);
}

static enum race_verdict ask_message(void *self, event_id send, event_id receive)
{
    struct solver_judge *s = self;
    const struct judge judge = query_judge(&s->query);
    return judge.message(judge.self, send, receive);
}

/* Every candidate becomes a question to a solver about the plain rules, independent of the engine.
 */
static int judge_by_solver(void *context, struct race_groups *y, struct err *e)
{
    const struct by_rules *b = context;
    struct arena arena = {0};
    struct solver_judge s = {.hb = b->hb};
    int result = query_open(&s.query, b->hb, y, &arena, e);
    if (result == 0 && b->hb->onces.count > 0) {
        result = open_fixed(&s, y, &arena, e);
    }
    if (result == 0) {
        const bool has_order = !b->hb->is_contradictory && query_any(&s.query) != RACE_NO;
        const struct judge judge =
            has_order ? (struct judge){.data = ask_data, .message = ask_message, .self = &s}
                      : (struct judge){.data = know_nothing, .message = know_nothing};
        judge_candidates(y, b->c, &judge, DATA_ALL);
        result = query_written(&s.query, e);
        query_close(&s.query);
    }
    if (s.has_fixed) {
        query_close(&s.fixed);
        hb_release(&s.fixed_hb);
    }
    arena_release(&arena);
    return result;
}

static int find_by_solver(struct race_groups *y, struct findings *f, struct notes *n, struct err *e)
{
    struct hb hb;
    struct candidates c;
    const struct hb_options options = {
        .model = HB_STRICT, .scope = REACH_ALL, .given = y->o->given};
    if (hb_build(&hb, y->t, &options, n, e) < 0) {
        return -1;
    }
    candidates_build(&c, &hb, false, y);
    int result = share_run(y, judge_by_solver, &(struct by_rules){.hb = &hb, .c = &c}, e);
    if (result == 0) {
        const struct place_input in = {.hb = &hb, .accesses = &c.data};
        result = grade_and_tell(y, &in, &(struct telling){f, n}, e);
    }
    candidates_release(&c);
    hb_release(&hb);
    return result;
}

/* Nothing but deadlocks is wanted: no candidate needs the engine. */
static int find_only_deadlocks(struct race_groups *y, struct findings *f, struct notes *n,
                               struct err *e)
{
    struct hb hb;
    const struct hb_options options = {
        .model = HB_STRICT, .scope = REACH_NONE, .given = y->o->given};
    if (hb_build(&hb, y->t, &options, n, e) < 0) {
        return -1;
    }
    const int result = find_deadlocks(y, &hb, &(struct telling){f, n}, e);
    hb_release(&hb);
    return result;
}

/* The events that replaced and relaxed traces are made for. One pass over the events looks for all
 * of them, because most traces have few. */
struct present {
    bool has_kind[KIND_LIMIT];
    bool has_streams, has_file_locks, has_updates;
    bool has_ignored; /* calls that may give up */
    bool has_values;  /* of writes, or read-modify-writes whose value is not used */
};

static void find_present(const struct trace *t, struct present *p)
{
    *p = (struct present){0};
    trace_each (t, e) {
        const bool is_transfer = e->kind == EVENT_SEND || e->kind == EVENT_RECV;
        p->has_kind[e->kind < KIND_LIMIT ? e->kind : 0] = true;
        p->has_streams |= is_transfer && message_is_stream(e);
        p->has_file_locks |= e->kind == EVENT_LOCK && lock_mode_is_across_processes(e->mode);
        p->has_ignored |= event_is_ignored(e);
        p->has_updates |= e->kind == EVENT_READ && e->mode != MODE_UNSAID;
        p->has_values |= (e->kind == EVENT_WRITE && (e->has & HAS_VALUE) != 0) ||
                         event_is_update(e) || event_is_kept(e);
    }
}

static bool is_relaxable(const struct present *p, enum race_open reason)
{
    const bool *has = p->has_kind;
    if (reason == RACE_OPEN_OWNER) {
        return p->has_file_locks;
    }
    if (reason == RACE_OPEN_IGNORED) {
        return p->has_ignored;
    }
    if (reason == RACE_OPEN_INTERRUPT) {
        return has[EVENT_INTERRUPT];
    }
    if (reason == RACE_OPEN_CALLER) {
        return has[EVENT_ONCE_BEGIN];
    }
    if (reason == RACE_OPEN_WAKE) {
        return has[EVENT_SIGNAL] || has[EVENT_BROADCAST];
    }
    must(reason == RACE_OPEN_SENDER);
    return has[EVENT_RECV] || has[EVENT_ACCEPT] || has[EVENT_HAPPENS_AFTER] ||
           has[EVENT_BARRIER_EXIT] || has[EVENT_ATOMIC_STORE] || p->has_values;
}

static const enum relaxation relaxations[RACE_OPEN_COUNT] = {
    [RACE_OPEN_IGNORED] = RELAX_IGNORED,
    [RACE_OPEN_SENDER] = RELAX_SENDERS,
    [RACE_OPEN_CALLER] = RELAX_ONCES,
    [RACE_OPEN_WAKE] = RELAX_WAITS,
};

static bool relax(const struct trace *t, enum race_open reason, struct trace *relaxed)
{
    if (reason == RACE_OPEN_OWNER) {
        return file_locks_relax(t, relaxed);
    }
    return reason == RACE_OPEN_INTERRUPT ? interrupts_relax(t, relaxed)
                                         : relaxation_build(t, relaxations[reason], relaxed);
}

/* Decides once more on a relaxed trace: pairs that only that trace allows are open for the reason.
 */
static int find_relaxed(struct race_groups *y, enum race_open reason, struct findings *f,
                        struct err *e)
{
    struct trace relaxed;
    if (!relax(y->t, reason, &relaxed)) {
        return 0;
    }
    struct race_options o = *y->o;
    o.model = RACE_STRICT;
    o.via = RACE_VIA_ENGINE;
    o.smtlib = NULL;
    o.skips_messages = o.skips_deadlocks = true;
    o.wants_witness = false;
    o.decides_places = true;
    o.counts_only = !y->o->wants_all || y->o->counts_only;
    o.decided = NULL;
    struct race_stats stats;
    struct race_groups z;
    struct notes repeated = {0};
    race_groups_init(&z, &relaxed, &o, &stats);
    z.run = y->t;
    z.before = y;
    z.relaxed = reason;
    const int result = find_by_engine(&z, f, &repeated, e);
    y->stats->places_open[reason] += stats.places_open[reason];
    y->stats->is_cut = y->stats->is_cut || z.watch.is_over;
    notes_release(&repeated);
    race_groups_release(&z);
    if (reason == RACE_OPEN_INTERRUPT) {
        interrupts_release(&relaxed);
    } else {
        relaxation_release(&relaxed);
    }
    return result;
}

int race_find(const struct trace *t, const struct race_options *o, struct findings *f,
              struct race_stats *stats, struct notes *n, struct err *e)
{
    struct race_groups y;
    struct trace replaced = {0};
    struct trace without_cxx = {0};
    struct trace without_locks = {0};
    struct trace settled = {0};
    struct present present;
    int result = 0;
    if (o->model == RACE_OBSERVED) {
        return err_set(e, "the model observed reads a stream and is not answered here");
    }
    if (query_make_folder(o, e) < 0) {
        return -1;
    }
    const struct access_filter filter = filter_of(o);
    access_note_odd(&filter, t, n);
    find_present(t, &present);
    const struct trace *run = t;
    run = present.has_kind[EVENT_ATOMIC_LOAD] || present.has_kind[EVENT_ATOMIC_RMW]
              ? cxx_sync_replace(run, &without_cxx)
              : run;
    find_present(run, &present);
    run = present.has_streams ? token_streams_replace(run, &replaced) : run;
    run = present.has_file_locks ? file_locks_replace(run, &without_locks) : run;
    run = present.has_updates ? plain_updates_settle(run, &settled) : run;
    race_groups_init(&y, run, o, stats);
    if (o->compat != RACE_COMPAT_NONE) {
        y.t = t;
        spider_find(&y, f);
    } else if (o->skips_data && o->skips_messages) {
        result = find_only_deadlocks(&y, f, n, e);
    } else if (o->model == RACE_FEASIBLE && !race_groups_decides_places(&y)) {
        result = find_feasible(&y, f, n, e);
    } else if (o->model == RACE_SOUND && o->via == RACE_VIA_ENGINE) {
        result = find_sound(&y, f, n, e);
    } else if (o->via == RACE_VIA_ENGINE) {
        result = find_by_engine(&y, f, n, e);
    } else {
        result = find_by_solver(&y, f, n, e);
    }
    static const enum race_open reasons[] = {RACE_OPEN_OWNER,     RACE_OPEN_IGNORED,
                                             RACE_OPEN_INTERRUPT, RACE_OPEN_CALLER,
                                             RACE_OPEN_SENDER,    RACE_OPEN_WAKE};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons && stats->has_decided_places; i++) {
        const bool is_needed = !o->skips_data && is_relaxable(&present, reasons[i]);
        result = is_needed && result >= 0 ? find_relaxed(&y, reasons[i], f, e) : result;
    }
    stats->is_cut = stats->is_cut || y.watch.is_over;
    if (stats->is_cut) {
        notes_add(n, "", "%s before everything was decided and graded",
                  limit_is_stopped(o->budget) ? "it was stopped" : "the budget ended");
    }
    if (stats->silence.text[0] != '\0' && !stats->has_decided_places) {
        notes_add(n, "", "a question was left open: %.150s", stats->silence.text);
    }
    race_groups_release(&y);
    plain_updates_release(&settled);
    file_locks_release(&without_locks);
    token_streams_release(&replaced);
    cxx_sync_release(&without_cxx);
    return result;
}
