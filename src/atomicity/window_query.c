#include "atomicity/window_query.h"

enum { NEAR_DEFAULT = 4096 };

void asker_init(struct asker *a, const struct asker_options *o)
{
    *a = (struct asker){.options = *o};
    a->options.near = o->near != 0 ? o->near : NEAR_DEFAULT;
}

static void close_window(struct asker *a)
{
    if (a->has_window) {
        decider_release(&a->in_window);
        model_release(&a->window);
    }
    a->has_window = false;
}

void asker_release(struct asker *a)
{
    close_window(a);
    if (a->has_whole) {
        decider_release(&a->in_whole);
        model_release(&a->whole);
    }
    arena_release(&a->arena);
}

/* ---- windows ---- */

/* The events of one task in a question: from a place where it holds no lock to the end of the
 * sections around its accesses. */
struct part {
    uint32_t task;
    event_id begin, end;
};

static void part_add(struct part *p, const struct frame *f, event_id event)
{
    const event_id calm = frame_calm(f, p->task, event);
    const struct frame_span held = f->held_at[f->access_of[event]];
    p->begin = calm < p->begin ? calm : p->begin;
    p->end = event >= p->end ? event + 1 : p->end;
    for (uint32_t i = 0; i < held.count; i++) {
        const uint32_t section = f->held[held.first + i];
        const struct section *s = &f->hb.sections.list[section];
        const bool is_closed = f->section_marks[section].unlock != MARK_NONE;
        p->end = is_closed && s->end >= p->end ? s->end + 1 : p->end;
    }
}

/* The parts of the two tasks of a question, the earlier first. */
static void parts_of(struct part *parts, const struct sketch *s, const struct inquiry *q)
{
    const struct access *accesses = s->frame->variables.accesses.at;
    const uint32_t task = accesses[s->list[q->accesses[0]].number].task;
    for (uint32_t i = 0; i < q->access_count; i++) {
        const struct access *a = &accesses[s->list[q->accesses[i]].number];
        struct part *p = &parts[a->task != task];
        if (p->end == 0) {
            *p = (struct part){.task = a->task, .begin = a->event};
        }
        part_add(p, s->frame, a->event);
    }
    if (parts[1].begin < parts[0].begin) {
        const struct part earlier = parts[1];
        parts[1] = parts[0];
        parts[0] = earlier;
    }
}

/* The first event of a task that must come after `event`, or `end` if none before it in the list
 * must. O(log). */
