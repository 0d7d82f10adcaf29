#include "race/splice.h"

#include "base/map.h"

/* ---- making ready ---- */

bool splice_list_is_allowed(const struct hb *hb)
{
    for (uint32_t i = 0; i < hb->sections.lock_count; i++) {
        const uint32_t *numbers = hb->sections.by_lock + hb->sections.locks[i].first;
        const struct section *exclusive = NULL; /* of those so far, the one that ends last */
        const struct section *shared = NULL;
        for (uint32_t k = 0; k < hb->sections.locks[i].count; k++) {
            const struct section *s = &hb->sections.list[numbers[k]];
            if ((exclusive != NULL && exclusive->end > s->begin && exclusive->task != s->task) ||
                (!s->is_shared && shared != NULL && shared->end > s->begin &&
                 shared->task != s->task)) {
                return false;
            }
            const struct section **of_kind = s->is_shared ? &shared : &exclusive;
            *of_kind = *of_kind == NULL || (*of_kind)->end < s->end ? s : *of_kind;
        }
    }
    return hb->follows_list;
}

static void add_if_across(struct edges *edges, const struct trace *t, event_id from, event_id to,
                          enum edge_kind kind)
{
    if (t->events.at[from].task != t->events.at[to].task) {
        edges_add(edges, from, to, kind);
    }
}

/* What is kept of the list in every part: the tasks' own lists, the edges, and who woke whom. */
static void build_order(struct splice *s)
{
    const struct hb *hb = s->hb;
    const struct trace *t = hb->trace;
    struct notes ignored = {0};
    struct edges edges = {0};
    contexts_build(&s->tasks, t, CONTEXT_TASKS, &s->arena, &ignored);
    vec_each (&hb->edges.list, edge) {
        add_if_across(&edges, t, edge->from, edge->to, edge->kind);
    }
    for (uint32_t i = 0; i < hb->waits.count; i++) {
        const struct wait *w = &hb->waits.list[i];
        if (w->notify != EVENT_NONE) {
            add_if_across(&edges, t, w->notify, w->end, EDGE_NOTIFY);
        }
        if (w->notify != EVENT_NONE && w->begin != EVENT_NONE) {
            add_if_across(&edges, t, w->begin, w->notify, EDGE_NOTIFY);
        }
    }
    graph_build(&s->graph, &s->tasks, &edges, &s->arena);
    const event_id blocked =
        reach_build(&s->before, &s->graph, t, REACH_BEFORE, REACH_ALL, &s->arena);
    must(blocked == EVENT_NONE);
    edges_release(&edges);
    notes_release(&ignored);
}

static void sort_sections(struct splice *s)
{
    const struct sections *sections = &s->hb->sections;
    struct bucket_items by_holder = {0};
    struct bucket_items by_lock = {0};
    VEC(uint32_t) tasks = {0};
    for (uint32_t i = 0; i < sections->count; i++) {
        const struct section *section = &sections->list[i];
        if (!sections->locks[section->lock].is_contended) {
            continue;
        }
        bool is_new = false;
        const uint32_t holder = *map_slot(&s->holder_of, map_pair(section->lock, section->task),
                                          (uint32_t)tasks.count, &is_new);
        if (is_new) {
            vec_push(&tasks, section->task);
            bucket_add(&by_lock, section->lock, holder);
        }
        bucket_add(&by_holder, holder, i);
    }
    uint32_t *holder_task = arena_array(&s->arena, uint32_t, tasks.count + 1);
    for (size_t i = 0; i < tasks.count; i++) {
        holder_task[i] = tasks.at[i];
    }
    s->holder_task = holder_task;
    s->sections = buckets_sort(&by_holder, (uint32_t)tasks.count, &s->arena);
    s->holders = buckets_sort(&by_lock, sections->lock_count, &s->arena);
    vec_release(&tasks);
    vec_release(&by_holder.list);
    vec_release(&by_lock.list);
}

void splice_build(struct splice *s, const struct hb *hb, const struct held *held)
{
    *s = (struct splice){.hb = hb, .held = held};
    build_order(s);
    sort_sections(s);
    s->first = arena_array(&s->arena, uint32_t, (size_t)s->tasks.task_count + 1);
    s->second = arena_array(&s->arena, uint32_t, (size_t)s->tasks.task_count + 1);
}

void splice_release(struct splice *s)
{
    reach_release(&s->before);
    map_release(&s->holder_of);
    vec_release(&s->pinned);
    arena_release(&s->arena);
}

/* ---- cuts: how many events of each task ---- */

