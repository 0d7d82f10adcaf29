/* Every cut with a report at some time has all reports that certainly precede it, and their needs.
 * A window begins at that cut, the base, and has the cuts above it. It has the same structure as
 * the whole run, with the values at the base as its first states. */
#include "monitor/online/stream_window.h"

#include <string.h>

#include "base/mem.h"

/* The slots of variables, process by process. */
static void sort_slots(struct window *w)
{
    const struct bound *b = w->history.bound;
    struct arena *a = &w->history.arena;
    uint32_t *first = arena_array(a, uint32_t, w->process_count + 1);
    uint32_t *next = arena_array(a, uint32_t, w->process_count);
    uint32_t *slots = arena_array(a, uint32_t, b->slots.count);
    vec_each (&b->slots, slot) {
        first[slot->process + 1] += slot->other == UINT32_MAX;
    }
    for (uint32_t p = 0; p < w->process_count; p++) {
        first[p + 1] += first[p];
        next[p] = first[p];
    }
    for (uint32_t i = 0; i < b->slots.count; i++) {
        if (b->slots.at[i].other == UINT32_MAX) {
            slots[next[b->slots.at[i].process]++] = SLOT_FIRST + i;
        }
    }
    w->slot_first = first;
    w->slots_of = slots;
    w->is_settled = arena_array(a, bool, SLOT_FIRST + b->slots.count);
}

void window_init(struct window *w, const struct state_history *h, int64_t skew)
{
    w->history = *h;
    w->process_count = (uint32_t)h->processes.count;
    const size_t slot_count = SLOT_FIRST + h->bound->slots.count;
    struct arena *a = &w->history.arena;
    w->end = arena_array(a, uint64_t, w->process_count);
    w->slots = arena_array(a, struct span, slot_count);
    w->is_open = arena_array(a, bool, slot_count);
    w->is_reported = arena_array(a, bool, slot_count);
    w->last = arena_array(a, struct state_history_last, w->process_count);
    for (size_t i = 0; i < slot_count; i++) {
        w->slots[i] = SPAN_ANY;
    }
    for (uint32_t p = 0; p < w->process_count; p++) {
        w->last[p] = (struct state_history_last){.event = UINT64_MAX, .time = INT64_MIN};
    }
    w->base = (struct state_history_base){w->slots, w->is_open, w->is_reported, w->last};
    w->history.base = &w->base;
    w->history.cuts.skew = skew;
    w->history.is_reported = bits_take(a, slot_count);
    sort_slots(w);
    trace_init(&w->trace);
    w->mark = arena_mark(a);
}

void window_release(struct window *w)
{
    state_history_release(&w->history);
    vec_release(&w->raised);
    trace_release(&w->trace);
}

/* The ordinal of the send that the receive, whose sender is known, needs. */
static uint64_t need_of(const struct ingest *in, const struct held *receive)
{
    return held_need(receive, in->sources[receive->need_process].first);
}

/* Whether the receive, within the window, lacks its send there. */
static bool lacks_need(const struct window *w, const struct held *held)
{
    const uint32_t sender = held_sender(held);
    return sender < w->process_count && held_need(held, w->end[sender]) >= w->end[sender];
}

/* ---- building ---- */

/* The window ends before the reports at or after the horizon, and before receives whose sends are
 * not in it. */
static void find_ends(struct window *w, const struct ingest *in, int64_t horizon)
{
    for (uint32_t p = 0; p < w->process_count; p++) {
        const struct source *source = &in->sources[p];
        w->end[p] = source->first;
        while (w->end[p] < source->end && source_held(source, w->end[p])->time < horizon) {
            w->end[p]++;
        }
    }
    bool is_lowered = true;
    while (is_lowered) {
        is_lowered = false;
        for (uint32_t p = 0; p < w->process_count; p++) {
            const struct source *source = &in->sources[p];
            uint64_t end = source->first;
            while (end < w->end[p] && !lacks_need(w, source_held(source, end))) {
                end++;
            }
            is_lowered = is_lowered || end < w->end[p];
            w->end[p] = end;
        }
    }
}

static void fill_gap(struct state_history *h, uint32_t process, const struct held *held,
                     uint32_t report)
{
    if (held_slot(held) == REPORT_GAP) {
        vec_push(&h->gaps, (struct gap){process, report, .begin = held->time, .end = held->value});
    }
    if ((held->flags & HELD_IS_ORPHAN) != 0) {
        vec_push(&h->orphans, (struct orphan){process, report, held->time});
    }
}

