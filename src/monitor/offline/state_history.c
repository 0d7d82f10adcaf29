#include "monitor/offline/state_history.h"

#include <stdio.h>
#include <string.h>

#include "base/quoted_text.h"
#include "monitor/sequence_numbers.h"
#include "order/hb.h"
#include "order/hlc_stamps.h"
#include "order/message.h"
#include "wire/kind.h"

void state_history_release(struct state_history *h)
{
    arena_release(&h->arena);
    arena_release(&h->scratch);
    vec_release(&h->processes);
    vec_release(&h->process_of);
    map_release(&h->column_of);
    vec_release(&h->columns);
    vec_release(&h->gaps);
    vec_release(&h->orphans);
    vec_release(&h->passing);
}

struct building {
    struct state_history *h;
    const struct spec *spec;
    const struct state_history_options *options;
    struct notes *notes;
    struct edges edges;
    struct map slot_of; /* (process, name in the trace) to slot */
    struct sequence sequence;
    struct bits is_end;    /* per event: of a message between two processes */
    struct bits is_orphan; /* per event: a receive whose send is missing or was left out */
    bool *has_begun;       /* per process: some of its events were visited */
    int64_t *heard;        /* per process: the latest time among them; INT64_MIN: none has a time */
    struct bits is_back;   /* per process: its clock has gone back and not yet caught up */
    uint32_t *report_of;   /* per event */
    uint64_t untimed;      /* reports */
};

static uint32_t process_of(const struct state_history *h, event_id id)
{
    return *vec_at(&h->process_of, trace_at(h->trace, id)->task);
}

static void note_event(struct building *b, event_id id, const char *text)
{
    char place[160];
    (void)snprintf(place, sizeof place, "event %u", id);
    notes_add(b->notes, place, "%s", text);
}

/* Maps the names that the trace has for variables to slots. */
static void find_slots(struct building *b)
{
    const struct names *names = &b->h->trace->tables.names;
    const struct bound *bound = b->h->bound;
    for (uint32_t i = 0; i < bound->slots.count; i++) {
        const struct slot *slot = &bound->slots.at[i];
        if (slot->other == UINT32_MAX) {
            const char *text = names_text(&b->spec->names, slot->variable);
            const uint32_t name = names_find(names, text, strlen(text));
            if (name != 0) {
                map_put(&b->slot_of, map_pair(slot->process, name), SLOT_FIRST + i);
            }
        }
    }
}

static uint32_t slot_of_event(const struct building *b, const struct event *e, uint32_t process)
{
    if (e->kind == EVENT_PROCESS_CRASH ||
        (e->kind == EVENT_PROCESS_START && b->has_begun[process])) {
        return REPORT_RESET;
    }
    if (e->kind != EVENT_VARIABLE && e->kind != EVENT_VARIABLE_DELETE) {
        return REPORT_NO_SLOT;
    }
    const uint32_t *slot = map_get(&b->slot_of, map_pair(process, e->object));
    return slot == NULL ? REPORT_NO_SLOT : *slot;
}

/* Finds receives without a send, which may be among the missing reports. */
static void find_orphans(struct building *b, const struct messages *messages)
{
    const struct trace *t = b->h->trace;
    for (event_id id = 0; b->sequence.gaps > 0 && id < t->events.count; id++) {
        if (trace_at(t, id)->kind == EVENT_RECV && !bits_has(b->sequence.is_left_out, id) &&
            message_of_receive(messages, id) == MESSAGE_NONE) {
            bits_add(b->is_orphan, id);
        }
    }
}

/* Finds the processes that sent a message nobody received, or may have: reports of it are missing.
 */
static void find_lost(struct building *b, struct bits is_received)
{
    struct state_history *h = b->h;
    h->has_lost = bits_take(&h->arena, h->processes.count);
    h->counts_messages = true;
    for (event_id id = 0; id < h->trace->events.count; id++) {
        const bool is_lost =
            trace_at(h->trace, id)->kind == EVENT_SEND && !bits_has(is_received, id);
        const uint32_t p = process_of(h, id);
        if (is_lost || bits_has(b->sequence.is_after_gap, id) || bits_has(b->is_back, p)) {
            bits_add(h->has_lost, p);
        }
    }
}

/* ---- reused names of messages ---- */

/* The sends of a name, and whether one was listed while another was in transit. */
struct name_use {
    VEC(event_id) sends;
    bool is_on_the_way, is_ambiguous;
};

static bool is_named(const struct event *e, enum event_kind kind)
{
    return e->kind == kind && e->message != 0 && !message_is_stream(e);
}

