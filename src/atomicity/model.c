#include "atomicity/model.h"

#include <string.h>

#include "base/sort.h"

/* An access on its way into a model. */
struct found {
    uint32_t access;
    event_id event;
    uint32_t task;
    uint8_t which;
    bool is_related;
};

struct build {
    struct model *m;
    const struct frame *f;
    bool is_sketch;
    const struct window *window; /* NULL: the whole trace */
    struct arena scratch;
    VEC(struct found) found;  /* task by task */
    const uint32_t *first;    /* per task, and one more: what it has of them */
    bool *keeps;              /* per lock of the trace: it is in the model */
    VEC(uint32_t) kept;       /* those locks, and some that nobody contends for */
    VEC(uint32_t) marks;      /* of the model, in their order */
    size_t mark_next;         /* of them, the first that has no step yet */
    uint32_t *number_of;      /* per lock of the trace: its number in the model; NULL: the same */
    uint32_t version_lock[2]; /* numbers of the version checks, UINT32_MAX: none */
    VEC(struct step) steps;   /* of the thread being built */
    VEC(struct step_pred) preds;
};

/* ---- which accesses ---- */

static bool is_in_window(const struct build *b, uint32_t task, event_id event)
{
    return b->window == NULL || (event >= b->window->begin[task] && event < b->window->end[task]);
}

static void find_accesses(struct build *b, uint32_t variable, uint8_t which, bool is_related)
{
    const struct variables *v = &b->f->variables;
    const struct variable *of = &v->list.at[variable];
    for (uint32_t i = 0; i < of->count; i++) {
        const uint32_t number = v->by_variable.at[of->first + i];
        const struct access *a = &v->accesses.at[number];
        if (!is_in_window(b, a->task, a->event)) {
            continue;
        }
        vec_push(&b->found, (struct found){.access = number,
                                           .event = a->event,
                                           .task = a->task,
                                           .which = which,
                                           .is_related = is_related});
    }
}

/* Resources are few: all are looked at. */
static void find_related(struct build *b, uint32_t x, uint32_t y)
{
    const struct trace *t = b->f->trace;
    const char *name = trace_name(t, b->f->variables.list.at[x].name);
    if (!variable_is_resource(name)) {
        return;
    }
    for (uint32_t i = 0; i < b->f->variables.list.count; i++) {
        const char *other = trace_name(t, b->f->variables.list.at[i].name);
        if (i != y && variable_is_below_or_above(name, other)) {
            find_accesses(b, i, 0, true);
        }
    }
}

static int compare_found(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct found *a = left;
    const struct found *b = right;
    if (a->task != b->task) {
        return a->task < b->task ? -1 : 1;
    }
    return (a->event > b->event) - (a->event < b->event);
}

static void find_all(struct build *b, uint32_t x, uint32_t y)
{
    const size_t task_count = b->f->trace->tables.tasks.count;
    if (b->window == NULL) {
        vec_reserve(&b->found, b->f->variables.list.at[x].count);
    }
    find_accesses(b, x, 0, false);
    if (y != VARIABLE_NONE) {
        find_accesses(b, y, 1, false);
    } else {
        find_related(b, x, y);
    }
    sort_stable(b->found.at, b->found.count, sizeof *b->found.at, compare_found, NULL);
    uint32_t *first = arena_array(&b->scratch, uint32_t, task_count + 2);
    vec_each (&b->found, found) {
        first[found->task + 1]++;
    }
    for (size_t task = 0; task < task_count; task++) {
        first[task + 1] += first[task];
    }
    b->first = first;
}

/* ---- which locks ---- */

static void keep(struct build *b, uint32_t lock)
{
    if (!b->keeps[lock]) {
        b->keeps[lock] = true;
        vec_push(&b->kept, lock);
    }
}

/* What is held at a point or at an access matters, and what is held where a lock that matters is
 * taken or given back. */
