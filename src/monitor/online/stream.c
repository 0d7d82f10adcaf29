/* The stream decides the cuts up to the horizon again and again. Each time it builds a window
 * (stream_window.h) that begins where all later cuts begin.
 *
 * Online detection (online_cut.h) follows conjunctions and visits each report once: a window is
 * built only when a conjunction is possible. */
#include "monitor/online/stream.h"

#include "base/mem.h"
#include "monitor/offline/clause.h"
#include "monitor/online/online_cut.h"
#include "monitor/online/stream_window.h"
#include "monitor/property_answer.h"
#include "wire/kind.h"

/* The states of one process that a clause wants. */
struct wanting {
    uint32_t literal_first, literal_end; /* of the clause's, sorted by process */
    uint32_t below_first, below_end;     /* cells to compute */
    uint32_t only_slot; /* the only slot that they read; UINT32_MAX: none or several */
    bool is_wanted[2];  /* if there is one: with the values 0 and 1 */
};

/* A clause of local formulas, followed as reports come. */
struct pursuit {
    uint32_t property;
    uint16_t bit; /* of held.wanted */
    struct online *online;
    const struct literal *literals;
    const struct wanting *wantings; /* per process */
    const uint32_t *below;
};

struct tracked {
    uint32_t root;
    bool is_temporal;
    bool is_pursued;              /* online detection follows all its clauses */
    struct monitor_answer answer; /* the answer so far */
    bool is_possible_unreported;  /* if variables without a report could have any value */
    uint64_t check_count;         /* checks at which it was possible */
};

struct stream {
    const struct spec *spec;
    const struct tables *tables;
    struct stream_options options;
    struct findings *findings;
    struct notes *notes;
    struct stream_stats stats;
    bool is_bound;
    VEC(struct event) early; /* events before the processes were known */
    int64_t early_first, early_newest;
    uint32_t early_tasks;

    struct bound bound;
    struct ingest ingest;
    struct window window;
    struct arena arena;
    struct tracked *tracked; /* per property */
    VEC(struct pursuit) pursuits;
    uint32_t *taken;
    struct span *slots, *results; /* the current values of online detection */
    bool *is_open;                /* per slot: its value is unknown */
    bool *is_reported;            /* per slot: it was reported */
    int64_t checked_newest;       /* the time of the last check */
    uint64_t checked_events;
};

struct stream *stream_new(const struct spec *s, const struct tables *t,
                          const struct stream_options *o, struct findings *f, struct notes *n)
{
    struct stream *stream = mem_zero(1, sizeof *stream);
    stream->spec = s;
    stream->tables = t;
    stream->options = *o;
    stream->findings = f;
    stream->notes = n;
    stream->checked_newest = stream->stats.horizon = INT64_MIN;
    stream->early_first = INT64_MAX;
    stream->early_newest = INT64_MIN;
    return stream;
}

void stream_free(struct stream *s)
{
    if (s == NULL) {
        return;
    }
    vec_each (&s->pursuits, pursuit) {
        online_free(pursuit->online);
    }
    vec_release(&s->pursuits);
    if (s->is_bound) {
        window_release(&s->window);
        ingest_release(&s->ingest);
    }
    bound_release(&s->bound);
    vec_release(&s->early);
    arena_release(&s->arena);
    mem_free(s);
}

const struct stream_stats *stream_stats(const struct stream *s)
{
    return &s->stats;
}

/* ---- conjunctions ---- */

static uint32_t owner_of(const struct stream *s, struct literal literal)
{
    return s->window.history.owner[literal.cell];
}

static bool is_local(const struct stream *s, const struct clause *clause)
{
    for (size_t i = 0; i < clause->count; i++) {
        const uint32_t owner = owner_of(s, clause->at[i]);
        if (owner == OWNER_SEVERAL || owner == OWNER_UNKNOWN) {
            return false;
        }
    }
    return true;
}

