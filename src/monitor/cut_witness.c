#include "monitor/cut_witness.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/bits.h"
#include "monitor/overlap.h"
#include "trace/time_text.h"

static void forget(const struct state_history *h, uint32_t process, struct span *slots)
{
    for (uint32_t i = 0; i < h->bound->slots.count; i++) {
        if (h->bound->slots.at[i].process == process) {
            slots[SLOT_FIRST + i] = SPAN_ANY;
        }
    }
}

/* The number of messages in transit from one process to another in the cut: sent, and not
 * completely received. */
static int64_t messages_between(const struct state_history *h, const uint32_t *taken,
                                const struct slot *slot, struct arena *a)
{
    const struct cuts *c = &h->cuts;
    const uint32_t sent = c->first[slot->process] + taken[slot->process];
    const uint32_t received = c->first[slot->other] + taken[slot->other];
    const struct bits is_counted = bits_take(a, sent);
    int64_t count = 0;
    for (uint32_t r = received; r < c->first[slot->other + 1]; r++) {
        for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
            const uint32_t send = c->needs[n];
            if (c->process[send] == slot->process && send < sent &&
                state_history_is_send(h, send) && !bits_has(is_counted, send)) {
                bits_add(is_counted, send);
                count++;
            }
        }
    }
    return count;
}

/* The value of every slot in the cut. */
static struct span *slots_in(const struct state_history *h, const uint32_t *taken, struct arena *a)
{
    const size_t count = SLOT_FIRST + h->bound->slots.count;
    struct span *slots = arena_array(a, struct span, count);
    for (size_t i = 0; i < count; i++) {
        slots[i] = h->base == NULL ? SPAN_ANY : h->base->slots[i];
    }
    for (uint32_t p = 0; p < h->cuts.process_count; p++) {
        for (uint32_t r = h->cuts.first[p]; r < h->cuts.first[p] + taken[p]; r++) {
            if (h->reports[r].slot < REPORT_SPECIAL) {
                slots[h->reports[r].slot] = h->reports[r].value;
            } else if (h->reports[r].slot != REPORT_NO_SLOT) {
                forget(h, p, slots);
            }
        }
    }
    for (uint32_t i = 0; h->counts_messages && i < h->bound->slots.count; i++) {
        const struct slot *slot = &h->bound->slots.at[i];
        if (slot->other != UINT32_MAX && !bits_has(h->has_lost, slot->process)) {
            const int64_t on_way = messages_between(h, taken, slot, a);
            slots[SLOT_FIRST + i] = (struct span){on_way, on_way};
        }
    }
    return slots;
}

bool witness_holds(const struct state_history *h, uint32_t root, const uint32_t *taken)
{
    const struct cells *cells = &h->bound->cells;
    struct arena scratch = {0};
    struct span *results = arena_array(&scratch, struct span, cells->list.count);
    cells_evaluate(cells, slots_in(h, taken, &scratch), results);
    const bool holds = results[root].low != 0 && cuts_is_consistent(&h->cuts, taken);
    arena_release(&scratch);
    return holds;
}

/* ---- text ---- */

struct words {
    VEC(char) text;
};

static void say(struct words *w, const char *format, ...) PRINTF_LIKE(2, 3);
static void say(struct words *w, const char *format, ...)
{
    char line[400];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (int i = 0; i < size && i < (int)sizeof line - 1; i++) {
        vec_push(&w->text, line[i]);
    }
}

static void say_values(struct words *w, const struct state_history *h, const struct spec *s,
                       uint32_t process, const struct span *slots)
{
    for (uint32_t i = 0; i < h->bound->slots.count; i++) {
        const struct slot *slot = &h->bound->slots.at[i];
        if (slot->process != process || slot->other != UINT32_MAX) {
            continue;
        }
        const struct span value = slots[SLOT_FIRST + i];
        const char *name = names_text(&s->names, slot->variable);
        if (span_is_known(value)) {
            say(w, " %s = %lld,", name, (long long)value.low);
        } else {
            say(w, " %s not reported,", name);
        }
    }
}

static uint64_t number_of(const struct state_history *h, event_id id)
{
    return h->numbers == NULL ? id : h->numbers[id];
}

/* The last report of a process that a cut has, one of the history. */
static struct state_history_last last_of(const struct state_history *h, uint32_t report)
{
    const event_id id = h->reports[report].event;
    const struct event *e = trace_at(h->trace, id);
    const bool is_computed =
        h->stamps != NULL && (e->has & HAS_HLC) == 0 && (e->has & HAS_TIME) != 0;
    return (struct state_history_last){.event = number_of(h, id),
                                       .time = h->cuts.time[report],
                                       .hlc_time = is_computed ? h->stamps[id].time : e->hlc_time,
                                       .hlc_count =
                                           is_computed ? h->stamps[id].count : e->hlc_count,
                                       .has_hlc = h->reports[report].slot != REPORT_GAP &&
                                                  (is_computed || (e->has & HAS_HLC) != 0)};
}