static void keep_held(struct build *b)
{
    const struct frame *f = b->f;
    for (uint32_t lock = 0; !b->is_sketch && lock < f->hb.sections.lock_count; lock++) {
        if (f->has_point_in[lock]) {
            keep(b, lock);
        }
    }
    vec_each (&b->found, found) {
        const struct frame_span held = f->held_at[found->access];
        for (uint32_t i = 0; i < held.count; i++) {
            keep(b, f->hb.sections.list[f->held[held.first + i]].lock);
        }
    }
    for (size_t i = 0; !b->is_sketch && i < b->kept.count; i++) {
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
    m->locks = arena_array(&m->arena, struct model_lock, b->kept.count + 2);
    for (uint32_t i = 0; i < s->lock_count; i++) {
        b->keeps[i] &= s->locks[i].is_contended;
        if (b->keeps[i]) {
            b->number_of[i] = m->lock_count;
            m->locks[m->lock_count++] = (struct model_lock){.name = s->locks[i].name};
        }
    }
    for (int which = 0; which < 2; which++) {
        b->version_lock[which] = UINT32_MAX;
        const uint32_t variable = m->variables[which];
        if (variable != VARIABLE_NONE && b->f->variables.list.at[variable].is_checked) {
            b->version_lock[which] = m->lock_count;
            m->locks[m->lock_count++] = (struct model_lock){
                .name = b->f->variables.list.at[variable].name, .is_version = true};
        }
    }
}

/* ---- which marks ---- */

static int compare_numbers(const void *left, const void *right, const void *context)
{
    (void)context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

typedef VEC(uint32_t) number_list;

static void add_section_marks(const struct build *b, uint32_t section, number_list *list)
{
    const struct section_marks m = b->f->section_marks[section];
    vec_push(list, m.lock);
    if (m.unlock != MARK_NONE) {
        vec_push(list, m.unlock);
    }
}

/* The marks of all sections of the locks that are kept. */
static void add_marks_of_locks(const struct build *b, number_list *list)
{
    const struct sections *s = &b->f->hb.sections;
    vec_each (&b->kept, number) {
        const struct lock *lock = &s->locks[*number];
        for (uint32_t i = 0; b->keeps[*number] && i < lock->count; i++) {
            add_section_marks(b, s->by_lock[lock->first + i], list);
        }
    }
    sort_stable(list->at, list->count, sizeof *list->at, compare_numbers, NULL);
}

/* The marks of the sections around the accesses alone. */
static void add_marks_around(const struct build *b, number_list *list)
{
    const struct frame *f = b->f;
    vec_each (&b->found, found) {
        const struct frame_span held = f->held_at[found->access];
        for (uint32_t i = 0; i < held.count; i++) {
            const uint32_t section = f->held[held.first + i];
            if (b->keeps[f->hb.sections.list[section].lock]) {
                add_section_marks(b, section, list);
            }
        }
    }
    sort_stable(list->at, list->count, sizeof *list->at, compare_numbers, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (i == 0 || list->at[i] != list->at[i - 1]) {
            list->at[kept++] = list->at[i];
        }
    }
    list->count = kept;
}

/* The marks of locks, and all points between them. */
static void choose_marks(struct build *b)
{
    const struct frame *f = b->f;
    const size_t point_count = b->is_sketch ? 0 : f->point_count;
    number_list of_locks = {0};
    if (b->is_sketch) {
        add_marks_around(b, &of_locks);
    } else {
        add_marks_of_locks(b, &of_locks);
    }
    vec_reserve(&b->marks, of_locks.count + point_count);
    size_t point = 0;
    vec_each (&of_locks, mark) {
        for (; point < point_count && f->points[point] < *mark; point++) {
            vec_push(&b->marks, f->points[point]);
        }
        vec_push(&b->marks, *mark);
    }
    for (; point < point_count; point++) {
        vec_push(&b->marks, f->points[point]);
    }
    vec_release(&of_locks);
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

static void add_mark(struct build *b, const struct mark *mark)
{
    if (mark->kind == MARK_POINT) {
        vec_push(&b->steps, (struct step){.event = mark->event, .kind = STEP_POINT});
        return;
    }
    const struct section *s = &b->f->hb.sections.list[mark->section];
    const enum step_kind kind = mark->kind == MARK_LOCK ? STEP_LOCK : STEP_UNLOCK;
    vec_push(&b->steps,
             (struct step){.event = mark->event,
                           .kind = (uint8_t)kind,
                           .lock = b->number_of == NULL ? s->lock : b->number_of[s->lock],
                           .is_shared = s->is_shared});
}

/* What a version check adds around an access: the beginning of its section, or its end. A write
 * that asks for no version passes through a section of its own. */
static void add_version(struct build *b, const struct found *found, enum step_kind kind)
{
    const struct access *a = &b->f->variables.accesses.at[found->access];
    const uint32_t lock = b->version_lock[found->which];
    if (lock == UINT32_MAX || found->is_related) {
        return;
    }
    const bool has_partner = a->partner != ACCESS_NONE;
    const bool is_begin = a->is_write ? !has_partner : has_partner;
    if (kind == STEP_LOCK ? is_begin : a->is_write) {
        vec_push(&b->steps,
                 (struct step){.event = found->event, .kind = (uint8_t)kind, .lock = lock});
    }
}

static void add_access(struct build *b, const struct found *found)
{
    add_version(b, found, STEP_LOCK);
    vec_push(&b->steps,
             (struct step){.event = found->event,
                           .kind = STEP_ACCESS,
                           .which = found->which,
                           .is_related = found->is_related,
                           .is_write = b->f->variables.accesses.at[found->access].is_write});
    add_version(b, found, STEP_UNLOCK);
    b->m->access_count++;
}

static void add_thread(struct build *b, uint32_t task)
{
    const struct frame *f = b->f;
    uint32_t next = b->first[task];
    const uint32_t end = b->first[task + 1];
    vec_clear(&b->steps);
    for (; b->mark_next < b->marks.count && b->marks.at[b->mark_next] < f->first[task + 1];
         b->mark_next++) {
        const struct mark *mark = &f->marks[b->marks.at[b->mark_next]];
        while (next < end &&
               (b->found.at[next].event < mark->event ||
                (b->found.at[next].event == mark->event && mark->kind == MARK_UNLOCK))) {
            add_access(b, &b->found.at[next++]);
        }
        add_mark(b, mark);
    }
    while (next < end) {
        add_access(b, &b->found.at[next++]);
    }
    if (b->steps.count > 0) {
        struct model_thread *thread = &b->m->threads[b->m->thread_count++];
        struct step *steps = arena_array(&b->m->arena, struct step, b->steps.count);
        memcpy(steps, b->steps.at, b->steps.count * sizeof *steps);
        *thread =
            (struct model_thread){.task = task, .steps = steps, .count = (uint32_t)b->steps.count};
    }
}

struct place model_place(const struct model *m, event_id event)
{
    const uint32_t task = trace_at(m->frame->trace, event)->task;
    struct place p = {0};
    while (m->threads[p.thread].task != task) {
        p.thread++;
        must(p.thread < m->thread_count);
    }
    const struct model_thread *t = &m->threads[p.thread];
    p.step = model_steps_before(t, event);
    while (t->steps[p.step].kind != STEP_ACCESS) {
        p.step++;
        must(p.step < t->count);
    }
    must(t->steps[p.step].event == event);
    return p;
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

/* Every POINT gets what the graph says must come before its event. */
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
    m->preds = arena_array(&m->arena, struct step_pred, b->preds.count + 1);
    if (b->preds.count > 0) {
        memcpy(m->preds, b->preds.at, b->preds.count * sizeof *m->preds);
    }
}

typedef VEC(struct model_held) held_list;

/* What a task holds where its part of the window begins. */
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

/* What is held where the window begins, by its threads or by tasks that do nothing in it. */
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
    must(m->variables[0] != m->variables[1]);
    find_all(b, m->variables[0], m->variables[1]);
    if (b->window != NULL) {
        m->lock_count = f->hb.sections.lock_count;
        b->version_lock[0] = b->version_lock[1] = UINT32_MAX;
        for (uint32_t task = 0; task < f->trace->tables.tasks.count; task++) {
            choose_marks_of_task(b, task);
        }
    } else {
        keep_locks(b);
        choose_marks(b);
    }
    const uint32_t task_count = (uint32_t)f->trace->tables.tasks.count;
    m->threads = arena_array(&m->arena, struct model_thread, (size_t)task_count + 1);
    for (uint32_t task = 0; task < task_count; task++) {
        add_thread(b, task);
    }
    add_preds(b);
    if (b->window != NULL) {
        add_held(b);
    }
    vec_release(&b->found);
    vec_release(&b->steps);
    vec_release(&b->preds);
    vec_release(&b->kept);
    vec_release(&b->marks);
    arena_release(&b->scratch);
}

void model_build(struct model *m, const struct frame *f, uint32_t x, uint32_t y)
{
    *m = (struct model){.frame = f, .variables = {x, y}};
    build(&(struct build){.m = m, .f = f});
}

void model_sketch(struct model *m, const struct frame *f, uint32_t x, uint32_t y)
{
    *m = (struct model){.frame = f, .variables = {x, y}};
    build(&(struct build){.m = m, .f = f, .is_sketch = true});
}

void model_window(struct model *m, const struct frame *f, const uint32_t *variables,
                  const struct window *w)
{
    *m = (struct model){.frame = f, .variables = {variables[0], variables[1]}, .begin = w->begin};
    build(&(struct build){.m = m, .f = f, .window = w});
}

void model_release(struct model *m)
{
    arena_release(&m->arena);
}

/* ---- the same model? ---- */

static void print_steps(const struct model *m, const struct model_thread *thread, struct out *out)
{
    const struct trace *t = m->frame->trace;
    for (uint32_t i = 0; i < thread->count; i++) {
        const struct step *s = &thread->steps[i];
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

/* A thread's own steps as text, to sort threads by what they do. */
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
