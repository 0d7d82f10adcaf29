#include "atomicity/frame.h"

#include "base/bits.h"
#include "base/sort.h"

struct build {
    struct frame *f;
    VEC(struct mark) marks;
};

/* A section that was never closed stays open, unless another task is seen in a later one. */
static bool is_closed(const struct sections *s, const struct section *section)
{
    if (section->is_released) {
        return true;
    }
    const struct lock *lock = &s->locks[section->lock];
    for (uint32_t i = lock->count; i-- > 0;) {
        const struct section *other = &s->list[s->by_lock[lock->first + i]];
        if (other->begin > section->begin && sections_exclude(section, other)) {
            return true;
        }
    }
    return false;
}

static void add_sections(struct build *b)
{
    const struct sections *s = &b->f->hb.sections;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct section *section = &s->list[i];
        vec_push(&b->marks,
                 (struct mark){.event = section->begin, .section = i, .kind = MARK_LOCK});
        if (is_closed(s, section)) {
            vec_push(&b->marks,
                     (struct mark){.event = section->end, .section = i, .kind = MARK_UNLOCK});
        }
    }
}

static void add_points(struct build *b, struct bits has_edge)
{
    vec_each (&b->f->hb.edges.list, edge) {
        const event_id ends[] = {edge->from, edge->to};
        for (int i = 0; i < 2; i++) {
            if (!bits_has(has_edge, ends[i])) {
                bits_add(has_edge, ends[i]);
                vec_push(&b->marks, (struct mark){.event = ends[i], .kind = MARK_POINT});
            }
        }
    }
}

static int compare_marks(const void *left, const void *right, const void *context)
{
    const struct trace *t = context;
    const struct mark *a = left;
    const struct mark *b = right;
    const uint32_t task = t->events.at[a->event].task;
    const uint32_t task_other = t->events.at[b->event].task;
    if (task != task_other) {
        return task < task_other ? -1 : 1;
    }
    if (a->event != b->event) {
        return a->event < b->event ? -1 : 1;
    }
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static void lay_out(struct build *b)
{
    struct frame *f = b->f;
    const uint32_t task_count = (uint32_t)f->trace->tables.tasks.count;
    sort_stable(b->marks.at, b->marks.count, sizeof *b->marks.at, compare_marks, f->trace);
    struct mark *marks = arena_array(&f->arena, struct mark, b->marks.count + 1);
    uint32_t *first = arena_array(&f->arena, uint32_t, task_count + 2);
    for (size_t i = 0; i < b->marks.count; i++) {
        marks[i] = b->marks.at[i];
        first[f->trace->events.at[marks[i].event].task + 1]++;
    }
    for (uint32_t task = 0; task < task_count; task++) {
        first[task + 1] += first[task];
    }
    f->marks = marks;
    f->first = first;
}

void held_pass(struct held *h, const struct mark *m)
{
    if (m->kind == MARK_LOCK) {
        vec_push(&h->sections, m->section);
    }
    for (size_t i = 0; m->kind == MARK_UNLOCK && i < h->sections.count; i++) {
        if (h->sections.at[i] == m->section) {
            h->sections.at[i] = vec_pop(&h->sections);
            return;
        }
    }
}

static void find_points_in_locks(struct frame *f)
{
    bool *has_point_in = arena_array(&f->arena, bool, (size_t)f->hb.sections.lock_count + 1);
    struct held held = {0};
    for (size_t task = 0; task < f->trace->tables.tasks.count; task++) {
        vec_clear(&held.sections);
        for (uint32_t i = f->first[task]; i < f->first[task + 1]; i++) {
            held_pass(&held, &f->marks[i]);
            for (size_t k = 0; f->marks[i].kind == MARK_POINT && k < held.sections.count; k++) {
                has_point_in[f->hb.sections.list[held.sections.at[k]].lock] = true;
            }
        }
    }
    vec_release(&held.sections);
    f->has_point_in = has_point_in;
}

int frame_build(struct frame *f, const struct trace *t, struct notes *n, struct err *e)
{
    *f = (struct frame){.trace = t};
    const struct hb_options options = {.model = HB_TASKS, .scope = REACH_ALL};
    if (hb_build(&f->hb, t, &options, n, e) < 0) {
        return -1;
    }
    variables_build(&f->variables, t);
    struct build b = {.f = f};
    struct arena scratch = {0};
    add_sections(&b);
    add_points(&b, bits_take(&scratch, t->events.count + 1));
    lay_out(&b);
    find_points_in_locks(f);
    vec_release(&b.marks);
    arena_release(&scratch);
    return 0;
}

void frame_release(struct frame *f)
{
    variables_release(&f->variables);
    hb_release(&f->hb);
    arena_release(&f->arena);
}
