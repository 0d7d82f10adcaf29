#include "atomicity/model.h"

#include <string.h>

#include "atomicity/version.h"
#include "base/bits.h"
#include "base/sort.h"

struct build {
    struct model *m;
    const struct frame *f;
    const struct sketch *sketch;
    const struct window *window; /* NULL: the whole trace */
    struct arena scratch;
    struct sketch_thread *parts; /* per task: which accesses it has in the model */
    bool *keeps;                 /* per lock of the trace: it is in the model */
    VEC(uint32_t) kept;          /* those locks, and some that nobody contends for */
    VEC(uint32_t) marks;         /* of the model, in their order */
    size_t mark_next;            /* of them, the first that has no step yet */
    uint32_t *number_of; /* per lock of the trace: its number in the model; NULL: the same */
    struct step *steps;  /* of all threads, one behind the other */
    uint32_t step_count;
    VEC(struct step_pred) preds;
};

/* ---- which accesses ---- */

/* The first access of a part at or behind an event. O(log). */
static uint32_t access_from(const struct sketch *s, struct sketch_thread part, event_id event)
{
    while (part.first < part.end) {
        const uint32_t middle = part.first + (part.end - part.first) / 2;
        if (s->list[middle].event < event) {
            part.first = middle + 1;
        } else {
            part.end = middle;
        }
    }
    return part.first;
}

/* Finds the parts; returns how many accesses they have. */
static uint32_t find_parts(struct build *b)
{
    const struct sketch *s = b->sketch;
    uint32_t count = 0;
    b->parts = arena_array(&b->scratch, struct sketch_thread, b->f->trace->tables.tasks.count + 1);
    for (uint32_t i = 0; i < s->thread_count; i++) {
        struct sketch_thread part = s->threads[i];
        if (b->window != NULL) {
            part.first = access_from(s, part, b->window->begin[part.task]);
            part.end = access_from(s, part, b->window->end[part.task]);
        }
        b->parts[part.task] = part;
        count += part.end - part.first;
    }
    return count;
}

/* ---- which locks ---- */

static void keep(struct build *b, uint32_t lock)
{
    if (!b->keeps[lock]) {
        b->keeps[lock] = true;
        vec_push(&b->kept, lock);
    }
}

/* A lock matters if a task holds it at a point or an access, or where it takes or releases another
 * lock that matters. */
static void keep_held(struct build *b)
{
    const struct frame *f = b->f;
    for (uint32_t lock = 0; lock < f->hb.sections.lock_count; lock++) {
        if (f->has_point_in[lock]) {
            keep(b, lock);
        }
    }
    for (uint32_t i = 0; i < b->sketch->count; i++) {
        const struct frame_span held = f->held_at[b->sketch->list[i].number];
        for (uint32_t k = 0; k < held.count; k++) {
            keep(b, f->hb.sections.list[f->held[held.first + k]].lock);
        }
    }
    for (size_t i = 0; i < b->kept.count; i++) {
        const struct frame_span around = f->nested_in[b->kept.at[i]];
        for (uint32_t k = 0; k < around.count; k++) {
            keep(b, f->nested[around.first + k]);
        }
    }
}

static void keep_locks(struct build *b)
{
    const struct sections *s = &b->f->hb.sections;
    struct model *m = b->m;
    b->keeps = arena_array(&b->scratch, bool, (size_t)s->lock_count + 1);
    b->number_of = arena_array(&b->scratch, uint32_t, (size_t)s->lock_count + 1);
    keep_held(b);
    m->locks = arena_array(&m->arena, struct model_lock, b->kept.count + 1);
    for (uint32_t i = 0; i < s->lock_count; i++) {
        b->keeps[i] &= s->locks[i].is_contended;
        if (b->keeps[i]) {
            b->number_of[i] = m->lock_count;
            m->locks[m->lock_count++] = (struct model_lock){.name = s->locks[i].name,
                                                            .is_version = i >= b->f->version_first};
        }
    }
}

/* ---- which marks ---- */

/* The marks of all sections of the locks that are kept, and all points. */
static struct bits find_marks(struct build *b)
{
    const struct frame *f = b->f;
    const struct sections *s = &f->hb.sections;
    const struct bits found = bits_take(&b->scratch, f->first[f->trace->tables.tasks.count]);
    vec_each (&b->kept, number) {
        const struct lock *lock = &s->locks[*number];
        for (uint32_t i = 0; b->keeps[*number] && i < lock->count; i++) {
            const struct section_marks m = f->section_marks[s->by_lock[lock->first + i]];
            bits_add(found, m.lock);
            if (m.unlock != MARK_NONE) {
                bits_add(found, m.unlock);
            }
        }
    }
    for (size_t i = 0; i < f->point_count; i++) {
        bits_add(found, f->points[i]);
    }
    return found;
}