/* When several messages share a name, it is unknown which of them was received. A cut with the
 * receive is certain if it has all candidate sends; a cut ruled out by this is in doubt. */
static void find_reused(struct building *b)
{
    struct state_history *h = b->h;
    struct name_use *uses =
        arena_array(&h->arena, struct name_use, h->trace->tables.names.list.count);
    for (event_id id = 0; id < h->trace->events.count; id++) {
        const struct event *e = trace_at(h->trace, id);
        if (is_named(e, EVENT_SEND)) {
            struct name_use *use = &uses[e->message];
            use->is_ambiguous |= use->is_on_the_way;
            use->is_on_the_way = true;
            vec_push(&use->sends, id);
        } else if (is_named(e, EVENT_RECV)) {
            uses[e->message].is_on_the_way = false;
        }
    }
    for (event_id id = 0; id < h->trace->events.count; id++) {
        const struct event *e = trace_at(h->trace, id);
        if (!is_named(e, EVENT_RECV) || !uses[e->message].is_ambiguous) {
            continue;
        }
        h->doubts++;
        note_event(b, id,
                   "a message with a name that several have: which of them is received is "
                   "not known");
        vec_each (&uses[e->message].sends, send) {
            edges_add(&b->edges, *send, id, EDGE_MESSAGE);
        }
    }
    for (size_t i = 0; i < h->trace->tables.names.list.count; i++) {
        vec_release(&uses[i].sends);
    }
}

static void find_messages(struct building *b)
{
    struct state_history *h = b->h;
    struct messages messages;
    messages_build(&messages, h->trace, &b->edges, &h->arena, b->notes);
    find_reused(b);
    b->is_end = bits_take(&h->arena, h->trace->events.count);
    b->is_orphan = bits_take(&h->arena, h->trace->events.count);
    size_t kept = 0;
    const struct bits is_received = bits_take(&h->arena, h->trace->events.count);
    vec_each (&b->edges.list, edge) {
        const bool is_between = process_of(h, edge->from) != process_of(h, edge->to) &&
                                !bits_has(b->sequence.is_left_out, edge->to);
        bits_add(is_received, edge->from);
        if (is_between && bits_has(b->sequence.is_left_out, edge->from)) {
            bits_add(b->is_orphan, edge->to);
        } else if (is_between) {
            bits_add(b->is_end, edge->from);
            bits_add(b->is_end, edge->to);
            b->edges.list.at[kept++] = *edge;
        }
    }
    b->edges.list.count = kept;
    find_lost(b, is_received);
    find_orphans(b, &messages);
}

static struct span value_of(const struct event *e)
{
    return e->kind == EVENT_VARIABLE && (e->has & HAS_VALUE) != 0
               ? (struct span){e->value, e->value}
               : SPAN_ANY;
}

/* Whether the event sets a variable to a value that is no number. */
static bool is_wrong(struct building *b, event_id id, const struct event *e)
{
    const bool is = e->kind == EVENT_VARIABLE && (e->has & HAS_VALUE) == 0;
    if (is) {
        note_event(b, id, "a value that is no number may be anything");
    }
    return is;
}

/* Computes hybrid logical clocks where a trace has times but not all hybrid ones; recordings have
 * none. */
static void find_stamps(struct building *b)
{
    struct state_history *h = b->h;
    bool has_all = true;
    bool has_times = false;
    trace_each (h->trace, e) {
        has_all = has_all && (e->has & HAS_HLC) != 0;
        has_times = has_times || (e->has & HAS_TIME) != 0;
    }
    if (has_times && !has_all) {
        const struct hlc_processes processes = {h->process_of.at, (uint32_t)h->processes.count,
                                                &b->edges, b->sequence.order};
        h->stamps = hlc_build(h->trace, &processes, &h->arena);
    }
}

/* INT64_MIN: it has no time. */
static int64_t time_of(const struct building *b, event_id id)
{
    const struct event *e = trace_at(b->h->trace, id);
    const bool is_logical = b->options->is_logical || (e->has & HAS_TIME) == 0;
    if (b->options->is_logical && b->h->stamps != NULL && (e->has & HAS_TIME) != 0) {
        return b->h->stamps[id].time;
    }
    if ((e->has & (is_logical ? HAS_HLC : HAS_TIME)) == 0) {
        return INT64_MIN;
    }
    return is_logical ? e->hlc_time : e->time;
}

/* The time of the event. Without skew only the order within a process counts, for all clocks. */
static int64_t hear(struct building *b, uint32_t p, event_id id)
{
    const int64_t time = time_of(b, id);
    b->heard[p] = time >= b->heard[p] ? time : b->heard[p];
    return time == INT64_MIN ? INT64_MIN : b->heard[p];
}