static struct report report_of(const struct held *held, uint32_t id)
{
    const bool has_value = (held->flags & HELD_HAS_VALUE) != 0;
    return (struct report){.event = id,
                           .slot = held_slot(held),
                           .is_wrong = held->kind == EVENT_VARIABLE && !has_value,
                           .value = has_value ? (struct span){held->value, held->value} : SPAN_ANY};
}

void window_build(struct window *w, const struct ingest *in, int64_t horizon)
{
    struct state_history *h = &w->history;
    struct arena *a = &h->arena;
    arena_reset(a, w->mark);
    h->slot_work = NULL;
    vec_clear(&h->gaps);
    vec_clear(&h->orphans);
    h->has_unmatched = in->counts.unmatched > 0;
    h->has_threads = in->has_threads;
    find_ends(w, in, horizon);
    uint32_t *first = arena_array(a, uint32_t, w->process_count + 1);
    for (uint32_t p = 0; p < w->process_count; p++) {
        first[p + 1] = first[p] + (uint32_t)(w->end[p] - in->sources[p].first);
    }
    const uint32_t count = first[w->process_count];
    struct report *reports = arena_array(a, struct report, count);
    int64_t *time = arena_array(a, int64_t, count);
    uint32_t *process = arena_array(a, uint32_t, count);
    uint64_t *numbers = arena_array(a, uint64_t, count);
    uint32_t *need_first = arena_array(a, uint32_t, count + 1);
    uint32_t *needs = arena_array(a, uint32_t, count);
    w->shown = arena_array(a, const struct held *, count);
    for (uint32_t p = 0; p < w->process_count; p++) {
        const struct source *source = &in->sources[p];
        for (uint32_t r = first[p]; r < first[p + 1]; r++) {
            const struct held *held = source_held(source, source->first + r - first[p]);
            reports[r] = report_of(held, r);
            time[r] = held->time;
            process[r] = p;
            numbers[r] = records_of(&in->records, held)->number;
            w->shown[r] = held;
            fill_gap(h, p, held, r);
            const uint32_t sender = held_sender(held);
            need_first[r + 1] = need_first[r];
            if (sender < w->process_count && need_of(in, held) >= in->sources[sender].first) {
                needs[need_first[r + 1]++] =
                    first[sender] + (uint32_t)(need_of(in, held) - in->sources[sender].first);
            }
        }
    }
    h->reports = reports;
    h->numbers = numbers;
    h->has_times = true;
    h->cuts = (struct cuts){.process_count = w->process_count,
                            .first = first,
                            .time = time,
                            .process = process,
                            .need_first = need_first,
                            .needs = needs,
                            .skew = h->cuts.skew};
    state_history_find_changes(h);
}

void window_assume(struct window *w, bool is_reported)
{
    struct state_history *h = &w->history;
    map_clear(&h->column_of);
    vec_clear(&h->columns);
    for (size_t slot = 0; slot < h->is_reported.count; slot++) {
        bits_remove(h->is_reported, slot);
        if (is_reported || w->is_reported[slot]) {
            bits_add(h->is_reported, slot);
        }
    }
    for (uint32_t r = 0; r < cuts_report_count(&h->cuts); r++) {
        if (h->reports[r].slot < REPORT_SPECIAL) {
            bits_add(h->is_reported, h->reports[r].slot);
        }
    }
}

bool window_is_reported(const struct window *w)
{
    const struct bound *b = w->history.bound;
    for (uint32_t i = 0; i < b->slots.count; i++) {
        if (b->slots.at[i].other == UINT32_MAX && !w->is_reported[SLOT_FIRST + i]) {
            return false;
        }
    }
    return true;
}

/* ---- showing ---- */

/* The name in the shown trace for a name of the stream's tables. */
static uint32_t shown_name(struct window *w, const struct tables *t, uint32_t name)
{
    return names_intern_text(&w->trace.tables.names, names_text(&t->names, name));
}

static uint32_t shown_task(struct window *w, const struct tables *t, uint32_t task)
{
    const struct task *of = vec_at(&t->tasks, task);
    return tables_task(&w->trace.tables, shown_name(w, t, of->node), shown_name(w, t, of->name));
}