static void say_moment(struct words *w, const struct state_history *h, uint32_t process,
                       uint32_t taken)
{
    const struct cuts *c = &h->cuts;
    const uint32_t next = c->first[process] + taken;
    const bool is_last = next == c->first[process + 1];
    const bool has_base =
        taken == 0 && h->base != NULL && h->base->last[process].event != UINT64_MAX;
    if (taken == 0 && !has_base) {
        say(w, " before its first report");
        return;
    }
    const struct state_history_last last = has_base ? h->base->last[process] : last_of(h, next - 1);
    const bool is_gap = !has_base && h->reports[next - 1].slot == REPORT_GAP;
    say(w, is_gap ? " among what is missing before event %llu" : " after event %llu",
        (unsigned long long)last.event);
    if (last.has_hlc) {
        say(w, " (l %lld, c %lu)", (long long)last.hlc_time, (unsigned long)last.hlc_count);
    }
    if (h->has_times && last.time == INT64_MIN) {
        say(w, ", which has no time");
    } else if (h->has_times) {
        char time[TIME_TEXT_SIZE];
        time_text(time, last.time, h->trace->tables.tick_ns);
        say(w, ", time %s", time);
        if (is_last) {
            say(w, " to the end");
        } else {
            time_text(time, c->time[next], h->trace->tables.tick_ns);
            say(w, " to %s", time);
        }
    }
}

/* The first few messages in transit in the cut, sent but not received. Each is named by its own
 * name, or by its event when it has none. */
enum { MESSAGES_NAMED = 8 };

struct crossing {
    struct words named;
    uint64_t count;
};

/* Counts one more message; true when the text names it. */
static bool cross(struct crossing *c)
{
    if (c->count++ >= MESSAGES_NAMED) {
        return false;
    }
    say(&c->named, "%s", c->count == 1 ? ":" : ",");
    return true;
}

static void say_crossing(struct words *w, const struct crossing *c)
{
    vec_each (&c->named.text, letter) {
        vec_push(&w->text, *letter);
    }
    if (c->count > MESSAGES_NAMED) {
        say(w, " and %llu more", (unsigned long long)(c->count - MESSAGES_NAMED));
    }
}

static void cross_within(struct crossing *crossing, const struct state_history *h, uint32_t send,
                         uint32_t receive)
{
    const struct cuts *c = &h->cuts;
    const struct event *e = trace_at(h->trace, h->reports[send].event);
    if (!cross(crossing)) {
        return;
    }
    if (e->message != 0) {
        say(&crossing->named, " %s", trace_name(h->trace, e->message));
    } else {
        say(&crossing->named, " event %llu",
            (unsigned long long)number_of(h, h->reports[send].event));
    }
    say(&crossing->named, " (%s to %s)", *vec_at(&h->processes, c->process[send]),
        *vec_at(&h->processes, c->process[receive]));
}

/* Whether the cut has the report of the process. */
static bool is_taken(const struct state_history *h, const uint32_t *taken, uint32_t process,
                     uint32_t report)
{
    return report < h->cuts.first[process] + taken[process];
}

/* A message that arrives in pieces is named once for each receiver. */
static void find_within(struct crossing *crossing, const struct state_history *h,
                        const uint32_t *taken)
{
    const struct cuts *c = &h->cuts;
    const uint32_t report_count = cuts_report_count(c);
    struct arena scratch = {0};
    uint32_t *named_for = arena_array(&scratch, uint32_t, report_count); /* process, and one more */
    for (uint32_t r = 0; r < report_count; r++) {
        const bool is_after = !is_taken(h, taken, c->process[r], r);
        for (uint32_t n = c->need_first[r]; is_after && n < c->need_first[r + 1]; n++) {
            const uint32_t send = c->needs[n];
            if (is_taken(h, taken, c->process[send], send) && state_history_is_send(h, send) &&
                named_for[send] != c->process[r] + 1) {
                named_for[send] = c->process[r] + 1;
                cross_within(crossing, h, send, r);
            }
        }
    }
    arena_release(&scratch);
}

static void find_passing(struct crossing *on_way, struct crossing *lost,
                         const struct state_history *h, const uint32_t *taken)
{
    vec_each (&h->passing, m) {
        const bool is_sent = m->send == UINT32_MAX || is_taken(h, taken, m->from, m->send);
        const bool is_received = m->to != UINT32_MAX && m->receive != UINT32_MAX &&
                                 is_taken(h, taken, m->to, m->receive);
        if (!is_sent || is_received) {
            continue;
        }
        const char *from = *vec_at(&h->processes, m->from);
        if (m->to != UINT32_MAX && cross(on_way)) {
            say(&on_way->named, " %s (%s to %s)", trace_name(h->trace, m->name), from,
                *vec_at(&h->processes, m->to));
        } else if (m->to == UINT32_MAX && cross(lost)) {
            say(&lost->named, " %s (from %s)", trace_name(h->trace, m->name), from);
        }
    }
}