/* ---- clocks that go back ---- */

/* The events of a process so far whose times are trusted. */
struct believed {
    VEC(event_id) events;
    int64_t latest; /* that its clock has shown */
    bool is_back;
};

/* When a clock goes back, it is unknown which of its times were wrong: times that it shows twice
 * are no times at all. Reports at those times count as missing. */
static void go_back(struct building *b, struct believed *p, int64_t time)
{
    while (p->events.count > 0 && time_of(b, *vec_last(&p->events)) > time) {
        bits_add(b->sequence.is_left_out, vec_pop(&p->events));
    }
}

static void believe(struct building *b, struct believed *p, event_id id)
{
    const int64_t time = time_of(b, id);
    if (time == INT64_MIN || bits_has(b->sequence.is_left_out, id)) {
        return;
    }
    if (time < p->latest) {
        note_event(b, id,
                   "a clock that goes back: what was reported at the times that it shows again "
                   "counts as missing");
        go_back(b, p, time);
        bits_add(b->sequence.is_left_out, id);
        b->sequence.gaps++;
        p->is_back = true;
        return;
    }
    if (p->is_back) {
        bits_add(b->sequence.is_after_gap, id);
    }
    p->is_back = false;
    p->latest = time;
    vec_push(&p->events, id);
}

static void find_backward(struct building *b)
{
    struct state_history *h = b->h;
    const uint32_t count = (uint32_t)h->processes.count;
    struct believed *processes = arena_array(&h->arena, struct believed, count);
    b->is_back = bits_take(&h->arena, count);
    for (uint32_t p = 0; p < count; p++) {
        processes[p].latest = INT64_MIN;
    }
    const bool has_clocks = b->options->skew != INT64_MAX && !b->options->is_logical;
    for (event_id i = 0; i < h->trace->events.count && has_clocks; i++) {
        const event_id id = sequence_at(&b->sequence, i);
        believe(b, &processes[process_of(h, id)], id);
    }
    for (uint32_t p = 0; p < count; p++) {
        if (processes[p].is_back) {
            bits_add(b->is_back, p);
        }
        vec_release(&processes[p].events);
    }
}

/* The role of the event among the reports: none, one, or one with a gap before it. */
struct role {
    uint32_t slot;
    bool is_report, is_after_gap, is_left_out;
};

static struct role role_of(struct building *b, event_id id, uint32_t process)
{
    struct role role = {.slot = REPORT_NO_SLOT,
                        .is_left_out = bits_has(b->sequence.is_left_out, id)};
    if (!role.is_left_out) {
        role.slot = slot_of_event(b, trace_at(b->h->trace, id), process);
        role.is_report =
            role.slot != REPORT_NO_SLOT || bits_has(b->is_end, id) || bits_has(b->is_orphan, id);
        role.is_after_gap = bits_has(b->sequence.is_after_gap, id);
        b->has_begun[process] = true;
    }
    return role;
}

static void count_reports(struct building *b, uint32_t *first)
{
    const struct trace *t = b->h->trace;
    for (event_id i = 0; i < t->events.count; i++) {
        const event_id id = sequence_at(&b->sequence, i);
        const uint32_t p = process_of(b->h, id);
        const struct role role = role_of(b, id, p);
        first[p + 1] += (uint32_t)role.is_report + (uint32_t)role.is_after_gap;
    }
    for (uint32_t p = 0; p < b->h->processes.count; p++) {
        first[p + 1] += bits_has(b->is_back, p);
    }
    memset(b->has_begun, 0, b->h->processes.count * sizeof *b->has_begun);
}

struct filling {
    struct report *reports;
    int64_t *time;
    uint32_t *process;
    const uint32_t *first;
    uint32_t *next; /* per process */
};

static uint32_t add_report(struct filling *f, uint32_t p, const struct report *report, int64_t time)
{
    const uint32_t r = f->next[p]++;
    f->reports[r] = *report;
    f->process[r] = p;
    f->time[r] = r > f->first[p] && time < f->time[r - 1] ? f->time[r - 1] : time;
    return r;
}

/* The gap lies between the last event of the process and the current one. */
static void add_gap(struct building *b, struct filling *f, event_id id, struct gap gap)
{
    const struct report report = {.event = id, .slot = REPORT_GAP, .value = SPAN_ANY};
    gap.report = add_report(f, gap.process, &report, gap.begin);
    gap.begin = f->time[gap.report];
    vec_push(&b->h->gaps, gap);
}