/* Receives are identified by their sends: they need no names. */
static void show_reports(struct window *w, const struct ingest *in)
{
    struct state_history *h = &w->history;
    struct map task_of = {0};
    for (uint32_t r = 0; r < cuts_report_count(&h->cuts); r++) {
        const struct held *held = w->shown[r];
        const struct record *record = records_of(&in->records, held);
        if (map_get(&task_of, record->task) == NULL) {
            map_put(&task_of, record->task, shown_task(w, in->tables, record->task));
        }
        struct event event = {.kind = held->kind != 0 ? held->kind : EVENT_LOG,
                              .task = *map_get(&task_of, record->task),
                              .has = (uint8_t)(HAS_TIME | (record->has_hlc ? HAS_HLC : 0)),
                              .time = held->time,
                              .hlc_time = record->hlc_time,
                              .hlc_count = record->hlc_count};
        if (held->kind == EVENT_SEND) {
            event.message = shown_name(w, in->tables, record->name);
        } else if (held->kind != EVENT_RECV) {
            event.object = shown_name(w, in->tables, record->name);
        }
        trace_append(&w->trace, &event);
    }
    map_release(&task_of);
}

/* The report with this ordinal; UINT32_MAX when it is not within the window. */
static uint32_t report_at(const struct window *w, const struct ingest *in, uint32_t process,
                          uint64_t ordinal)
{
    const uint64_t first = in->sources[process].first;
    return ordinal < first || ordinal >= w->end[process]
               ? UINT32_MAX
               : w->history.cuts.first[process] + (uint32_t)(ordinal - first);
}

static void show_passing(struct window *w, const struct ingest *in, struct passing passing,
                         uint64_t send)
{
    passing.send = report_at(w, in, passing.from, send);
    const bool is_within = passing.send != UINT32_MAX && passing.receive != UINT32_MAX;
    if (!is_within && send < w->end[passing.from]) {
        passing.name = shown_name(w, in->tables, passing.name);
        vec_push(&w->history.passing, passing);
    }
}

/* Messages that were sent before the window, received after it, or not received so far. */
static void show_messages(struct window *w, const struct ingest *in)
{
    vec_clear(&w->history.passing);
    for (uint32_t p = 0; p < w->process_count; p++) {
        const struct source *source = &in->sources[p];
        for (uint64_t at = source->first; at < source->end; at++) {
            const struct held *held = source_held(source, at);
            if (held_sender(held) < w->process_count) {
                const struct passing passing = {.from = held->need_process,
                                                .to = p,
                                                .receive = report_at(w, in, p, at),
                                                .name = records_of(&in->records, held)->name};
                show_passing(w, in, passing, need_of(in, held));
            }
        }
    }
    for (uint32_t name = 0; name < in->sent.count; name++) {
        const struct sending *sending = &in->sent.at[name];
        if (sending->is_sent && !sending->is_received) {
            const struct passing passing = {
                .from = sending->process, .to = UINT32_MAX, .receive = UINT32_MAX, .name = name};
            show_passing(w, in, passing, sending->ordinal);
        }
    }
}

void window_show(struct window *w, const struct ingest *in)
{
    trace_release(&w->trace);
    trace_init(&w->trace);
    w->trace.tables.tick_ns = in->tables->tick_ns;
    show_reports(w, in);
    show_messages(w, in);
    trace_seal(&w->trace);
    w->history.trace = &w->trace;
}

/* ---- dropping ---- */

/* Whether the gap can concern no later cut: twice the skew has passed since its end. */
static bool is_settled(const struct window *w, const struct held_gap *gap, int64_t horizon)
{
    const int64_t skew = w->history.cuts.skew;
    const int64_t twice = skew > INT64_MAX / 2 ? INT64_MAX : 2 * skew;
    return horizon > gap->end && (uint64_t)horizon - (uint64_t)gap->end > (uint64_t)twice;
}

/* The latest time up to the horizon that certainly follows nothing an open gap can concern: the gap
 * itself, and receives of messages that may have been sent in it. */
static int64_t time_before_gaps(const struct window *w, const struct ingest *in, int64_t horizon)
{
    int64_t time = horizon;
    vec_each (&in->gaps, gap) {
        time = !is_settled(w, gap, horizon) && gap->begin < time ? gap->begin : time;
    }
    return time;
}

/* Raises the ends to the sends of receives before them. False when a send is not before the
 * horizon, as excessive clock differences can cause, or beyond a gap that must stay. */