static void choose_marks(struct build *b)
{
    const struct bits found = find_marks(b);
    for (size_t word = 0; word * 64 < found.count; word++) {
        for (uint64_t left = found.words[word]; left != 0; left &= left - 1) {
            vec_push(&b->marks, (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left));
        }
    }
}

/* The marks of a task in the window; those of locks that nobody contends for are left out. */
static void choose_marks_of_task(struct build *b, uint32_t task)
{
    const struct frame *f = b->f;
    const struct sections *s = &f->hb.sections;
    for (uint32_t i = frame_mark_from(f, task, b->window->begin[task]);
         i < f->first[task + 1] && f->marks[i].event < b->window->end[task]; i++) {
        const struct mark *m = &f->marks[i];
        if (m->kind == MARK_POINT || s->locks[s->list[m->section].lock].is_contended) {
            vec_push(&b->marks, i);
        }
    }
}

/* ---- steps ---- */

static void add_step(struct build *b, struct step step)
{
    b->steps[b->step_count++] = step;
}

static void add_mark(struct build *b, const struct mark *mark)
{
    if (mark->kind == MARK_POINT) {
        add_step(b, (struct step){.event = mark->event, .kind = STEP_POINT});
        return;
    }
    const struct section *s = &b->f->hb.sections.list[mark->section];
    const enum step_kind kind = mark->kind == MARK_LOCK ? STEP_LOCK : STEP_UNLOCK;
    add_step(b, (struct step){.event = mark->event,
                              .kind = (uint8_t)kind,
                              .lock = b->number_of == NULL ? s->lock : b->number_of[s->lock],
                              .asks_at = version_is_awaited(s, b->f->version_first) ? s->end : 0,
                              .is_shared = s->is_shared});
}

static void add_access(struct build *b, uint32_t number)
{
    const struct sketch_access *found = &b->sketch->list[number];
    const struct model_thread *thread = &b->m->threads[b->m->thread_count];
    if (b->m->places != NULL) {
        b->m->places[number] =
            (struct place){.thread = b->m->thread_count,
                           .step = (uint32_t)(&b->steps[b->step_count] - thread->steps)};
    }
    add_step(b, (struct step){.event = found->event,
                              .kind = STEP_ACCESS,
                              .which = found->which,
                              .is_related = found->is_related,
                              .is_write = found->is_write});
}

/* Replaces the writes that ask for versions by the steps at which they begin. */
static void find_asking(const struct build *b, struct model_thread *thread)
{
    for (uint32_t i = 0; i < thread->count; i++) {
        struct step *s = &thread->steps[i];
        if (s->asks_at != 0) {
            s->asks_at = model_steps_before(thread, s->asks_at);
            must(s->asks_at > 0 || b->window != NULL);
        }
    }
}

static void add_thread(struct build *b, uint32_t task)
{
    const struct frame *f = b->f;
    const struct sketch_access *accesses = b->sketch->list;
    struct model_thread *thread = &b->m->threads[b->m->thread_count];
    struct sketch_thread part = b->parts[task];
    *thread = (struct model_thread){.task = task, .steps = &b->steps[b->step_count]};
    for (; b->mark_next < b->marks.count && b->marks.at[b->mark_next] < f->first[task + 1];
         b->mark_next++) {
        const struct mark *mark = &f->marks[b->marks.at[b->mark_next]];
        while (part.first < part.end &&
               (accesses[part.first].event < mark->event ||
                (accesses[part.first].event == mark->event && mark->kind == MARK_UNLOCK))) {
            add_access(b, part.first++);
        }
        add_mark(b, mark);
    }
    while (part.first < part.end) {
        add_access(b, part.first++);
    }
    thread->count = (uint32_t)(&b->steps[b->step_count] - thread->steps);
    find_asking(b, thread);
    b->m->thread_count += thread->count > 0;
}

static void add_threads(struct build *b, uint32_t access_count)
{
    struct model *m = b->m;
    const uint32_t task_count = (uint32_t)b->f->trace->tables.tasks.count;
    const size_t step_max = b->marks.count + (size_t)access_count;
    m->threads = arena_array(&m->arena, struct model_thread, (size_t)task_count + 1);
    b->steps = arena_array(&m->arena, struct step, step_max + 1);
    for (uint32_t task = 0; task < task_count; task++) {
        add_thread(b, task);
    }
    must(b->step_count <= step_max);
    for (uint32_t i = 0; i < m->thread_count; i++) {
        must(m->threads[i].count > 0);
        must(i == 0 || m->threads[i - 1].task < m->threads[i].task);
    }
}