/* Adds the event and all it needs. */
static void cut_take(const struct splice *s, uint32_t *cut, event_id id)
{
    for (uint32_t task = 0; task < s->tasks.task_count; task++) {
        const uint32_t count = reach_count(&s->before, id, task);
        cut[task] = cut[task] > count ? cut[task] : count;
    }
}

/* What the first part must not hold: the pair itself. */
struct limits {
    event_id events[2];
    size_t count;
};

static bool is_beyond(const struct splice *s, const struct limits *limits, event_id id)
{
    for (size_t i = 0; i < limits->count; i++) {
        const event_id limit = limits->events[i];
        if (reach_count(&s->before, id, s->tasks.of[limit]) > s->tasks.position[limit]) {
            return true;
        }
    }
    return false;
}

static void pin(struct splice *s, uint32_t section)
{
    vec_each (&s->pinned, pinned) {
        if (*pinned == section) {
            return;
        }
    }
    vec_push(&s->pinned, section);
}

/* The sections of a task that are open behind the cut. */
static struct bucket open_behind(const struct splice *s, const uint32_t *cut, uint32_t task)
{
    const uint32_t set =
        cut[task] == 0 ? 0 : s->held->set_of[context_event(&s->tasks, task, cut[task] - 1)];
    if (set == 0) {
        return (struct bucket){0};
    }
    return (struct bucket){.at = s->held->sections + s->held->first[set],
                           .count = s->held->first[set + 1] - s->held->first[set]};
}

static bool is_open(const struct splice *s, const uint32_t *cut, uint32_t section)
{
    const event_id end = s->hb->sections.list[section].end;
    return s->tasks.position[end] >= cut[s->hb->sections.list[section].task];
}

/* Lets all open sections end, but for those that end behind a limit: they are pinned. */
static void cut_close(struct splice *s, uint32_t *cut, const struct limits *limits)
{
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (uint32_t task = 0; task < s->tasks.task_count; task++) {
            const struct bucket open = open_behind(s, cut, task);
            for (uint32_t i = 0; i < open.count; i++) {
                const event_id end = s->hb->sections.list[open.at[i]].end;
                if (!is_open(s, cut, open.at[i])) {
                    continue;
                }
                if (is_beyond(s, limits, end)) {
                    pin(s, open.at[i]);
                } else {
                    cut_take(s, cut, end);
                    has_changed = true;
                }
            }
        }
    }
}

/* ---- sections in the way ---- */

enum side { LISTED_BEFORE, LISTED_AFTER };

/* A span of a task's list: positions from..to-1. */
struct span {
    uint32_t from, to;
};

/* Calls `each` for the sections of one holder that exclude the pinned one, are listed on that side
 * of it and begin in the span; ends with the first for which it is false, and returns that. */
static bool each_in_way(const struct splice *s, const struct section *pinned, uint32_t holder,
                        enum side side, struct span span, const uint32_t *apart)
{
    const struct bucket numbers = bucket_at(&s->sections, holder);
    uint32_t low = 0;
    uint32_t high = numbers.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const event_id begin = s->hb->sections.list[numbers.at[middle]].begin;
        const bool is_early =
            s->tasks.position[begin] < span.from || (side == LISTED_AFTER && begin < pinned->begin);
        if (is_early) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (uint32_t i = low; i < numbers.count; i++) {
        const struct section *other = &s->hb->sections.list[numbers.at[i]];
        if (s->tasks.position[other->begin] >= span.to ||
            (side == LISTED_BEFORE && other->begin > pinned->begin)) {
            return true;
        }
        const bool is_apart = apart != NULL && s->tasks.position[other->end] < apart[other->task];
        if (sections_exclude(pinned, other) && !is_apart) {
            return false;
        }
    }
    return true;
}

/* Whether nothing excludes the pinned section that is listed on that side of it and begins between
 * the two cuts; what ends before `apart` (if given) does not count. */
static bool way_is_free(const struct splice *s, const struct section *pinned, enum side side,
                        const uint32_t *from, const uint32_t *to, const uint32_t *apart)
{
    const struct bucket holders = bucket_at(&s->holders, pinned->lock);
    for (uint32_t i = 0; i < holders.count; i++) {
        const uint32_t task = s->holder_task[holders.at[i]];
        const struct span span = {from == NULL ? 0 : from[task], to[task]};
        if (task != pinned->task && !each_in_way(s, pinned, holders.at[i], side, span, apart)) {
            return false;
        }
    }
    return true;
}

