#include "monitor/online/ingest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* ---- setup ---- */

/* The variables of the specification are numbered; each process has a slot for some of them. */
static void find_slots(struct ingest *in)
{
    const struct bound *b = in->bound;
    in->variable_count = (uint32_t)in->spec->names.list.count;
    in->slot_of = mem_zero((size_t)in->process_count * in->variable_count, sizeof *in->slot_of);
    for (uint32_t i = 0; i < in->process_count * in->variable_count; i++) {
        in->slot_of[i] = REPORT_NO_SLOT;
    }
    for (uint32_t i = 0; i < b->slots.count; i++) {
        const struct slot *slot = &b->slots.at[i];
        if (slot->other == UINT32_MAX) {
            in->slot_of[slot->process * in->variable_count + slot->variable] = SLOT_FIRST + i;
        }
    }
}

void ingest_init(struct ingest *in, const struct state_history *processes, const struct spec *s,
                 const struct tables *t, struct notes *n)
{
    in->spec = s;
    in->bound = processes->bound;
    in->tables = t;
    in->notes = n;
    in->process_count = (uint32_t)processes->processes.count;
    in->sources = mem_zero(in->process_count, sizeof *in->sources);
    in->numbered = mem_zero(in->process_count, sizeof *in->numbered);
    in->early = mem_zero(in->process_count, sizeof *in->early);
    in->newest = in->decided = INT64_MIN;
    for (uint32_t p = 0; p < in->process_count; p++) {
        source_init(&in->sources[p], &in->rings);
    }
    records_init(&in->records);
    for (uint32_t task = 0; task < processes->process_of.count; task++) {
        const uint32_t node = t->tasks.at[task].node;
        const uint32_t process = processes->process_of.at[task];
        vec_push(&in->process_of, process);
        if (node != 0) {
            map_put(&in->process_at, node, process);
        }
    }
    find_slots(in);
}

void ingest_meet(struct ingest *in, uint32_t task)
{
    while (in->process_of.count <= task) {
        const uint32_t node = vec_at(&in->tables->tasks, in->process_of.count)->node;
        const uint32_t *process = node == 0 ? NULL : map_get(&in->process_at, node);
        vec_push(&in->process_of, process == NULL ? UINT32_MAX : *process);
    }
}

void ingest_release(struct ingest *in)
{
    rings_release(&in->rings);
    records_release(&in->records);
    mem_free(in->sources);
    mem_free(in->numbered);
    for (uint32_t p = 0; p < in->process_count; p++) {
        vec_release(&in->early[p]);
    }
    mem_free(in->early);
    mem_free(in->slot_of);
    vec_release(&in->process_of);
    map_release(&in->process_at);
    vec_release(&in->variable_of);
    vec_release(&in->sent);
    vec_release(&in->pending);
    vec_release(&in->skewed);
    vec_release(&in->gaps);
}

/* ---- classifying an event ---- */

/* Faults are rare: the function is cold, away from the common path. */
__attribute__((cold, noinline)) static void note(struct ingest *in, uint64_t number,
                                                 const char *text)
{
    char place[160];
    (void)snprintf(place, sizeof place, "event %" PRIu64, number);
    notes_add(in->notes, place, "%s", text);
}

__attribute__((cold, noinline)) static void doubt(struct ingest *in, const char *text)
{
    in->counts.doubts++;
    note(in, in->counts.events, text);
}

static uint32_t slot_of(struct ingest *in, uint32_t process, uint32_t name)
{
    must(process < in->process_count);
    while (in->variable_of.count <= name) {
        vec_push(&in->variable_of, 0);
    }
    uint32_t *known = &in->variable_of.at[name];
    if (*known == 0) {
        const struct names *names = &in->tables->names;
        const uint32_t found =
            names_find(&in->spec->names, names_text(names, name), names_size(names, name));
        *known = found == 0 ? 1 : 2 + found;
    }
    return *known == 1 ? REPORT_NO_SLOT : in->slot_of[process * in->variable_count + *known - 2];
}

/* The time of the event, as far as its clock can be trusted. INT64_MAX is reserved for horizons: a
 * report is before it. */
static int64_t believed(struct ingest *in, const struct event *e, int64_t time, int64_t frontier)
{
    if (time < frontier) {
        doubt(in, "a clock that goes back is taken to stand still");
        time = frontier;
    }
    const bool has_both = (e->has & HAS_TIME) != 0 && (e->has & HAS_HLC) != 0;
    if (has_both && !in->is_logical && e->hlc_time > time &&
        (uint64_t)e->hlc_time - (uint64_t)time > (uint64_t)in->skew) {
        doubt(in, "a hybrid clock that is ahead of its process by more than the skew");
    }
    return time < INT64_MAX ? time : INT64_MAX - 1;
}