/* Whether a constant of the clause is false: then no cut shows it. */
static bool is_never(const struct stream *s, const struct clause *clause)
{
    for (size_t i = 0; i < clause->count; i++) {
        const struct literal literal = clause->at[i];
        if (owner_of(s, literal) == OWNER_NONE &&
            (vec_at(&s->bound.cells.list, literal.cell)->number != 0) == literal.is_negated) {
            return true;
        }
    }
    return false;
}

static bool is_wanted_computed(const struct stream *s, const struct pursuit *p,
                               const struct wanting *w)
{
    bool is_open = false;
    for (uint32_t i = w->below_first; i < w->below_end; i++) {
        const struct cell *cell = &s->bound.cells.list.at[p->below[i]];
        is_open = is_open || (cell->op == CELL_SLOT && s->is_open[cell->left]);
    }
    cells_evaluate_some(&s->bound.cells, p->below + w->below_first, w->below_end - w->below_first,
                        s->slots, s->results);
    for (uint32_t i = w->literal_first; i < w->literal_end; i++) {
        const struct span truth = s->results[p->literals[i].cell];
        const bool is_negated = p->literals[i].is_negated;
        const bool holds = is_open ? (is_negated ? truth.low == 0 : truth.high != 0)
                                   : (is_negated ? truth.high == 0 : truth.low != 0);
        if (!holds) {
            return false;
        }
    }
    return true;
}

/* Whether the process is, or may be, in a state that the clause wants. */
static bool is_wanted(const struct stream *s, const struct pursuit *p, uint32_t process)
{
    const struct wanting *w = &p->wantings[process];
    if (w->only_slot != UINT32_MAX && !s->is_open[w->only_slot]) {
        const struct span value = s->slots[w->only_slot];
        if (value.low == value.high && (uint64_t)value.low < 2) {
            return w->is_wanted[value.low];
        }
    }
    return is_wanted_computed(s, p, w);
}

/* Computes the wanted states of a flag beforehand; most variables are flags. */
static void find_flag(struct stream *s, const struct pursuit *p, struct wanting *w)
{
    w->only_slot = UINT32_MAX;
    for (uint32_t i = w->below_first; i < w->below_end; i++) {
        const struct cell *cell = &s->bound.cells.list.at[p->below[i]];
        if (cell->op == CELL_SLOT && w->only_slot != UINT32_MAX && w->only_slot != cell->left) {
            w->only_slot = UINT32_MAX;
            return;
        }
        w->only_slot = cell->op == CELL_SLOT ? cell->left : w->only_slot;
    }
    if (w->only_slot == UINT32_MAX) {
        return;
    }
    for (int64_t value = 0; value < 2; value++) {
        s->slots[w->only_slot] = (struct span){value, value};
        s->is_open[w->only_slot] = false;
        w->is_wanted[value] = is_wanted_computed(s, p, w);
    }
    s->slots[w->only_slot] = SPAN_ANY;
    s->is_open[w->only_slot] = true;
}