static bool raise_ends(struct window *w, const struct ingest *in)
{
    while (w->raised.count > 0) {
        const struct needed need = vec_pop(&w->raised);
        const struct source *source = &in->sources[need.process];
        for (uint64_t *end = &w->end[need.process]; *end <= need.ordinal; (*end)++) {
            if (*end >= source->fed) {
                return false;
            }
            const struct held *held = source_held(source, *end);
            if (held->kind == 0) {
                return false;
            }
            if (held_sender(held) < w->process_count) {
                vec_push(&w->raised, (struct needed){need_of(in, held), held->need_process});
            }
        }
    }
    return true;
}

/* The ends are the reports that certainly precede the horizon, with their needs. A receive adds
 * needs only if its clock was behind the sender's. False when nothing can be dropped now. */
static bool find_drops(struct window *w, const struct ingest *in, int64_t horizon)
{
    const int64_t skew = w->history.cuts.skew;
    const int64_t time = time_before_gaps(w, in, horizon);
    const int64_t over = time < INT64_MIN + skew ? INT64_MIN : time - skew;
    for (uint32_t p = 0; p < w->process_count; p++) {
        const struct source *source = &in->sources[p];
        /* When checks are about one skew apart, the search starts where the last one ended. */
        w->end[p] = source_search(source, source->first, source->fed, source->fed_before, over);
        if (w->end[p] > source->first) {
            __builtin_prefetch(records_of(&in->records, source_held(source, w->end[p] - 1)));
        }
    }
    vec_clear(&w->raised);
    vec_each (&in->skewed, skewed) {
        if (skewed->ordinal < w->end[skewed->process]) {
            vec_push(&w->raised, skewed->need);
        }
    }
    return raise_ends(w, in);
}

/* The process restarts, or reports of it are missing: sets all variables that no later report has
 * set. */
static void drop_all(struct window *w, uint32_t process, bool is_open)
{
    for (uint32_t i = w->slot_first[process]; i < w->slot_first[process + 1]; i++) {
        const uint32_t slot = w->slots_of[i];
        if (!w->is_settled[slot]) {
            w->slots[slot] = SPAN_ANY;
            w->is_open[slot] = is_open;
            w->is_settled[slot] = true;
        }
    }
}

/* Moves the base to the end of the process: to the last report of each variable, searched
 * backwards. */
static void drop(struct window *w, const struct ingest *in, uint32_t process)
{
    const struct source *source = &in->sources[process];
    const struct held *last = source_held(source, w->end[process] - 1);
    const struct record *record = records_of(&in->records, last);
    w->last[process] = (struct state_history_last){.event = record->number,
                                                   .time = last->time,
                                                   .hlc_time = record->hlc_time,
                                                   .hlc_count = record->hlc_count,
                                                   .has_hlc = record->has_hlc};
    uint32_t left = w->slot_first[process + 1] - w->slot_first[process];
    for (uint32_t i = w->slot_first[process]; i < w->slot_first[process + 1]; i++) {
        w->is_settled[w->slots_of[i]] = false;
    }
    bool is_anew = false;
    for (uint64_t at = w->end[process]; (left > 0 || is_anew) && at > source->first; at--) {
        const struct held *held = source_held(source, at - 1);
        const uint32_t slot = held_slot(held);
        if (slot < REPORT_SPECIAL && !w->is_settled[slot]) {
            const struct report report = report_of(held, 0);
            w->slots[slot] = report.value;
            w->is_open[slot] = report.is_wrong;
            w->is_settled[slot] = true;
            left--;
        }
        if (slot < REPORT_SPECIAL) {
            w->is_reported[slot] = true;
        } else if (slot != REPORT_NO_SLOT) {
            drop_all(w, process, slot == REPORT_GAP);
            is_anew =
                true; /* earlier reports only say that the variable was reported at some time */
        }
    }
}

void window_drop(struct window *w, struct ingest *in, int64_t horizon)
{
    if (!find_drops(w, in, horizon)) {
        return;
    }
    for (uint32_t p = 0; p < w->process_count; p++) {
        if (w->end[p] > in->sources[p].first) {
            drop(w, in, p);
            ingest_drop(in, p, w->end[p]);
        }
    }
    size_t kept = 0;
    vec_each (&in->skewed, skewed) {
        if (skewed->ordinal >= in->sources[skewed->process].first) {
            in->skewed.at[kept++] = *skewed;
        }
    }
    in->skewed.count = kept;
}