/* ---- messages ---- */

static struct sending *sending_of(struct ingest *in, uint32_t message)
{
    while (in->sent.count <= message) {
        vec_push(&in->sent, (struct sending){0});
    }
    return &in->sent.at[message];
}

static void match(struct ingest *in, uint32_t process, uint64_t ordinal, struct sending *sending)
{
    struct held *receive = source_held(&in->sources[process], ordinal);
    must(sending->is_sent);
    must(sending->process < in->process_count);
    const bool is_own = sending->process == process;
    const uint64_t first = in->sources[sending->process].first;
    sending->is_received = true;
    receive->need_process = is_own ? NEED_NONE : sending->process;
    /* Sends that are no longer held need not be distinguished. */
    receive->need_low = (uint32_t)(sending->ordinal < first ? first - 1 : sending->ordinal);
    receive->need_time = sending->time;
    in->counts.messages += !is_own;
    if (sending->time <= receive->time || is_own) {
        return;
    }
    vec_push(&in->skewed, (struct skewed){.ordinal = ordinal,
                                          .process = process,
                                          .need = {sending->ordinal, sending->process}});
    if ((uint64_t)sending->time - (uint64_t)receive->time > (uint64_t)in->skew) {
        in->counts.doubts++;
        note(in, records_of(&in->records, receive)->number,
             "a message that arrived before it was sent, by more than the skew");
    }
}

static void match_pending(struct ingest *in, uint32_t last, struct sending *sending)
{
    for (uint32_t i = last; i != UINT32_MAX; i = in->pending.at[i].before) {
        struct waiting_receive *waiting = &in->pending.at[i];
        match(in, waiting->process, waiting->ordinal, sending);
        waiting->process = UINT32_MAX;
    }
}

static void send(struct ingest *in, uint32_t process, uint64_t ordinal, uint32_t name)
{
    struct sending *sending = sending_of(in, name);
    const uint32_t waiting = sending->is_awaited ? sending->waiting : UINT32_MAX;
    if (sending->is_sent && !sending->is_received) {
        doubt(in, "a message with the name of another that is on its way: which of them is "
                  "received, a stream does not tell");
        in->counts.unmatched++;
    }
    *sending = (struct sending){.ordinal = ordinal,
                                .time = source_held(&in->sources[process], ordinal)->time,
                                .process = process,
                                .is_sent = true};
    match_pending(in, waiting, sending);
}

/* Adds the receive to those that wait for their send, at this place of the pending list. */
static void await(struct ingest *in, struct sending *sending, size_t place,
                  struct waiting_receive waiting)
{
    waiting.before = sending->is_awaited ? sending->waiting : UINT32_MAX;
    in->pending.at[place] = waiting;
    sending->waiting = (uint32_t)place;
    sending->is_awaited = true;
}

static void receive(struct ingest *in, uint32_t process, uint64_t ordinal, uint32_t name)
{
    struct sending *sending = sending_of(in, name);
    if (sending->is_sent) {
        match(in, process, ordinal, sending);
        return;
    }
    const struct waiting_receive waiting = {.process = process, .ordinal = ordinal};
    source_held(&in->sources[process], ordinal)->need_process = NEED_PENDING;
    vec_push(&in->pending, waiting);
    await(in, sending, in->pending.count - 1, waiting);
}

/* ---- accepting ---- */

/* Makes the entry at the next place of the process a report of this event and name. */
static void hold(struct ingest *in, uint32_t process, const struct event *e, uint32_t name)
{
    struct source *source = &in->sources[process];
    struct records *records = &in->records;
    if (records->end - records->first > records->mask) {
        records_make_room(records, in->sources, in->process_count);
    }
    must(records->end - records->first <= records->mask);
    const uint64_t ordinal = source->end++;
    struct held *held = source_held(source, ordinal);
    /* The stamp of the event after a gap is not that of the gap. */
    const bool has_hlc = held->kind != 0 && (e->has & HAS_HLC) != 0;
    held->record = (uint32_t)records->end;
    records->at[records->end++ & records->mask] = (struct record){
        .number = in->counts.events,
        .hlc_time = has_hlc ? e->hlc_time : 0,
        .hlc_count = has_hlc ? e->hlc_count : 0,
        .task = e->task,
        .name = name,
        .has_hlc = has_hlc,
    };
    in->held_count++;
    in->has_threads |= ordinal > 0 && e->task != source->task;
    source->task = e->task;
    if (held->kind == EVENT_RECV) {
        receive(in, process, ordinal, name);
    } else if (held->kind == EVENT_SEND) {
        send(in, process, ordinal, name);
    }
}