static void pursue(struct stream *s, uint32_t property, const struct clause *clause)
{
    const uint32_t process_count = s->window.process_count;
    const size_t cell_count = s->bound.cells.list.count;
    struct literal *literals = arena_array(&s->arena, struct literal, clause->count);
    struct wanting *wantings = arena_array(&s->arena, struct wanting, process_count);
    VEC(uint32_t) below = {0};
    uint32_t literal_count = 0;
    for (uint32_t p = 0; p < process_count; p++) {
        const struct arena_mark mark = arena_mark(&s->window.history.scratch);
        const struct bits is_below = bits_take(&s->window.history.scratch, cell_count);
        wantings[p] = (struct wanting){.literal_first = literal_count,
                                       .literal_end = literal_count,
                                       .below_first = (uint32_t)below.count};
        for (size_t i = 0; i < clause->count; i++) {
            if (owner_of(s, clause->at[i]) == p) {
                literals[wantings[p].literal_end++] = clause->at[i];
                bits_add(is_below, clause->at[i].cell);
            }
        }
        cells_mark_below(&s->bound.cells, is_below);
        literal_count = wantings[p].literal_end;
        for (uint32_t i = 0; i < cell_count; i++) {
            if (bits_has(is_below, i)) {
                vec_push(&below, i);
            }
        }
        wantings[p].below_end = (uint32_t)below.count;
        arena_reset(&s->window.history.scratch, mark);
    }
    uint32_t *cells = arena_array(&s->arena, uint32_t, below.count);
    for (size_t i = 0; i < below.count; i++) {
        cells[i] = below.at[i];
    }
    vec_release(&below);
    const unsigned bit = (unsigned)s->pursuits.count;
    const struct pursuit pursuit = {.property = property,
                                    .bit = (uint16_t)(1U << bit),
                                    .online = online_new(&s->ingest, bit),
                                    .literals = literals,
                                    .wantings = wantings,
                                    .below = cells};
    for (uint32_t p = 0; p < process_count; p++) {
        find_flag(s, &pursuit, &wantings[p]);
        online_begin(pursuit.online, p, is_wanted(s, &pursuit, p));
    }
    vec_push(&s->pursuits, pursuit);
}

/* ---- start ---- */

/* A formula with more literals in clauses is not followed online. */
enum { ONLINE_LITERALS_MAX = 4096 };

static void track(struct stream *s, uint32_t property)
{
    struct tracked *t = &s->tracked[property];
    const struct bound_property *b = vec_at(&s->bound.properties, property);
    t->is_temporal = b->is_temporal;
    t->answer = t->is_temporal ? answer_unknown(MONITOR_TEMPORAL)
                               : (struct monitor_answer){.verdict = CUT_NO};
    if (t->is_temporal) {
        return;
    }
    t->root = *vec_at(&s->bound.atoms, b->atom);
    struct clauses clauses = {0};
    struct arena arena = {0};
    t->is_pursued =
        clauses_build(&clauses, &s->window.history, t->root, ONLINE_LITERALS_MAX, &arena) &&
        !s->options.decide.is_by_solver && s->pursuits.count + clauses.list.count <= ONLINE_MAX;
    vec_each (&clauses.list, clause) {
        t->is_pursued = t->is_pursued && is_local(s, clause);
    }
    vec_each (&clauses.list, clause) {
        if (t->is_pursued && !is_never(s, clause)) {
            pursue(s, property, clause);
        }
    }
    t->answer.method = t->is_pursued ? METHOD_LEAST : METHOD_NONE;
    clauses_release(&clauses);
    arena_release(&arena);
}

static int begin(struct stream *s, struct err *e)
{
    struct state_history h = {0};
    struct trace known = {.tables = *s->tables, .is_sealed = true};
    if (!s->options.knows_processes) {
        known.tables.tasks.count = s->early_tasks; /* in the order of their first events */
        known.events.at = s->early.at;
        known.events.count = s->early.count;
    }
    state_history_processes(&h, &known);
    const struct checker_system system = {h.processes.at, h.inside_count};
    if (bind_spec(&s->bound, s->spec, &system, e) < 0) {
        state_history_release(&h);
        return -1;
    }
    h.bound = &s->bound;
    h.trace = NULL;
    state_history_find_owners(&h);
    window_init(&s->window, &h, s->options.skew);
    s->ingest = (struct ingest){
        .skew = s->options.skew, .lag = s->options.lag, .is_logical = s->options.is_paper};
    ingest_init(&s->ingest, &s->window.history, s->spec, s->tables, s->notes);
    const size_t slot_count = SLOT_FIRST + s->bound.slots.count;
    s->slots = arena_array(&s->arena, struct span, slot_count);
    s->is_open = arena_array(&s->arena, bool, slot_count);
    s->is_reported = arena_array(&s->arena, bool, slot_count);
    s->results = arena_array(&s->arena, struct span, s->bound.cells.list.count);
    s->taken = arena_array(&s->arena, uint32_t, s->window.process_count);
    for (size_t i = 0; i < slot_count; i++) {
        s->slots[i] = SPAN_ANY;
        s->is_open[i] = true;
    }
    s->is_bound = true;
    s->tracked = arena_array(&s->arena, struct tracked, s->spec->properties.count);
    for (uint32_t i = 0; i < s->spec->properties.count; i++) {
        track(s, i);
    }
    return 0;
}