/* In a window: among the steps of its thread. */
static struct place find_place(const struct model *m, const struct sketch_access *a, uint32_t task)
{
    struct place p = {0};
    while (m->threads[p.thread].task != task) {
        p.thread++;
        must(p.thread < m->thread_count);
    }
    const struct model_thread *t = &m->threads[p.thread];
    p.step = model_steps_before(t, a->event);
    while (t->steps[p.step].kind != STEP_ACCESS) {
        p.step++;
        must(p.step < t->count);
    }
    must(t->steps[p.step].event == a->event);
    return p;
}

struct place model_place(const struct model *m, const struct sketch *s, uint32_t number)
{
    must(number < s->count);
    return m->places != NULL ? m->places[number]
                             : find_place(m, &s->list[number],
                                          trace_at(m->frame->trace, s->list[number].event)->task);
}

uint32_t model_steps_before(const struct model_thread *t, event_id event)
{
    uint32_t low = 0;
    uint32_t high = t->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (t->steps[middle].event < event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* An event that must come before a step. */
static void add_pred(struct build *b, const uint32_t *thread_of, event_id from)
{
    const struct window *w = b->window;
    const uint32_t task = trace_at(b->f->trace, from)->task;
    if (w != NULL && from < w->begin[task]) {
        return;
    }
    const uint32_t thread = thread_of[task];
    const bool is_beyond = w != NULL && from >= w->end[task];
    const uint32_t count =
        is_beyond ? UINT32_MAX : model_steps_before(&b->m->threads[thread], from + 1);
    vec_push(&b->preds, (struct step_pred){.thread = thread, .count = count});
}

/* Every POINT gets the steps that must come before its event. */
static void add_preds_of(struct build *b, const uint32_t *thread_of, const struct model_thread *t)
{
    const struct hb *hb = &b->f->hb;
    const struct graph_span into = graph_into(&hb->graph, t->task);
    for (uint32_t i = 0; i < t->count; i++) {
        struct step *step = &t->steps[i];
        if (step->kind != STEP_POINT) {
            continue;
        }
        const struct graph_span in = graph_span_at(into, hb->contexts.position[step->event]);
        step->pred_first = (uint32_t)b->preds.count;
        for (size_t edge = 0; edge < in.count; edge++) {
            add_pred(b, thread_of, in.at[edge].event);
        }
        step->pred_count = (uint32_t)b->preds.count - step->pred_first;
    }
}

static void add_preds(struct build *b)
{
    struct model *m = b->m;
    uint32_t *thread_of = arena_array(&b->scratch, uint32_t, b->f->trace->tables.tasks.count + 1);
    for (uint32_t i = 0; i < m->thread_count; i++) {
        thread_of[m->threads[i].task] = i;
    }
    for (uint32_t i = 0; i < m->thread_count; i++) {
        add_preds_of(b, thread_of, &m->threads[i]);
    }
    vec_each (&b->preds, pred) {
        must(pred->thread < m->thread_count);
    }
    m->preds = arena_array(&m->arena, struct step_pred, b->preds.count + 1);
    if (b->preds.count > 0) {
        memcpy(m->preds, b->preds.at, b->preds.count * sizeof *m->preds);
    }
}

typedef VEC(struct model_held) held_list;

/* The locks that a task holds where its part of the window begins. */
static void add_held_by(const struct build *b, uint32_t task, uint32_t thread, held_list *held)
{
    const struct frame *f = b->f;
    const struct sections *s = &f->hb.sections;
    const uint32_t mark = frame_mark_from(f, task, b->window->begin[task]);
    const struct frame_span span =
        mark == f->first[task] ? (struct frame_span){0} : f->held_after[mark - 1];
    for (uint32_t i = 0; i < span.count; i++) {
        const struct section *section = &s->list[f->held[span.first + i]];
        if (s->locks[section->lock].is_contended) {
            vec_push(held, (struct model_held){.thread = thread,
                                               .lock = section->lock,
                                               .is_shared = section->is_shared});
        }
    }
}

/* The locks held where the window begins, by its threads or by tasks that do nothing in it. */
static void add_held(struct build *b)
{
    struct model *m = b->m;
    held_list held = {0};
    uint32_t next = 0; /* thread */
    for (uint32_t task = 0; task < b->f->trace->tables.tasks.count; task++) {
        const bool is_next = next < m->thread_count && m->threads[next].task == task;
        add_held_by(b, task, is_next ? next : m->thread_count, &held);
        next += is_next;
    }
    must(next == m->thread_count);
    m->held = arena_array(&m->arena, struct model_held, held.count + 1);
    m->held_count = (uint32_t)held.count;
    for (size_t i = 0; i < held.count; i++) {
        m->held[i] = held.at[i];
    }
    vec_release(&held);
}

static void build(struct build *b)
{
    struct model *m = b->m;
    const struct frame *f = b->f;
    const uint32_t access_count = find_parts(b);
    if (b->window != NULL) {
        m->lock_count = f->hb.sections.lock_count;
        for (uint32_t task = 0; task < f->trace->tables.tasks.count; task++) {
            choose_marks_of_task(b, task);
        }
    } else {
        m->places = arena_array(&m->arena, struct place, (size_t)access_count + 1);
        keep_locks(b);
        choose_marks(b);
    }
    add_threads(b, access_count);
    add_preds(b);
    if (b->window != NULL) {
        add_held(b);
    }
    vec_release(&b->preds);
    vec_release(&b->kept);
    vec_release(&b->marks);
    arena_release(&b->scratch);
}

static struct model model_of(const struct sketch *s)
{
    return (struct model){.frame = s->frame, .variables = {s->variables[0], s->variables[1]}};
}

void model_build(struct model *m, const struct sketch *s)
{
    *m = model_of(s);
    build(&(struct build){.m = m, .f = s->frame, .sketch = s});
}

void model_window(struct model *m, const struct sketch *s, const struct window *w)
{
    *m = model_of(s);
    m->begin = w->begin;
    build(&(struct build){.m = m, .f = s->frame, .sketch = s, .window = w});
}

void model_release(struct model *m)
{
    arena_release(&m->arena);
}

/* ---- the same model? ---- */

/* Whether the access belongs to another operation than the last one of its thread. */
static bool is_new_operation(const struct frame *f, event_id event, uint32_t *last)
{
    const uint32_t before = *last;
    *last = f->variables.accesses.at[f->access_of[event]].operation;
    return before != 0 && before != *last;
}

static void print_steps(const struct model *m, const struct model_thread *thread, struct out *out)
{
    const struct trace *t = m->frame->trace;
    uint32_t operation = 0;
    for (uint32_t i = 0; i < thread->count; i++) {
        const struct step *s = &thread->steps[i];
        if (s->kind == STEP_ACCESS && is_new_operation(m->frame, s->event, &operation)) {
            out_text(out, "operation\n");
        }
        out_format(out, "%u%u%u%u%u ", s->kind, s->which, s->is_write, s->is_related, s->is_shared);
        if (s->kind == STEP_ACCESS) {
            out_text(out, trace_name(t, trace_at(t, s->event)->location));
        } else if (s->kind != STEP_POINT) {
            out_format(out, "%d%s", m->locks[s->lock].is_version,
                       trace_name(t, m->locks[s->lock].name));
        }
        out_char(out, '\n');
    }
}

/* A thread's own steps as text, to sort threads by their steps. */
struct printed {
    uint32_t thread;
    const char *text;
};

static int compare_printed(const void *left, const void *right, const void *context)
{
    (void)context;
    return strcmp(((const struct printed *)left)->text, ((const struct printed *)right)->text);
}

void model_print(const struct model *m, struct out *out)
{
    struct arena scratch = {0};
    struct printed *printed = arena_array(&scratch, struct printed, (size_t)m->thread_count + 1);
    uint32_t *rank = arena_array(&scratch, uint32_t, (size_t)m->thread_count + 1);
    for (uint32_t i = 0; i < m->thread_count; i++) {
        struct out text;
        out_open_memory(&text);
        print_steps(m, &m->threads[i], &text);
        printed[i] =
            (struct printed){.thread = i, .text = arena_text(&scratch, text.buffer, text.used)};
        out_abandon(&text);
    }
    sort_stable(printed, m->thread_count, sizeof *printed, compare_printed, NULL);
    for (uint32_t i = 0; i < m->thread_count; i++) {
        rank[printed[i].thread] = i;
    }
    const struct variables *v = &m->frame->variables;
    for (int which = 0; which < 2; which++) {
        if (m->variables[which] != VARIABLE_NONE) {
            out_format(out, "%s\n", names_text(&v->classes, v->list.at[m->variables[which]].class));
        }
    }
    for (uint32_t i = 0; i < m->thread_count; i++) {
        const struct model_thread *thread = &m->threads[printed[i].thread];
        out_format(out, "thread\n%s", printed[i].text);
        for (uint32_t k = 0; k < thread->count; k++) {
            const struct step *s = &thread->steps[k];
            for (uint32_t p = 0; p < s->pred_count; p++) {
                const struct step_pred *pred = &m->preds[s->pred_first + p];
                out_format(out, "%u < %u %u\n", k, rank[pred->thread], pred->count);
            }
        }
    }
    arena_release(&scratch);
}
