/* Every cut with a report at some time has all that was over by then, so what is over can be taken
 * for granted. A window begins at such a cut, the base, and has the cuts above it: it is the same
 * structure as the whole run, with the values at the base for its first states.
 *
 * The base must be a cut itself. What is over is one but for receives whose sends are not over; so
 * these are kept, with all that then cannot be in a cut without them. */
#include "monitor/window.h"

#include <string.h>

#include "base/mem.h"
#include "wire/kind.h"

void window_init(struct window *w, const struct chronicle *h, int64_t skew)
{
    w->chronicle = *h;
    w->process_count = (uint32_t)h->processes.count;
    const size_t slot_count = SLOT_FIRST + h->bound->slots.count;
    struct arena *a = &w->chronicle.arena;
    w->limit = arena_array(a, uint32_t, w->process_count);
    w->first = arena_array(a, uint64_t, w->process_count);
    w->slots = arena_array(a, struct span, slot_count);
    w->is_open = arena_array(a, bool, slot_count);
    w->is_reported = arena_array(a, bool, slot_count);
    w->event = arena_array(a, uint64_t, w->process_count);
    w->time = arena_array(a, int64_t, w->process_count);
    for (size_t i = 0; i < slot_count; i++) {
        w->slots[i] = SPAN_ANY;
    }
    for (uint32_t p = 0; p < w->process_count; p++) {
        w->event[p] = UINT64_MAX;
        w->time[p] = INT64_MIN;
    }
    w->base = (struct chronicle_base){w->slots, w->is_open, w->is_reported, w->event, w->time};
    w->chronicle.base = &w->base;
    w->chronicle.cuts.skew = skew;
    w->chronicle.is_reported = bits_take(a, slot_count);
    trace_init(&w->trace);
    w->mark = arena_mark(a);
}

void window_release(struct window *w)
{
    chronicle_release(&w->chronicle);
    vec_release(&w->receives);
    trace_release(&w->trace);
}

/* Reports of a process are within its limit up to the first that is not. */
static uint32_t position(const struct window *w, const struct held *held)
{
    return (uint32_t)(held->ordinal - w->first[held->process]);
}

static bool is_within(const struct window *w, const struct held *held)
{
    return position(w, held) < w->limit[held->process];
}

static bool lacks_need(const struct window *w, const struct held *held)
{
    const uint32_t sender = held->need_process;
    return sender < w->process_count && held->need_ordinal >= w->first[sender] &&
           held->need_ordinal - w->first[sender] >= w->limit[sender];
}

/* Ends the limit of a process before the report. */
static bool lower_to(struct window *w, const struct held *held)
{
    w->limit[held->process] = position(w, held);
    return true;
}

/* ---- building ---- */

/* The next that is held from here on; NULL at the end. */
static const struct held *next_held(const struct window *w, const struct intake *in, size_t *at)
{
    while (*at < in->held.count) {
        const struct held *held = &in->held.at[(*at)++];
        if (held->ordinal >= w->first[held->process]) {
            return held;
        }
    }
    return NULL;
}

/* Limits are what is before the horizon, without receives of what is not. */
static void find_limits(struct window *w, const struct intake *in, int64_t horizon)
{
    const struct held *held = NULL;
    memset(w->limit, 0, w->process_count * sizeof *w->limit);
    for (size_t at = in->head; (held = next_held(w, in, &at)) != NULL;) {
        w->limit[held->process] += held->time < horizon;
    }
    bool is_lowered = true;
    while (is_lowered) {
        is_lowered = false;
        for (size_t at = in->head; (held = next_held(w, in, &at)) != NULL;) {
            if (is_within(w, held) && lacks_need(w, held)) {
                is_lowered = lower_to(w, held);
            }
        }
    }
}

static void fill_gap(struct chronicle *h, const struct held *held, uint32_t report)
{
    if (held->slot == REPORT_GAP) {
        vec_push(&h->gaps,
                 (struct gap){held->process, report, .begin = held->time, .end = held->value});
    }
    if (held->is_orphan) {
        vec_push(&h->orphans, (struct orphan){held->process, report, held->time});
    }
}