/* ---- checking ---- */

/* The values after the report. */
static void set_values(struct stream *s, uint32_t process, const struct held *held)
{
    if (held->slot < REPORT_SPECIAL) {
        const bool has_value = (held->flags & HELD_HAS_VALUE) != 0;
        s->slots[held->slot] = has_value ? (struct span){held->value, held->value} : SPAN_ANY;
        s->is_open[held->slot] = held->kind == EVENT_VARIABLE && !has_value;
        s->is_reported[held->slot] = true;
        return;
    }
    for (uint32_t i = 0; i < s->bound.slots.count; i++) {
        const uint32_t slot = SLOT_FIRST + i;
        if (s->bound.slots.at[i].process == process) {
            s->slots[slot] = SPAN_ANY;
            s->is_open[slot] = held->slot == REPORT_GAP || !s->is_reported[slot];
        }
    }
}

/* Visits a report that has just arrived, while it is in the cache. */
static void see(struct stream *s, uint32_t process, struct held *held)
{
    if (!held_is_receive(held) && held->slot != REPORT_NO_SLOT) {
        set_values(s, process, held);
        vec_each (&s->pursuits, pursuit) {
            if (is_wanted(s, pursuit, process)) {
                held->wanted |= pursuit->bit;
            }
        }
    }
}

static void see_new(struct stream *s, uint32_t process)
{
    struct source *source = &s->ingest.sources[process];
    for (; source->seen < source->end; source->seen++) {
        see(s, process, source_held(source, source->seen));
    }
}

/* Hands on the reports before the horizon. */
static void feed(struct stream *s, int64_t horizon)
{
    ingest_feed(&s->ingest, horizon);
    vec_each (&s->pursuits, pursuit) {
        online_go_on(pursuit->online);
    }
}

/* Whether a clause of the property is possible, by online detection, which then advances. Where a
 * clause is impossible, a process is in an unwanted state up to the horizon; so every later cut has
 * a report of it that is not earlier. */
static bool is_caught(struct stream *s, uint32_t property, int64_t horizon)
{
    bool is_caught = false;
    vec_each (&s->pursuits, pursuit) {
        if (pursuit->property == property) {
            is_caught = online_is_found(pursuit->online) || is_caught;
            online_pass(pursuit->online, horizon);
        }
    }
    return is_caught;
}

static void tell(struct stream *s, uint32_t property, const struct asking *asking)
{
    window_show(&s->window, &s->ingest);
    const struct answer_source from = {
        .spec = s->spec, .property = property, .input = s->options.input};
    answer_tell(asking, &from, s->findings);
    s->window.history.trace = NULL;
}

static void decide(struct stream *s, uint32_t property)
{
    struct tracked *t = &s->tracked[property];
    const struct asking asking = {&s->window.history, &s->options.decide, t->root, s->taken};
    window_assume(&s->window, true);
    struct monitor_answer now = answer_decide(&asking);
    if (now.verdict == CUT_YES) {
        t->check_count++;
        s->stats.possible++;
        if (t->answer.verdict != CUT_YES) {
            tell(s, property, &asking);
            t->answer = now;
        }
        return;
    }
    if (now.verdict == CUT_NO && !t->is_possible_unreported && !window_is_reported(&s->window)) {
        window_assume(&s->window, false);
        t->is_possible_unreported = answer_decide(&asking).verdict == CUT_UNKNOWN;
    }
    if (t->answer.verdict == CUT_NO) {
        now.method = now.method > t->answer.method ? now.method : t->answer.method;
        t->answer = now;
    }
}