static event_id first_after(const struct frame *f, uint32_t task, event_id event, event_id end)
{
    const struct contexts *c = &f->hb.contexts;
    uint32_t low = 0;
    uint32_t high = c->list[task].count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const event_id at = context_event(c, task, middle);
        if (at >= end || hb_is_before(&f->hb, event, at)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low == c->list[task].count || context_event(c, task, low) >= end
               ? end
               : context_event(c, task, low);
}

/* Whether some earlier event of a task must come after the events held back from `event` on; the
 * task is then held back too, from a place where it holds no lock. */
static bool hold_back(const struct frame *f, struct window *w, uint32_t task, event_id event)
{
    const event_id first = first_after(f, task, event, w->begin[task]);
    if (first == w->begin[task]) {
        return false;
    }
    w->begin[task] = frame_calm(f, task, first);
    w->end[task] = w->begin[task];
    return true;
}

/* Holds back the events that must come after those of `waiting` that are held back. False when that
 * is one of the tasks that the question is about. A task that is now held back from an earlier
 * place is looked at again. */
static bool hold_back_behind(struct asker *a, const struct part *parts, uint32_t waiting,
                             uint32_t *waiting_count)
{
    const struct frame *f = a->options.sketch->frame;
    for (uint32_t task = 0; task < f->trace->tables.tasks.count; task++) {
        if (task == waiting || !hold_back(f, &a->span, task, a->span.begin[waiting])) {
            continue;
        }
        if (task == parts[0].task || task == parts[1].task || *waiting_count == a->waiting_max) {
            return false;
        }
        must(*waiting_count < a->waiting_max);
        a->waiting[(*waiting_count)++] = task;
    }
    return true;
}

/* The earlier task waits at its part until the list has reached the later one, and with it all
 * events that must come after those it did not do. False when that cannot be. */
static bool window_apart(struct asker *a, const struct part *parts)
{
    uint32_t waiting_count = 1;
    a->waiting[0] = parts[0].task;
    a->span.begin[parts[0].task] = parts[0].begin;
    a->span.end[parts[0].task] = parts[0].end;
    for (uint32_t i = 0; i < waiting_count; i++) {
        if (!hold_back_behind(a, parts, a->waiting[i], &waiting_count)) {
            return false;
        }
    }
    return true;
}

static void window_fill(struct asker *a, event_id begin, event_id end)
{
    const uint32_t task_count = (uint32_t)a->options.sketch->frame->trace->tables.tasks.count;
    if (a->span.begin == NULL) {
        a->span.begin = arena_array(&a->arena, event_id, (size_t)task_count + 1);
        a->span.end = arena_array(&a->arena, event_id, (size_t)task_count + 1);
        a->waiting_max = task_count * 4 + 1;
        a->waiting = arena_array(&a->arena, uint32_t, a->waiting_max);
    }
    for (uint32_t task = 0; task < task_count; task++) {
        a->span.begin[task] = begin;
        a->span.end[task] = end;
    }
}

/* From where the earlier task of the question begins, if that is near, else from where the later
 * does; to where both are done. */
static void window_of(struct asker *a, const struct inquiry *q)
{
    struct part parts[2] = {{0}};
    parts_of(parts, a->options.sketch, q);
    must(parts[0].task != parts[1].task);
    must(parts[0].begin <= parts[0].end);
    must(parts[1].begin <= parts[1].end);
    const event_id end = parts[0].end > parts[1].end ? parts[0].end : parts[1].end;
    if (parts[1].begin > parts[0].end && parts[1].begin - parts[0].begin > a->options.near) {
        window_fill(a, parts[1].begin, end);
        if (window_apart(a, parts)) {
            return;
        }
    }
    window_fill(a, parts[0].begin, end);
}

/* ---- asking ---- */

static enum decision ask_model(struct asker *a, const struct model *m, struct decider *d,
                               const struct inquiry *q)
{
    a->model = m;
    a->decider = d;
    must(q->access_count <= QUESTION_PLACES_MAX);
    a->question = (struct question){.place_count = q->access_count, .order_count = q->order_count};
    for (uint32_t i = 0; i < q->access_count; i++) {
        a->question.places[i] = model_place(m, a->options.sketch, q->accesses[i]);
    }
    for (uint32_t i = 0; i < q->order_count; i++) {
        a->question.orders[i] = q->orders[i];
    }
    return decider_ask(d, &a->question);
}

static enum decision ask_window(struct asker *a, const struct inquiry *q)
{
    const struct asker_options *o = &a->options;
    close_window(a);
    window_of(a, q);
    model_window(&a->window, o->sketch, &a->span);
    decider_init(&a->in_window, &a->window, o->state_max);
    a->has_window = true;
    return ask_model(a, &a->window, &a->in_window, q);
}

const struct model *asker_whole(struct asker *a)
{
    const struct asker_options *o = &a->options;
    if (!a->has_whole) {
        model_build(&a->whole, o->sketch);
        decider_init(&a->in_whole, &a->whole, o->state_max);
        a->has_whole = true;
    }
    return &a->whole;
}

enum decision asker_ask(struct asker *a, const struct inquiry *q)
{
    if (a->options.looks_around && ask_window(a, q) == DECIDE_YES) {
        return DECIDE_YES;
    }
    return ask_model(a, asker_whole(a), &a->in_whole, q);
}