static struct report report_of(const struct held *held, uint32_t id)
{
    const bool is_variable = held->kind == EVENT_VARIABLE;
    return (struct report){.event = id,
                           .slot = held->slot,
                           .is_wrong = is_variable && !held->has_value,
                           .value = is_variable && held->has_value
                                        ? (struct span){held->value, held->value}
                                        : SPAN_ANY};
}

void window_build(struct window *w, const struct intake *in, int64_t horizon)
{
    const struct held *held = NULL;
    struct chronicle *h = &w->chronicle;
    struct arena *a = &h->arena;
    arena_reset(a, w->mark);
    h->slot_work = NULL;
    vec_clear(&h->gaps);
    vec_clear(&h->orphans);
    find_limits(w, in, horizon);
    uint32_t *first = arena_array(a, uint32_t, w->process_count + 1);
    for (uint32_t p = 0; p < w->process_count; p++) {
        first[p + 1] = first[p] + w->limit[p];
    }
    const uint32_t count = first[w->process_count];
    struct report *reports = arena_array(a, struct report, count);
    int64_t *time = arena_array(a, int64_t, count);
    uint32_t *process = arena_array(a, uint32_t, count);
    uint64_t *numbers = arena_array(a, uint64_t, count);
    uint32_t *need_first = arena_array(a, uint32_t, count + 1);
    uint32_t *needs = arena_array(a, uint32_t, count);
    w->shown = arena_array(a, const struct held *, count);
    for (size_t at = in->head; (held = next_held(w, in, &at)) != NULL;) {
        if (!is_within(w, held)) {
            continue;
        }
        const uint32_t r = first[held->process] + position(w, held);
        reports[r] = report_of(held, r);
        time[r] = held->time;
        process[r] = held->process;
        numbers[r] = held->number;
        w->shown[r] = held;
        fill_gap(h, held, r);
    }
    for (uint32_t r = 0; r < count; r++) {
        held = w->shown[r];
        need_first[r + 1] = need_first[r];
        if (held->need_process < w->process_count &&
            held->need_ordinal >= w->first[held->need_process]) {
            needs[need_first[r + 1]++] =
                first[held->need_process] +
                (uint32_t)(held->need_ordinal - w->first[held->need_process]);
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
}

void window_assume(struct window *w, bool is_reported)
{
    struct chronicle *h = &w->chronicle;
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
    const struct bound *b = w->chronicle.bound;
    for (uint32_t i = 0; i < b->slots.count; i++) {
        if (b->slots.at[i].other == UINT32_MAX && !w->is_reported[SLOT_FIRST + i]) {
            return false;
        }
    }
    return true;
}

void window_show(struct window *w, const struct tables *t)
{
    struct chronicle *h = &w->chronicle;
    trace_release(&w->trace);
    trace_init(&w->trace);
    struct tables *shown = &w->trace.tables;
    for (uint32_t r = 0; r < cuts_report_count(&h->cuts); r++) {
        const struct held *held = w->shown[r];
        const struct task *task = vec_at(&t->tasks, held->task);
        const bool is_message = held->kind == EVENT_SEND || held->kind == EVENT_RECV;
        const uint32_t name = names_intern_text(&shown->names, names_text(&t->names, held->name));
        const struct event event = {
            .kind = held->kind != 0 ? held->kind : EVENT_LOG,
            .task = tables_task(
                shown, names_intern_text(&shown->names, names_text(&t->names, task->node)),
                names_intern_text(&shown->names, names_text(&t->names, task->name))),
            .object = is_message ? 0 : name,
            .message = is_message ? name : 0,
            .has = HAS_TIME,
            .time = held->time};
        trace_append(&w->trace, &event);
    }
    trace_seal(&w->trace);
    h->trace = &w->trace;
}

/* ---- dropping ---- */

/* Whether the report is over by the horizon; a gap and what follows it stay for as long again, so
 * that what may be missing there concerns nobody any more. */
static bool can_drop(const struct window *w, const struct held *held, int64_t horizon)
{
    const struct cuts *c = &w->chronicle.cuts;
    const int64_t twice = c->skew > INT64_MAX / 2 ? INT64_MAX : 2 * c->skew;
    return held->slot == REPORT_GAP
               ? horizon > held->value &&
                     (uint64_t)horizon - (uint64_t)held->value > (uint64_t)twice
               : cuts_is_over(c, held->time, horizon);
}

/* Lowers limits to before receives of what is beyond them, until none is. */
static void settle_receives(struct window *w, const struct intake *in, int64_t *kept)
{
    bool is_lowered = true;
    while (is_lowered) {
        is_lowered = false;
        vec_each (&w->receives, position_of) {
            const struct held *held = &in->held.at[*position_of];
            if (is_within(w, held) && lacks_need(w, held)) {
                is_lowered = lower_to(w, held);
                *kept = held->time < *kept ? held->time : *kept;
            }
        }
    }
}

/* Limits are what is over, without receives of what is not, and without what then is not in every
 * cut: `kept` is the earliest that stays, and what it is over by must stay too. That is hardly ever
 * anything. */
static void find_drops(struct window *w, const struct intake *in, int64_t horizon)
{
    const struct cuts *c = &w->chronicle.cuts;
    const struct held *held = NULL;
    int64_t kept = INT64_MAX;
    int64_t newest = INT64_MIN;
    for (uint32_t p = 0; p < w->process_count; p++) {
        w->limit[p] = UINT32_MAX;
    }
    vec_clear(&w->receives);
    for (size_t at = in->head; (held = next_held(w, in, &at)) != NULL;) {
        if (!is_within(w, held)) {
            continue;
        }
        if (!can_drop(w, held, horizon)) {
            (void)lower_to(w, held);
            kept = held->time < kept ? held->time : kept;
            continue;
        }
        newest = held->time > newest ? held->time : newest;
        if (held->need_process < w->process_count) {
            vec_push(&w->receives, at - 1);
        }
    }
    settle_receives(w, in, &kept);
    while (cuts_is_over(c, kept, newest)) {
        newest = INT64_MIN;
        for (size_t at = in->head; (held = next_held(w, in, &at)) != NULL;) {
            if (is_within(w, held) && cuts_is_over(c, kept, held->time)) {
                (void)lower_to(w, held);
            } else if (is_within(w, held) && held->time > newest) {
                newest = held->time;
            }
        }
        settle_receives(w, in, &kept);
    }
}

static void drop(struct window *w, const struct held *held)
{
    const struct bound *b = w->chronicle.bound;
    const struct report report = report_of(held, 0);
    w->event[held->process] = held->number;
    w->time[held->process] = held->time;
    w->first[held->process] = held->ordinal + 1;
    if (held->slot < REPORT_SPECIAL) {
        w->slots[held->slot] = report.value;
        w->is_open[held->slot] = report.is_wrong;
        w->is_reported[held->slot] = true;
        return;
    }
    for (uint32_t i = 0; held->slot != REPORT_NO_SLOT && i < b->slots.count; i++) {
        if (b->slots.at[i].process == held->process) {
            w->slots[SLOT_FIRST + i] = SPAN_ANY;
            w->is_open[SLOT_FIRST + i] = held->slot == REPORT_GAP;
        }
    }
}

void window_drop(struct window *w, struct intake *in, int64_t horizon)
{
    find_drops(w, in, horizon);
    const struct arena_mark mark = arena_mark(&w->chronicle.arena);
    uint64_t *end = arena_array(&w->chronicle.arena, uint64_t, w->process_count);
    uint64_t left = 0;
    for (uint32_t p = 0; p < w->process_count; p++) {
        const uint64_t all = in->sources[p].ordinal;
        end[p] = w->limit[p] < all - w->first[p] ? w->first[p] + w->limit[p] : all;
        left += end[p] - w->first[p];
    }
    for (size_t at = in->head; left > 0; left--) {
        const struct held *held = next_held(w, in, &at);
        while (held->ordinal >= end[held->process]) {
            held = next_held(w, in, &at);
        }
        drop(w, held);
    }
    while (in->head < in->held.count &&
           in->held.at[in->head].ordinal < w->first[in->held.at[in->head].process]) {
        in->head++;
    }
    intake_tidy(in);
    arena_reset(&w->chronicle.arena, mark);
}