static void say_messages(struct words *w, const struct state_history *h, const uint32_t *taken)
{
    struct crossing on_way = {0};
    struct crossing lost = {0};
    find_within(&on_way, h, taken);
    find_passing(&on_way, &lost, h, taken);
    say(w, "%llu message%s on the way", (unsigned long long)on_way.count,
        on_way.count == 1 ? "" : "s");
    say_crossing(w, &on_way);
    if (lost.count > 0) {
        say(w, "; %llu sent and not received so far", (unsigned long long)lost.count);
        say_crossing(w, &lost);
    }
    vec_release(&on_way.named.text);
    vec_release(&lost.named.text);
}

const char *witness_text(const struct state_history *h, const struct spec *s, const uint32_t *taken,
                         struct findings *f)
{
    struct arena scratch = {0};
    struct words w = {0};
    const struct span *slots = slots_in(h, taken, &scratch);
    for (uint32_t p = 0; p < h->cuts.process_count; p++) {
        say(&w, "%s:", *vec_at(&h->processes, p));
        say_values(&w, h, s, p, slots);
        say_moment(&w, h, p, taken[p]);
        say(&w, "\n");
    }
    say_messages(&w, h, taken);
    const char *text = arena_text(&f->arena, w.text.at, w.text.count);
    vec_release(&w.text);
    arena_release(&scratch);
    return text;
}

/* The slots that the formula reads. */
static struct bits slots_of(const struct state_history *h, uint32_t root, struct arena *a)
{
    const struct cells *cells = &h->bound->cells;
    const struct bits reads = bits_take(a, SLOT_FIRST + h->bound->slots.count);
    const struct bits is_used = bits_take(a, cells->list.count);
    bits_add(is_used, root);
    cells_mark_below(cells, is_used);
    for (size_t i = 0; i <= root; i++) {
        if (bits_has(is_used, i) && cells->list.at[i].op == CELL_SLOT) {
            bits_add(reads, cells->list.at[i].left);
        }
    }
    return reads;
}

struct bits witness_processes(const struct state_history *h, uint32_t root, struct arena *a)
{
    const struct bits reads = slots_of(h, root, a);
    const struct bits processes = bits_take(a, h->cuts.process_count);
    for (uint32_t i = 0; i < h->bound->slots.count; i++) {
        if (bits_has(reads, SLOT_FIRST + i)) {
            bits_add(processes, h->bound->slots.at[i].process);
        }
    }
    return processes;
}

static void list_values(struct finding_state *state, const struct state_history *h,
                        const struct spec *s, uint32_t process, const struct span *slots,
                        struct findings *f)
{
    struct finding_value *values =
        arena_array(&f->arena, struct finding_value, h->bound->slots.count + 1);
    for (uint32_t i = 0; i < h->bound->slots.count; i++) {
        const struct slot *slot = &h->bound->slots.at[i];
        const struct span value = slots[SLOT_FIRST + i];
        if (slot->process == process && slot->other == UINT32_MAX && span_is_known(value)) {
            values[state->value_count++] = (struct finding_value){
                .name = findings_text(f, "%s", names_text(&s->names, slot->variable)),
                .value = value.low};
        }
    }
    state->values = values;
}

struct finding_state *witness_states(const struct state_history *h, const struct spec *s,
                                     const uint32_t *taken, struct findings *f)
{
    struct arena scratch = {0};
    const struct span *slots = slots_in(h, taken, &scratch);
    struct finding_state *states =
        arena_array(&f->arena, struct finding_state, h->cuts.process_count + 1);
    for (uint32_t p = 0; p < h->cuts.process_count; p++) {
        const struct overlap_state state = overlap_state(h, p, taken[p]);
        states[p] = (struct finding_state){
            .process = findings_text(f, "%s", *vec_at(&h->processes, p)),
            .has_from = h->has_times && state.has_entered,
            .has_to = h->has_times && state.has_left,
            .from = state.entered,
            .to = state.left,
        };
        list_values(&states[p], h, s, p, slots, f);
    }
    arena_release(&scratch);
    return states;
}

struct witness_events witness_events(const struct state_history *h, uint32_t root,
                                     const uint32_t *taken, uint32_t input, struct findings *f)
{
    struct arena scratch = {0};
    const struct bits reads = slots_of(h, root, &scratch);
    event_id *last = arena_array(&scratch, event_id, SLOT_FIRST + h->bound->slots.count);
    for (size_t i = 0; i < SLOT_FIRST + h->bound->slots.count; i++) {
        last[i] = EVENT_NONE;
    }
    for (uint32_t p = 0; p < h->cuts.process_count; p++) {
        for (uint32_t r = h->cuts.first[p]; r < h->cuts.first[p] + taken[p]; r++) {
            if (h->reports[r].slot < REPORT_SPECIAL) {
                last[h->reports[r].slot] = h->reports[r].event;
            }
        }
    }
    struct witness_events events = {
        .at = arena_array(&f->arena, struct finding_event, h->bound->slots.count)};
    for (size_t i = SLOT_FIRST; i < SLOT_FIRST + h->bound->slots.count; i++) {
        if (bits_has(reads, i) && last[i] != EVENT_NONE) {
            events.at[events.count] = findings_event(f, h->trace, last[i], input);
            events.at[events.count++].index = number_of(h, last[i]);
        }
    }
    arena_release(&scratch);
    return events;
}