static void add_event(struct building *b, struct filling *f, uint32_t p, event_id id, uint32_t slot,
                      int64_t time)
{
    struct state_history *h = b->h;
    const struct event *e = trace_at(h->trace, id);
    const bool is_value = slot < REPORT_SPECIAL;
    const struct report report = {.event = id,
                                  .slot = slot,
                                  .is_wrong = is_value && is_wrong(b, id, e),
                                  .value = is_value ? value_of(e) : SPAN_ANY};
    const uint32_t r = add_report(f, p, &report, time);
    b->report_of[id] = r;
    if (bits_has(b->is_orphan, id)) {
        const struct orphan orphan = {p, id, time == INT64_MIN ? INT64_MAX : f->time[r]};
        vec_push(&h->orphans, orphan);
    }
}

/* Lays the reports out, process by process; two passes, so that nothing is sorted. */
static void fill_reports(struct building *b)
{
    struct state_history *h = b->h;
    const struct trace *t = h->trace;
    const uint32_t process_count = (uint32_t)h->processes.count;
    uint32_t *first = arena_array(&h->arena, uint32_t, process_count + 1);
    struct filling f = {.first = first, .next = arena_array(&h->arena, uint32_t, process_count)};
    count_reports(b, first);
    for (uint32_t p = 0; p < process_count; p++) {
        first[p + 1] += first[p];
        f.next[p] = first[p];
    }
    const uint32_t count = first[process_count];
    f.reports = arena_array(&h->arena, struct report, count);
    f.time = arena_array(&h->arena, int64_t, count);
    f.process = arena_array(&h->arena, uint32_t, count);
    b->report_of = arena_array(&h->arena, uint32_t, t->events.count);
    b->heard = arena_array(&h->arena, int64_t, process_count);
    event_id *last = arena_array(&h->arena, event_id, process_count);
    for (uint32_t p = 0; p < process_count; p++) {
        b->heard[p] = INT64_MIN;
    }
    for (event_id i = 0; i < t->events.count; i++) {
        const event_id id = sequence_at(&b->sequence, i);
        const uint32_t p = process_of(h, id);
        const struct role role = role_of(b, id, p);
        last[p] = id;
        const int64_t before = b->heard[p];
        const int64_t time = role.is_left_out ? INT64_MIN : hear(b, p, id);
        if (role.is_after_gap) {
            const int64_t end = time == INT64_MIN ? INT64_MAX : time;
            add_gap(b, &f, id, (struct gap){.process = p, .begin = before, .end = end});
        }
        if (role.is_report) {
            add_event(b, &f, p, id, role.slot, time);
        }
        if (role.is_report || role.is_after_gap) {
            h->has_times = h->has_times || time != INT64_MIN;
            b->untimed += time == INT64_MIN;
        }
    }
    for (uint32_t p = 0; p < process_count; p++) {
        if (bits_has(b->is_back, p)) {
            const struct gap rest = {.process = p, .begin = b->heard[p], .end = INT64_MAX};
            add_gap(b, &f, last[p], rest);
        }
    }
    h->reports = f.reports;
    h->cuts = (struct cuts){.process_count = process_count,
                            .first = first,
                            .time = f.time,
                            .process = f.process,
                            .skew = b->options->skew};
}

static void fill_needs(struct building *b)
{
    struct state_history *h = b->h;
    const uint32_t count = cuts_report_count(&h->cuts);
    uint32_t *first = arena_array(&h->arena, uint32_t, count + 1);
    uint32_t *next = arena_array(&h->arena, uint32_t, count);
    uint32_t *needs = arena_array(&h->arena, uint32_t, b->edges.list.count);
    vec_each (&b->edges.list, edge) {
        first[b->report_of[edge->to] + 1]++;
    }
    for (uint32_t r = 0; r < count; r++) {
        first[r + 1] += first[r];
        next[r] = first[r];
    }
    vec_each (&b->edges.list, edge) {
        needs[next[b->report_of[edge->to]]++] = b->report_of[edge->from];
    }
    h->cuts.need_first = first;
    h->cuts.needs = needs;
}

/* ---- the whole history ---- */

void state_history_note_unreported(const struct state_history *h, const struct spec *s,
                                   const struct slot *slot, struct notes *n)
{
    const char *name = names_text(&s->names, slot->variable);
    notes_add(n, *vec_at(&h->processes, slot->process), "nobody reports the variable %s",
              shown(name, strlen(name)).text);
}