void ingest_feed(struct ingest *in, int64_t horizon)
{
    for (uint32_t p = 0; p < in->process_count; p++) {
        struct source *s = &in->sources[p];
        const uint64_t near = s->fed + (s->fed - s->fed_before); /* as many as the last time */
        const uint64_t fed = source_search(s, s->fed, s->end, near, horizon);
        must(fed >= s->fed);
        s->fed_before = s->fed;
        s->fed = fed;
    }
}

void ingest_drop(struct ingest *in, uint32_t process, uint64_t ordinal)
{
    struct source *source = &in->sources[process];
    must(ordinal >= source->first);
    must(ordinal <= source->fed);
    must(in->held_count >= ordinal - source->first);
    in->held_count -= ordinal - source->first;
    source->first = ordinal;
    size_t kept = 0;
    vec_each (&in->gaps, gap) {
        if (gap->process != process || gap->ordinal >= ordinal) {
            in->gaps.at[kept++] = *gap;
        }
    }
    in->gaps.count = kept;
}

/* Holds a gap: reports are missing between these times. */
static void hold_gap(struct ingest *in, uint32_t process, const struct event *e, int64_t begin,
                     int64_t end)
{
    *source_next(&in->sources[process], &in->rings) =
        (struct held){.time = begin, .value = end, .slot = REPORT_GAP};
    vec_push(&in->gaps, (struct held_gap){.process = process,
                                          .ordinal = in->sources[process].end,
                                          .begin = begin,
                                          .end = end});
    in->counts.gaps++;
    hold(in, process, e, 0);
}

/* The position of the event among those of its process, by its number. */
static enum sequence_place check_number(struct ingest *in, uint32_t process, const struct event *e)
{
    uint32_t missing = 0;
    const enum sequence_place place = sequence_take(&in->numbered[process], e, &missing);
    if (place != SEQUENCE_NEXT) {
        sequence_note(place, in->counts.events, missing, in->notes);
    }
    return place;
}

/* Whether the event is relevant; *name is then that of its variable or message. */
static bool find_report(struct ingest *in, uint32_t process, const struct event *e,
                        struct held *held, uint32_t *name)
{
    switch (e->kind) {
    case EVENT_VARIABLE:
    case EVENT_VARIABLE_DELETE:
        *name = e->object;
        held->slot = slot_of(in, process, e->object);
        if (held->slot != REPORT_NO_SLOT && e->kind == EVENT_VARIABLE &&
            (e->has & HAS_VALUE) == 0) {
            note(in, in->counts.events, "a value that is no number may be anything");
        }
        return held->slot != REPORT_NO_SLOT;
    case EVENT_SEND:
    case EVENT_RECV:
        *name = e->message;
        if (e->message == 0) {
            doubt(in, "a message without a name, which is not matched in a stream");
            in->counts.unmatched++;
        }
        return e->message != 0;
    case EVENT_PROCESS_START: held->slot = REPORT_RESET; return in->sources[process].has_begun;
    case EVENT_PROCESS_CRASH: held->slot = REPORT_RESET; return true;
    default: return false;
    }
}

/* Notes a report without a time, or a late one. Irrelevant events may be either. */
__attribute__((cold, noinline)) static void note_time(struct ingest *in, bool is_late)
{
    in->counts.late += is_late;
    doubt(in, is_late ? "a late report: the checks that it could change were already decided"
                      : "an event without a time");
}

/* From here on the times of the process cannot be trusted. */
__attribute__((cold, noinline)) static void go_back(struct ingest *in, const struct event *e,
                                                    uint32_t process)
{
    struct source *source = &in->sources[process];
    doubt(in, "a clock that goes back: what is reported until it shows later times again counts as "
              "missing");
    if (!source->is_back) {
        hold_gap(in, process, e, source->frontier, source->frontier);
        source->is_back = true;
    }
}