static void check(struct stream *s, bool is_end)
{
    s->checked_newest = s->ingest.newest;
    s->checked_events = s->ingest.counts.events;
    const bool has_early = s->ingest.early_count > 0;
    const int64_t horizon = ingest_horizon(&s->ingest, is_end);
    for (uint32_t p = 0; p < s->ingest.process_count && has_early; p++) {
        see_new(s, p);
    }
    const uint64_t held_count = s->ingest.held_count;
    s->stats.held_max = held_count > s->stats.held_max ? held_count : s->stats.held_max;
    if (horizon <= s->stats.horizon) {
        return;
    }
    s->stats.checks++;
    feed(s, horizon);
    bool is_built = false;
    for (uint32_t i = 0; i < s->spec->properties.count; i++) {
        struct tracked *t = &s->tracked[i];
        if (t->is_temporal || (t->is_pursued && !is_caught(s, i, horizon))) {
            continue;
        }
        if (t->is_pursued && t->answer.verdict == CUT_YES) {
            t->check_count++; /* of a property that is reported already, its possibility suffices */
            s->stats.possible++;
            continue;
        }
        if (!is_built) {
            window_build(&s->window, &s->ingest, horizon);
            is_built = true;
        }
        decide(s, i);
    }
    s->stats.horizon = s->ingest.decided = horizon;
    if (!is_end) {
        window_drop(&s->window, &s->ingest, horizon);
    }
}

static bool is_due(const struct stream *s)
{
    const struct ingest *in = &s->ingest;
    return (s->options.check_events > 0 &&
            in->counts.events - s->checked_events >= s->options.check_events) ||
           (s->options.check_ticks > 0 && in->newest > s->checked_newest &&
            (uint64_t)in->newest - (uint64_t)s->checked_newest >= (uint64_t)s->options.check_ticks);
}

static void take(struct stream *s, const struct event *events, size_t count)
{
    enum { AHEAD = 16, FAR_AHEAD = 64 };
    for (size_t i = 0; i < count; i++) {
        if (count - i > FAR_AHEAD) {
            __builtin_prefetch(&events[i + FAR_AHEAD]);
            __builtin_prefetch((const char *)&events[i + FAR_AHEAD] + sizeof *events - 1);
        }
        if (count - i > AHEAD) {
            ingest_expect(&s->ingest, &events[i + AHEAD]);
        }
        if (events[i].task >= s->ingest.process_of.count) {
            ingest_meet(&s->ingest, events[i].task);
        }
        const uint32_t process = ingest_process(&s->ingest, &events[i]);
        ingest_take(&s->ingest, &events[i], process);
        if (process != UINT32_MAX) {
            see_new(s, process);
        }
        if (is_due(s)) {
            check(s, false);
        }
    }
    s->stats.events += count;
}

/* Starts with the events that arrived before the processes were known. */
static int begin_late(struct stream *s, struct err *e)
{
    if (begin(s, e) < 0) {
        return -1;
    }
    take(s, s->early.at, s->early.count);
    vec_release(&s->early);
    return 0;
}

/* Holds an event until the processes are known. */
static bool wait_for(struct stream *s, const struct event *e)
{
    vec_push(&s->early, *e);
    s->early_tasks = e->task >= s->early_tasks ? e->task + 1 : s->early_tasks;
    int64_t time = 0;
    if (ingest_time(e, s->options.is_paper, &time)) {
        s->early_first = time < s->early_first ? time : s->early_first;
        s->early_newest = time > s->early_newest ? time : s->early_newest;
    }
    return s->options.lag == INT64_MAX || s->early_newest <= s->early_first ||
           (uint64_t)s->early_newest - (uint64_t)s->early_first <= (uint64_t)s->options.lag;
}