static bool pinned_are_compatible(const struct splice *s)
{
    for (size_t i = 0; i < s->pinned.count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (sections_exclude(&s->hb->sections.list[s->pinned.at[i]],
                                 &s->hb->sections.list[s->pinned.at[k]])) {
                return false;
            }
        }
    }
    return true;
}

/* The first position of the task that comes after an event of another, up to the cut. */
static uint32_t first_after(const struct splice *s, event_id id, uint32_t task, uint32_t cut)
{
    const uint32_t of = s->tasks.of[id];
    uint32_t low = 0;
    uint32_t high = cut;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const event_id event = context_event(&s->tasks, task, middle);
        if (reach_count(&s->before, event, of) <= s->tasks.position[id]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Where sections that exclude a pinned one are listed behind it, the pinned ones and all that comes
 * after their beginnings are put last in the first part. Then no other section may lie across. */
static bool can_put_last(const struct splice *s, uint32_t *apart)
{
    for (uint32_t task = 0; task < s->tasks.task_count; task++) {
        apart[task] = s->first[task];
        vec_each (&s->pinned, pinned) {
            const uint32_t after =
                first_after(s, s->hb->sections.list[*pinned].begin, task, s->first[task]);
            apart[task] = apart[task] < after ? apart[task] : after;
        }
        const struct bucket open = open_behind(s, apart, task);
        for (uint32_t i = 0; i < open.count; i++) {
            if (is_open(s, apart, open.at[i])) {
                return false;
            }
        }
    }
    return true;
}

static bool first_part_is_allowed(const struct splice *s)
{
    bool is_free = true;
    vec_each (&s->pinned, pinned) {
        is_free = is_free && way_is_free(s, &s->hb->sections.list[*pinned], LISTED_AFTER, NULL,
                                         s->first, NULL);
    }
    if (is_free) {
        return true;
    }
    uint32_t *apart = s->second; /* not in use yet */
    is_free = can_put_last(s, apart);
    vec_each (&s->pinned, pinned) {
        is_free = is_free && way_is_free(s, &s->hb->sections.list[*pinned], LISTED_AFTER, NULL,
                                         s->first, apart);
    }
    return is_free;
}

/* Until the pinned sections have ended, nothing begins that excludes them and is listed before
 * them. */
static bool second_part_is_allowed(const struct splice *s)
{
    vec_each (&s->pinned, pinned) {
        if (!way_is_free(s, &s->hb->sections.list[*pinned], LISTED_BEFORE, s->first, s->second,
                         NULL)) {
            return false;
        }
    }
    return true;
}

/* ---- questions ---- */

static void begin(struct splice *s)
{
    for (uint32_t task = 0; task < s->tasks.task_count; task++) {
        s->first[task] = 0;
    }
    vec_clear(&s->pinned);
}

/* The first part is what was taken so far; the pair, if it is to come behind, is in the limits. */
static bool finish(struct splice *s, const struct limits *limits, bool takes_limits)
{
    cut_close(s, s->first, limits);
    if (s->pinned.count == 0) {
        return true;
    }
    if (!pinned_are_compatible(s) || !first_part_is_allowed(s)) {
        return false;
    }
    for (uint32_t task = 0; task < s->tasks.task_count; task++) {
        s->second[task] = s->first[task];
    }
    for (size_t i = 0; takes_limits && i < limits->count; i++) {
        cut_take(s, s->second, limits->events[i]);
    }
    vec_each (&s->pinned, pinned) {
        cut_take(s, s->second, s->hb->sections.list[*pinned].end);
    }
    cut_close(s, s->second, &(struct limits){.count = 0});
    return second_part_is_allowed(s);
}

bool splice_adjacent(struct splice *s, event_id a, event_id b)
{
    const struct limits limits = {.events = {a, b}, .count = 2};
    const uint32_t task_a = s->tasks.of[a];
    const uint32_t task_b = s->tasks.of[b];
    if (reach_count(&s->before, b, task_a) > s->tasks.position[a] ||
        reach_count(&s->before, a, task_b) > s->tasks.position[b]) {
        return false;
    }
    begin(s);
    cut_take(s, s->first, a);
    cut_take(s, s->first, b);
    s->first[task_a] = s->tasks.position[a];
    s->first[task_b] = s->tasks.position[b];
    return finish(s, &limits, true);
}

bool splice_before(struct splice *s, event_id a, event_id b)
{
    const struct limits limits = {.events = {b}, .count = 1};
    if (reach_count(&s->before, a, s->tasks.of[b]) > s->tasks.position[b]) {
        return false;
    }
    begin(s);
    cut_take(s, s->first, a);
    return finish(s, &limits, false);
}