static void take_known(struct ingest *in, const struct event *e, uint32_t process)
{
    struct source *source = &in->sources[process];
    const bool is_counted = (e->has & HAS_COUNT) != 0 || e->kind == EVENT_PROCESS_START;
    const enum sequence_place place = is_counted ? check_number(in, process, e) : SEQUENCE_NEXT;
    if (place == SEQUENCE_REPEATED || place == SEQUENCE_LATE) {
        return; /* its clock says nothing either */
    }
    const int64_t before = source->frontier;
    int64_t time = 0;
    const bool has_time = ingest_time(e, in->is_logical, &time);
    if (has_time && time < before && !in->is_logical && in->skew != INT64_MAX) {
        go_back(in, e, process);
        return;
    }
    time = has_time ? believed(in, e, time, source->frontier) : source->frontier;
    source->frontier = time;
    /* It keeps its place: in all later cuts that it certainly precedes. */
    const bool is_late = time < in->decided;
    if (place == SEQUENCE_GAP || source->is_back) {
        hold_gap(in, process, e, before, time);
        source->is_back = false;
    }
    in->begun = in->newest == INT64_MIN ? time : in->begun;
    in->newest = time > in->newest ? time : in->newest;
    /* Written in place: a copy would wait until an earlier write reaches distant memory. */
    struct held *held = source_next(source, &in->rings);
    uint32_t name = 0;
    held->time = time;
    held->value = e->value;
    held->slot = REPORT_NO_SLOT;
    held->wanted = 0;
    held->kind = (uint8_t)e->kind;
    held->flags = e->kind == EVENT_VARIABLE && (e->has & HAS_VALUE) != 0 ? HELD_HAS_VALUE : 0;
    const bool is_report = find_report(in, process, e, held, &name);
    if ((!has_time || is_late) && (is_report || place == SEQUENCE_GAP)) {
        note_time(in, is_late);
    }
    if (is_report) {
        hold(in, process, e, name);
    }
    source->has_begun = true;
}

/* ---- reports out of order ---- */

enum { EARLY_MAX = 4096 }; /* per process */

/* Accepts the first early reports: those that are early no longer or, with is_all, all. */
static void take_early(struct ingest *in, uint32_t process, bool is_all)
{
    early_list *early = &in->early[process];
    const uint64_t count = in->counts.events;
    size_t taken = 0;
    while (taken < early->count &&
           (is_all || sequence_ahead(&in->numbered[process], &early->at[taken].event) == 0)) {
        in->counts.events = early->at[taken].number;
        take_known(in, &early->at[taken].event, process);
        taken++;
    }
    in->counts.events = count;
    in->early_count -= taken;
    memmove(early->at, early->at + taken, (early->count - taken) * sizeof *early->at);
    early->count -= taken;
}

__attribute__((cold, noinline)) static void hold_early(struct ingest *in, const struct event *e,
                                                       uint32_t process)
{
    early_list *early = &in->early[process];
    int64_t time = 0;
    if (ingest_time(e, in->is_logical, &time)) {
        in->begun = in->newest == INT64_MIN ? time : in->begun;
        in->newest = time > in->newest ? time : in->newest;
    }
    const uint32_t ahead = sequence_ahead(&in->numbered[process], e);
    vec_push(early, (struct early){.event = *e, .number = in->counts.events});
    size_t at = early->count - 1;
    while (at > 0 && sequence_ahead(&in->numbered[process], &early->at[at - 1].event) > ahead) {
        early->at[at] = early->at[at - 1];
        at--;
    }
    early->at[at] = (struct early){.event = *e, .number = in->counts.events};
    if (at + 1 < early->count) {
        sequence_note_order(in->counts.events, in->notes);
    }
    in->early_count++;
    if (early->count > EARLY_MAX) {
        take_early(in, process, true);
    }
}

/* Gives up on missing reports: the lag has passed, or the stream has ended. */
static void settle_early(struct ingest *in, bool is_end)
{
    for (uint32_t p = 0; p < in->process_count && in->early_count > 0; p++) {
        int64_t time = 0;
        if (in->early[p].count > 0 &&
            (is_end || !ingest_time(&in->early[p].at[0].event, in->is_logical, &time) ||
             (in->lag != INT64_MAX && in->newest > time &&
              (uint64_t)in->newest - (uint64_t)time > (uint64_t)in->lag))) {
            take_early(in, p, true);
        }
    }
}