int stream_take(struct stream *s, const struct event *events, size_t count, struct err *e)
{
    size_t done = 0;
    if (s->options.knows_processes && !s->is_bound && begin(s, e) < 0) {
        return -1;
    }
    while (!s->is_bound && done < count) {
        if (!wait_for(s, &events[done++]) && begin_late(s, e) < 0) {
            return -1;
        }
    }
    take(s, events + done, count - done);
    return 0;
}

bool stream_keep_names(struct stream *s, struct bits is_kept)
{
    if (s->is_bound && s->options.lag != INT64_MAX) {
        ingest_keep_names(&s->ingest, is_kept);
    }
    return s->is_bound && s->options.lag != INT64_MAX;
}

/* ---- the end ---- */

/* The final answer for a property. */
static struct monitor_answer conclude(const struct stream *s, uint32_t property)
{
    const struct tracked *t = &s->tracked[property];
    struct monitor_answer answer = t->answer;
    if (answer.verdict == CUT_NO && s->ingest.has_threads) {
        answer = answer_unknown(MONITOR_THREADS);
    } else if (answer.verdict == CUT_NO && s->ingest.counts.doubts > 0) {
        answer = answer_unknown(s->ingest.counts.strangers > 0   ? MONITOR_STRANGER
                                : s->ingest.counts.late > 0      ? MONITOR_LATE
                                : s->ingest.counts.unmatched > 0 ? MONITOR_UNMATCHED
                                                                 : MONITOR_DOUBTED);
    } else if (answer.verdict == CUT_NO && t->is_possible_unreported) {
        answer = answer_unknown(MONITOR_UNREPORTED);
    }
    answer.is_violation = answer.verdict == CUT_YES &&
                          vec_at(&s->spec->properties, property)->claim != SPEC_CLAIM_POSSIBLY;
    answer.check_count = t->check_count;
    return answer;
}

/* Whether every variable of the formula was reported at some time. */
static bool is_reported(struct stream *s, uint32_t root)
{
    const struct cells *cells = &s->bound.cells;
    struct state_history *h = &s->window.history;
    const struct arena_mark mark = arena_mark(&h->scratch);
    const struct bits is_below = bits_take(&h->scratch, cells->list.count);
    bool is = true;
    bits_add(is_below, root);
    cells_mark_below(cells, is_below);
    for (size_t i = 0; i < cells->list.count; i++) {
        const struct cell *cell = &cells->list.at[i];
        const bool is_slot = bits_has(is_below, i) && cell->op == CELL_SLOT;
        is = is && (!is_slot || bits_has(h->is_reported, cell->left));
    }
    arena_reset(&h->scratch, mark);
    return is;
}

/* A slot that was reported at some time was absent before, not unknown. */
static void settle_unreported(struct stream *s)
{
    window_assume(&s->window, false);
    for (uint32_t i = 0; i < s->bound.slots.count; i++) {
        const struct slot *slot = &s->bound.slots.at[i];
        if (slot->other == UINT32_MAX && !bits_has(s->window.history.is_reported, SLOT_FIRST + i)) {
            state_history_note_unreported(&s->window.history, s->spec, slot, s->notes);
        }
    }
    for (size_t i = 0; i < s->spec->properties.count; i++) {
        struct tracked *t = &s->tracked[i];
        t->is_possible_unreported = t->is_possible_unreported && !is_reported(s, t->root);
    }
}

int stream_end(struct stream *s, struct monitor_result *r, struct err *e)
{
    if (!s->is_bound && begin_late(s, e) < 0) {
        return -1;
    }
    check(s, true);
    window_build(&s->window, &s->ingest, INT64_MAX);
    settle_unreported(s);
    for (uint32_t i = 0; i < s->spec->properties.count; i++) {
        vec_push(&r->properties, conclude(s, i));
    }
    r->process_count = s->window.process_count;
    r->message_count = s->ingest.counts.messages;
    for (uint32_t p = 0; p < r->process_count; p++) {
        r->report_count += s->ingest.sources[p].end;
    }
    r->late_count = s->ingest.counts.late;
    r->gap_count = s->ingest.counts.gaps;
    return 0;
}
