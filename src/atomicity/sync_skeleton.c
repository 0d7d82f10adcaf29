#include "atomicity/sync_skeleton.h"

#include "atomicity/version.h"
#include "base/bits.h"
#include "base/map.h"
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

static void add_point(struct build *b, struct bits has_point, event_id event)
{
    if (!bits_has(has_point, event)) {
        bits_add(has_point, event);
        vec_push(&b->marks, (struct mark){.event = event, .kind = MARK_POINT});
    }
}

static void add_points(struct build *b, struct bits has_point)
{
    vec_each (&b->f->hb.edges.list, edge) {
        add_point(b, has_point, edge->from);
        add_point(b, has_point, edge->to);
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

/* ---- locks held ---- */

/* The sections held at each access and mark, in the making. */
struct holding {
    const struct frame *f;
    struct held now;
    bool is_fresh; /* now is the last of `held` */
    struct frame_span last;
    VEC(uint32_t) held;
    struct frame_span *held_at;
    struct frame_span *held_after;
    bool *has_point_in;
    struct map nested; /* (lock, another around it) */
};

/* The sections held now, as a part of `held`: where nothing changed, the same part. */
static struct frame_span held_now(struct holding *h)
{
    if (!h->is_fresh) {
        h->is_fresh = true;
        h->last = (struct frame_span){.first = (uint32_t)h->held.count,
                                      .count = (uint32_t)h->now.sections.count};
        vec_each (&h->now.sections, section) {
            vec_push(&h->held, *section);
        }
    }
    return h->last;
}

/* Whether the event of a mark waits for another task, as the end of a wait does, which takes a lock
 * too. */
static bool is_at_point(const struct frame *f, uint32_t number)
{
    while (number > 0 && f->marks[number - 1].event == f->marks[number].event) {
        number--;
    }
    return f->marks[number].kind == MARK_POINT;
}

static void pass_mark(struct holding *h, uint32_t number)
{
    const struct section *sections = h->f->hb.sections.list;
    const struct mark *m = &h->f->marks[number];
    if (m->kind == MARK_LOCK && is_at_point(h->f, number)) {
        h->has_point_in[sections[m->section].lock] = true;
    }
    held_pass(&h->now, m);
    h->is_fresh &= m->kind == MARK_POINT;
    vec_each (&h->now.sections, section) {
        if (m->kind == MARK_POINT) {
            h->has_point_in[sections[*section].lock] = true;
        } else if (*section != m->section) {
            map_put(&h->nested, map_pair(sections[m->section].lock, sections[*section].lock), 1);
        }
    }
    h->held_after[number] = held_now(h);
}

static void pass_task(struct holding *h, uint32_t task)
{
    const struct frame *f = h->f;
    const struct context *c = &f->hb.contexts.list[task];
    const uint32_t end = f->first[task + 1];
    uint32_t next = f->first[task];
    vec_clear(&h->now.sections);
    h->is_fresh = false;
    for (uint32_t i = 0; i < c->count; i++) {
        const event_id event = context_event(&f->hb.contexts, task, i);
        for (; next < end && f->marks[next].event == event && f->marks[next].kind != MARK_UNLOCK;
             next++) {
            pass_mark(h, next);
        }
        if (f->access_of[event] != ACCESS_NONE) {
            h->held_at[f->access_of[event]] = held_now(h);
        }
        for (; next < end && f->marks[next].event == event; next++) {
            pass_mark(h, next);
        }
    }
    must(next == end);
}

static void lay_out_nested(struct frame *f, const struct map *pairs)
{
    struct frame_span *spans =
        arena_array(&f->arena, struct frame_span, (size_t)f->hb.sections.lock_count + 1);
    uint32_t *nested = arena_array(&f->arena, uint32_t, pairs->entries.count + 1);
    uint32_t first = 0;
    vec_each (&pairs->entries, pair) {
        spans[pair->key >> 32].count++;
    }
    for (uint32_t lock = 0; lock < f->hb.sections.lock_count; lock++) {
        spans[lock].first = first;
        first += spans[lock].count;
        spans[lock].count = 0;
    }
    vec_each (&pairs->entries, pair) {
        struct frame_span *span = &spans[pair->key >> 32];
        nested[span->first + span->count++] = (uint32_t)pair->key;
    }
    f->nested_in = spans;
    f->nested = nested;
}

/* Returns how many numbers of sections all the spans lie in. */
static size_t find_held(struct frame *f)
{
    struct holding h = {.f = f};
    h.held_at = arena_array(&f->arena, struct frame_span, f->variables.accesses.count + 1);
    h.held_after =
        arena_array(&f->arena, struct frame_span, (size_t)f->first[f->hb.contexts.task_count] + 1);
    h.has_point_in = arena_array(&f->arena, bool, (size_t)f->hb.sections.lock_count + 1);
    for (uint32_t task = 0; task < f->hb.contexts.task_count; task++) {
        pass_task(&h, task);
    }
    uint32_t *held = arena_array(&f->arena, uint32_t, h.held.count + 1);
    for (size_t i = 0; i < h.held.count; i++) {
        held[i] = h.held.at[i];
    }
    f->held = held;
    f->held_at = h.held_at;
    f->held_after = h.held_after;
    f->has_point_in = h.has_point_in;
    lay_out_nested(f, &h.nested);
    const size_t held_count = h.held.count;
    vec_release(&h.now.sections);
    vec_release(&h.held);
    map_release(&h.nested);
    return held_count;
}

/* ---- where things stand ---- */

static void number_marks(struct frame *f)
{
    const uint32_t count = f->first[f->trace->tables.tasks.count];
    uint32_t *points = arena_array(&f->arena, uint32_t, (size_t)count + 1);
    struct section_marks *of =
        arena_array(&f->arena, struct section_marks, (size_t)f->hb.sections.count + 1);
    for (uint32_t i = 0; i < f->hb.sections.count; i++) {
        of[i].unlock = MARK_NONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct mark *m = &f->marks[i];
        switch (m->kind) {
        case MARK_POINT: points[f->point_count++] = i; break;
        case MARK_LOCK: of[m->section].lock = i; break;
        case MARK_UNLOCK: of[m->section].unlock = i; break;
        }
    }
    f->points = points;
    f->section_marks = of;
}

static void number_accesses(struct frame *f)
{
    const struct variables *v = &f->variables;
    uint32_t *access_of = arena_array(&f->arena, uint32_t, f->trace->events.count + 1);
    uint32_t *writer = arena_array(&f->arena, uint32_t, v->accesses.count + 1);
    struct arena scratch = {0};
    uint32_t *last = arena_array(&scratch, uint32_t, v->list.count + 1);
    for (size_t i = 0; i < f->trace->events.count; i++) {
        access_of[i] = ACCESS_NONE;
    }
    for (size_t i = 0; i < v->list.count; i++) {
        last[i] = ACCESS_NONE;
    }
    for (uint32_t i = 0; i < v->accesses.count; i++) {
        const struct access *a = &v->accesses.at[i];
        access_of[a->event] = i;
        writer[i] = last[a->variable];
        last[a->variable] = a->is_write ? i : last[a->variable];
    }
    arena_release(&scratch);
    f->access_of = access_of;
    f->writer = writer;
}

static void drop_edges(struct hb *hb, const struct frame_without *without)
{
    size_t kept = 0;
    for (size_t i = 0; i < hb->edges.list.count; i++) {
        const struct edge edge = hb->edges.list.at[i];
        const struct event *from = trace_at(hb->trace, edge.from);
        if (edge.kind != EDGE_ATOMIC || from->object != without->name ||
            trace_node_of(hb->trace, from) != without->node) {
            hb->edges.list.at[kept++] = edge;
        }
    }
    hb->edges.list.count = kept;
    const event_id blocked = hb_rebuild(hb);
    must(blocked == EVENT_NONE);
}

/* ---- invariants of a frame ---- */

static void check_marks(const struct frame *f, uint32_t task)
{
    must(f->first[task] <= f->first[task + 1]);
    for (uint32_t i = f->first[task]; i < f->first[task + 1]; i++) {
        must(trace_at(f->trace, f->marks[i].event)->task == task);
        must(i == f->first[task] || f->marks[i - 1].event <= f->marks[i].event);
    }
}

static void check_accesses(const struct frame *f, size_t held_count)
{
    for (uint32_t i = 0; i < f->variables.accesses.count; i++) {
        const struct frame_span held = f->held_at[i];
        must(f->access_of[f->variables.accesses.at[i].event] == i);
        must(f->writer[i] == ACCESS_NONE || f->writer[i] < i);
        must(held.first + held.count <= held_count);
    }
}

/* Marks are ordered by task and event, and the numbers of accesses and sections are in range. */
static void frame_check(const struct frame *f, size_t held_count)
{
    const uint32_t task_count = f->hb.contexts.task_count;
    must(f->version_first <= f->hb.sections.lock_count);
    must(f->first[0] == 0);
    must(f->point_count <= f->first[task_count]);
    for (uint32_t task = 0; task < task_count; task++) {
        check_marks(f, task);
    }
    for (uint32_t i = 0; i < f->hb.sections.count; i++) {
        const struct section_marks of = f->section_marks[i];
        must(f->hb.sections.list[i].lock < f->hb.sections.lock_count);
        must(of.unlock == MARK_NONE || of.lock < of.unlock);
    }
    check_accesses(f, held_count);
}

int frame_build(struct frame *f, const struct trace *t, struct notes *n, struct err *e)
{
    return frame_build_without(f, t, NULL, n, e);
}

int frame_build_without(struct frame *f, const struct trace *t, const struct frame_without *without,
                        struct notes *n, struct err *e)
{
    *f = (struct frame){.trace = t};
    const struct hb_options options = {.model = HB_TASKS, .scope = REACH_ALL};
    if (hb_build(&f->hb, t, &options, n, e) < 0) {
        return -1;
    }
    if (without != NULL) {
        drop_edges(&f->hb, without);
    }
    variables_build(&f->variables, t);
    settled_build(&f->settled, t, &f->hb);
    f->version_first = f->hb.sections.lock_count;
    versions_add(&f->hb.sections, t, &f->variables, &f->arena);
    struct build b = {.f = f};
    struct arena scratch = {0};
    add_sections(&b);
    add_points(&b, bits_take(&scratch, t->events.count + 1));
    lay_out(&b);
    number_marks(f);
    number_accesses(f);
    frame_check(f, find_held(f));
    compared_build(&f->compared, f);
    vec_release(&b.marks);
    arena_release(&scratch);
    return 0;
}

uint32_t frame_mark_from(const struct frame *f, uint32_t task, event_id event)
{
    uint32_t low = f->first[task];
    uint32_t high = f->first[task + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (f->marks[middle].event < event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool frame_is_holding(const struct frame *f, uint32_t task, uint32_t mark)
{
    if (mark == f->first[task]) {
        return false;
    }
    const struct frame_span held = f->held_after[mark - 1];
    const struct sections *s = &f->hb.sections;
    for (uint32_t i = 0; i < held.count; i++) {
        if (s->locks[s->list[f->held[held.first + i]].lock].is_contended) {
            return true;
        }
    }
    return false;
}

event_id frame_calm(const struct frame *f, uint32_t task, event_id event)
{
    must(trace_at(f->trace, event)->task == task);
    uint32_t mark = frame_mark_from(f, task, event);
    if (!frame_is_holding(f, task, mark)) {
        return event;
    }
    while (frame_is_holding(f, task, mark)) {
        mark--;
    }
    return f->marks[mark].event;
}

uint32_t frame_outermost(const struct frame *f, uint32_t access)
{
    const struct frame_span held = f->held_at[access];
    uint32_t outermost = UINT32_MAX;
    for (uint32_t i = held.first; i < held.first + held.count; i++) {
        if (outermost == UINT32_MAX ||
            f->hb.sections.list[f->held[i]].begin < f->hb.sections.list[outermost].begin) {
            outermost = f->held[i];
        }
    }
    return outermost;
}

void frame_release(struct frame *f)
{
    variables_release(&f->variables);
    settled_release(&f->settled);
    compared_release(&f->compared);
    hb_release(&f->hb);
    arena_release(&f->arena);
}