static void take_in_order(struct ingest *in, const struct event *e, uint32_t process)
{
    const bool is_counted = (e->has & HAS_COUNT) != 0;
    if (is_counted && sequence_ahead(&in->numbered[process], e) > 0) {
        hold_early(in, e, process);
        return;
    }
    if (in->early_count == 0 || in->early[process].count == 0) {
        take_known(in, e, process);
        return;
    }
    if (e->kind == EVENT_PROCESS_START) {
        take_early(in, process, true);
    } else if (is_counted) {
        sequence_note_order(in->counts.events, in->notes);
    }
    take_known(in, e, process);
    take_early(in, process, false);
}

void ingest_take(struct ingest *in, const struct event *e, uint32_t process)
{
    if (process == UINT32_MAX) {
        in->counts.strangers++;
        doubt(in, "a report of a process that was not known when the others began: left out");
        in->counts.events++;
        return;
    }
    take_in_order(in, e, process);
    in->counts.events++;
}

/* ---- names ---- */

static bool is_long_ago(const struct ingest *in, int64_t time)
{
    const uint64_t wait = (uint64_t)in->lag + 2 * (uint64_t)in->skew;
    return in->newest > time && (uint64_t)in->newest - (uint64_t)time > wait;
}

void ingest_keep_names(struct ingest *in, struct bits is_kept)
{
    for (uint32_t p = 0; p < in->process_count; p++) {
        const struct source *source = &in->sources[p];
        for (uint64_t at = source->first; at < source->end; at++) {
            bits_add(is_kept, records_of(&in->records, source_held(source, at))->name);
        }
    }
    for (uint32_t p = 0; p < in->process_count; p++) {
        vec_each (&in->early[p], early) {
            bits_add(is_kept, early->event.object);
            bits_add(is_kept, (early->event.has & HAS_PEER) != 0 ? 0 : early->event.message);
            bits_add(is_kept, early->event.text);
        }
    }
    for (size_t name = 0; name < in->sent.count; name++) {
        if (in->sent.at[name].is_sent && !is_long_ago(in, in->sent.at[name].time)) {
            bits_add(is_kept, name);
        }
        if (!bits_has(is_kept, name)) {
            in->sent.at[name] = (struct sending){0};
        }
    }
    for (size_t name = 0; name < in->variable_of.count; name++) {
        if (!bits_has(is_kept, name)) {
            in->variable_of.at[name] = 0;
        }
    }
}

/* ---- the horizon ---- */

static int64_t watermark(const struct ingest *in)
{
    int64_t least = in->newest;
    for (uint32_t p = 0; p < in->process_count; p++) {
        const int64_t frontier = in->sources[p].frontier;
        const int64_t heard = frontier == INT64_MIN ? in->begun : frontier;
        const bool is_silent = in->lag != INT64_MAX && in->newest > heard &&
                               (uint64_t)in->newest - (uint64_t)heard > (uint64_t)in->lag;
        if (frontier < least && !is_silent) {
            least = frontier;
        }
    }
    return least;
}

/* The missing send that a pending receive waits for. */
static struct sending *awaited_by(const struct ingest *in, const struct held *receive)
{
    return vec_at(&in->sent, records_of(&in->records, receive)->name);
}

/* Compacts the receives that still wait; those that waited for all sends up to the time `last` wait
 * no longer. Returns the earliest time of a waiting receive, if it is before the horizon. */
static int64_t settle_pending(struct ingest *in, int64_t last, bool is_end)
{
    int64_t horizon = last;
    size_t kept = 0;
    vec_each (&in->pending, waiting) {
        if (waiting->process != UINT32_MAX) {
            in->pending.at[kept++] = *waiting;
            awaited_by(in, source_held(&in->sources[waiting->process], waiting->ordinal))
                ->is_awaited = false;
        }
    }
    in->pending.count = kept;
    kept = 0;
    vec_each (&in->pending, waiting) {
        struct held *held = source_held(&in->sources[waiting->process], waiting->ordinal);
        if (is_end ||
            (last > held->time && (uint64_t)last - (uint64_t)held->time > (uint64_t)in->skew)) {
            held->need_process = NEED_NONE;
            held->flags |= HELD_IS_ORPHAN;
            note(in, records_of(&in->records, held)->number,
                 "a receive whose send is not in the trace");
        } else {
            await(in, awaited_by(in, held), kept++, *waiting);
            horizon = held->time < horizon ? held->time : horizon;
        }
    }
    in->pending.count = kept;
    return horizon;
}

int64_t ingest_horizon(struct ingest *in, bool is_end)
{
    settle_early(in, is_end);
    return settle_pending(in, is_end ? INT64_MAX : watermark(in), is_end);
}