static void find_reported(const struct building *b)
{
    struct state_history *h = b->h;
    h->is_reported = bits_take(&h->arena, SLOT_FIRST + h->bound->slots.count);
    for (uint32_t r = 0; r < cuts_report_count(&h->cuts); r++) {
        if (h->reports[r].slot < REPORT_SPECIAL) {
            bits_add(h->is_reported, h->reports[r].slot);
        }
    }
    for (uint32_t i = 0; i < h->bound->slots.count; i++) {
        const struct slot *slot = &h->bound->slots.at[i];
        if (slot->other == UINT32_MAX && !bits_has(h->is_reported, SLOT_FIRST + i)) {
            state_history_note_unreported(h, b->spec, slot, b->notes);
        }
    }
}

/* A process is a sequence of states. Where several of its tasks report, the sequence is the order
 * of the run. If nothing orders two successive reports, another order was possible. */
static void find_threads(struct building *b)
{
    struct state_history *h = b->h;
    const struct cuts *c = &h->cuts;
    VEC(uint32_t) changes = {0}; /* reports whose task differs from that of the previous one */
    for (uint32_t p = 0; p < c->process_count; p++) {
        for (uint32_t r = c->first[p] + 1; r < c->first[p + 1]; r++) {
            if (trace_at(h->trace, h->reports[r].event)->task !=
                trace_at(h->trace, h->reports[r - 1].event)->task) {
                vec_push(&changes, r);
            }
        }
    }
    if (changes.count > 0) {
        struct hb hb;
        struct notes notes = {0};
        struct err e;
        const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_ALL};
        const int built = hb_build(&hb, h->trace, &options, &notes, &e);
        must(built == 0); /* it fails on user-supplied orders only */
        vec_each (&changes, r) {
            const event_id before = h->reports[*r - 1].event;
            const event_id event = h->reports[*r].event;
            if (before != event && !hb_is_before(&hb, before, event)) {
                h->has_threads = true;
                note_event(b, event,
                           "a report of a thread that nothing orders after the one "
                           "before it, of another thread of its process");
            }
        }
        hb_release(&hb);
        notes_release(&notes);
    }
    vec_release(&changes);
}

static void note_untimed(struct building *b)
{
    struct state_history *h = b->h;
    if (b->untimed > 0 && b->options->skew != INT64_MAX) {
        h->doubts += h->has_times ? b->untimed : 0;
        notes_add_many(b->notes, b->untimed, "",
                       h->has_times ? "an event without a time among others that have one"
                                    : "an event without a time: the skew rules nothing out");
    }
}

/* Finds clocks that differ by more than the skew: messages that arrive before they were sent, and
 * hybrid clocks ahead of their process. */
static void note_skew(struct building *b)
{
    struct state_history *h = b->h;
    const int64_t skew = b->options->skew;
    if (skew == INT64_MAX || b->options->is_logical) {
        return;
    }
    vec_each (&b->edges.list, edge) {
        const struct event *from = trace_at(h->trace, edge->from);
        const struct event *to = trace_at(h->trace, edge->to);
        if ((from->has & to->has & HAS_TIME) != 0 && cuts_is_over(&h->cuts, to->time, from->time)) {
            h->doubts++;
            note_event(b, edge->to,
                       "a message that arrived before it was sent, by more than the skew");
        }
    }
    for (event_id id = 0; id < h->trace->events.count; id++) {
        const struct event *e = trace_at(h->trace, id);
        if ((e->has & HAS_TIME) != 0 && (e->has & HAS_HLC) != 0 &&
            !bits_has(b->sequence.is_left_out, id) &&
            cuts_is_over(&h->cuts, e->time, e->hlc_time)) {
            h->doubts++;
            note_event(b, id, "a hybrid clock that is ahead of its process by more than the skew");
        }
    }
}

void state_history_build(struct state_history *h, const struct spec *s, const struct bound *b,
                         const struct state_history_options *o, struct notes *n)
{
    h->bound = b;
    struct building building = {.h = h,
                                .spec = s,
                                .options = o,
                                .notes = n,
                                .has_begun = arena_array(&h->arena, bool, h->processes.count)};
    building.sequence =
        sequence_build(h->trace, h->process_of.at, (uint32_t)h->processes.count, &h->arena, n);
    find_slots(&building);
    find_backward(&building);
    find_messages(&building);
    find_stamps(&building);
    fill_reports(&building);
    fill_needs(&building);
    state_history_find_changes(h);
    state_history_find_owners(h);
    find_reported(&building);
    find_threads(&building);
    note_untimed(&building);
    note_skew(&building);
    edges_release(&building.edges);
    map_release(&building.slot_of);
}
