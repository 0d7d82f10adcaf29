#include "race/strict/reorder.h"

#include "base/map.h"
#include "wire/must.h"

/* ---- making ready ---- */

bool reorder_list_is_allowed(const struct hb *hb)
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

/* The order that every part keeps from the list: the tasks' own lists, the edges, and the wakeups.
 */
static void build_order(struct reorder *s)
{
    const struct hb *hb = s->hb;
    const struct trace *t = hb->trace;
    struct notes ignored = {0};
    struct edges edges = {0};
    s->is_exact = hb->contexts.count == hb->contexts.task_count;
    contexts_build(&s->tasks, t, CONTEXT_TASKS, &s->arena, &ignored);
    must(s->tasks.count == t->tables.tasks.count);
    vec_each (&hb->edges.list, edge) {
        add_if_across(&edges, t, edge->from, edge->to, edge->kind);
    }
    for (uint32_t i = 0; i < hb->waits.count; i++) {
        const struct wait *w = &hb->waits.list[i];
        if (wait_is_strict(w)) {
            add_if_across(&edges, t, w->notify, w->end, EDGE_NOTIFY);
            s->is_exact = false;
        }
        if (wait_is_strict(w) && w->begin != EVENT_NONE) {
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

static void sort_sections(struct reorder *s)
{
    const struct sections *sections = &s->hb->sections;
    struct bucket_items by_holder = {0};
    struct bucket_items by_lock = {0};
    struct map holder_of = {0}; /* (lock, task) to holder */
    VEC(uint32_t) tasks = {0};
    for (uint32_t i = 0; i < sections->count; i++) {
        const struct section *section = &sections->list[i];
        if (!sections->locks[section->lock].is_contended) {
            continue;
        }
        bool is_new = false;
        const uint32_t holder = *map_slot(&holder_of, map_pair(section->lock, section->task),
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
    must(tasks.count == holder_of.entries.count);
    s->holder_task = holder_task;
    s->sections = buckets_sort(&by_holder, (uint32_t)tasks.count, &s->arena);
    s->holders = buckets_sort(&by_lock, sections->lock_count, &s->arena);
    map_release(&holder_of);
    vec_release(&tasks);
    vec_release(&by_holder.list);
    vec_release(&by_lock.list);
}

void reorder_build(struct reorder *s, const struct hb *hb, const struct held *held)
{
    *s = (struct reorder){.hb = hb, .held = held};
    build_order(s);
    sort_sections(s);
    s->needed = arena_array(&s->arena, uint32_t, (size_t)s->tasks.task_count + 1);
    s->first = arena_array(&s->arena, uint32_t, (size_t)s->tasks.task_count + 1);
}

void reorder_release(struct reorder *s)
{
    reach_release(&s->before);
    vec_release(&s->pinned);
    arena_release(&s->scratch);
    arena_release(&s->arena);
}

/* ---- cuts: how many events of each task ---- */

/* Adds the event and all it needs. */
static void cut_take(const struct reorder *s, uint32_t *cut, event_id id)
{
    for (uint32_t task = 0; task < s->tasks.task_count; task++) {
        const uint32_t count = reach_count(&s->before, id, task);
        must(count <= s->tasks.list[task].count);
        cut[task] = cut[task] > count ? cut[task] : count;
    }
}

/* Events that the first part must not hold: the pair itself. */
struct limits {
    event_id events[2];
    size_t count;
};

static bool is_beyond(const struct reorder *s, const struct limits *limits, event_id id)
{
    for (size_t i = 0; i < limits->count; i++) {
        const event_id limit = limits->events[i];
        if (reach_count(&s->before, id, s->tasks.of[limit]) > s->tasks.position[limit]) {
            return true;
        }
    }
    return false;
}

static bool is_pinned(const struct reorder *s, uint32_t section)
{
    vec_each (&s->pinned, pinned) {
        if (*pinned == section) {
            return true;
        }
    }
    return false;
}

/* The sections of a task that are open behind the cut. */
static struct bucket open_behind(const struct reorder *s, const uint32_t *cut, uint32_t task)
{
    const uint32_t set =
        cut[task] == 0 ? 0 : s->held->set_of[context_event(&s->tasks, task, cut[task] - 1)];
    if (set == 0) {
        return (struct bucket){0};
    }
    return (struct bucket){.at = s->held->sections + s->held->first[set],
                           .count = s->held->first[set + 1] - s->held->first[set]};
}

static bool is_open(const struct reorder *s, const uint32_t *cut, uint32_t section)
{
    const event_id end = s->hb->sections.list[section].end;
    return s->tasks.position[end] >= cut[s->hb->sections.list[section].task];
}

/* Lets the open sections of a task end, but for pinned ones; those that end behind a limit are
 * pinned. True when it took something in. */
static bool cut_close_task(struct reorder *s, uint32_t *cut, uint32_t task,
                           const struct limits *limits)
{
    bool has_changed = false;
    const struct bucket open = open_behind(s, cut, task);
    for (uint32_t i = 0; i < open.count; i++) {
        const event_id end = s->hb->sections.list[open.at[i]].end;
        if (!is_open(s, cut, open.at[i]) || is_pinned(s, open.at[i])) {
            continue;
        }
        if (is_beyond(s, limits, end)) {
            vec_push(&s->pinned, open.at[i]);
        } else {
            cut_take(s, cut, end);
            has_changed = true;
        }
    }
    return has_changed;
}

static void cut_close(struct reorder *s, uint32_t *cut, const struct limits *limits)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t task = 0; task < s->tasks.task_count; task++) {
            has_changed |= cut_close_task(s, cut, task, limits);
        }
    }
}

/* ---- is a part allowed? ---- */

/* Which of the sections that exclude a pinned one are in its way. */
enum in_way { LISTED_BEFORE_IT, LISTED_AFTER_IT, ANY };

/* The first of the holder's sections that begins at this position or behind, and is listed after
 * this event. */
static uint32_t first_section(const struct reorder *s, struct bucket numbers, uint32_t position,
                              event_id after)
{
    uint32_t low = 0;
    uint32_t high = numbers.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const event_id begin = s->hb->sections.list[numbers.at[middle]].begin;
        if (s->tasks.position[begin] < position || begin < after) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Whether no section begins between the cuts that is in the way of the pinned one. */
static bool way_is_free(const struct reorder *s, const struct section *pinned, enum in_way in_way,
                        const uint32_t *from, const uint32_t *to)
{
    const struct bucket holders = bucket_at(&s->holders, pinned->lock);
    for (uint32_t i = 0; i < holders.count; i++) {
        const uint32_t task = s->holder_task[holders.at[i]];
        if (task == pinned->task || from[task] == to[task]) {
            continue;
        }
        const struct bucket numbers = bucket_at(&s->sections, holders.at[i]);
        const event_id after = in_way == LISTED_AFTER_IT ? pinned->begin : 0;
        for (uint32_t k = first_section(s, numbers, from[task], after); k < numbers.count; k++) {
            const struct section *other = &s->hb->sections.list[numbers.at[k]];
            if (s->tasks.position[other->begin] >= to[task] ||
                (in_way == LISTED_BEFORE_IT && other->begin > pinned->begin)) {
                break;
            }
            if (sections_exclude(pinned, other)) {
                return false;
            }
        }
    }
    return true;
}

static bool is_in(const struct reorder *s, const uint32_t *cut, event_id id)
{
    return s->tasks.position[id] < cut[s->tasks.of[id]];
}

/* Whether the events between two cuts, as listed, keep clear of the pinned sections: no other
 * section is open at either cut. */
static bool part_is_allowed(const struct reorder *s, const uint32_t *from, const uint32_t *to)
{
    vec_each (&s->pinned, number) {
        const struct section *pinned = &s->hb->sections.list[*number];
        const bool is_begun = is_in(s, from, pinned->begin);
        const bool is_over = is_in(s, to, pinned->end);
        if (is_in(s, from, pinned->end) || !is_in(s, to, pinned->begin) || (!is_begun && is_over)) {
            continue; /* it lies before, behind or within, as in the list */
        }
        const enum in_way in_way = !is_begun ? LISTED_AFTER_IT : is_over ? LISTED_BEFORE_IT : ANY;
        if (!way_is_free(s, pinned, in_way, from, to)) {
            return false;
        }
    }
    return true;
}

/* ---- cutting a part again ---- */

/* Up to PINNED_MAX pinned sections are tried in every order. */
enum { PINNED_MAX = 6 };

static uint32_t *cut_new(struct reorder *s)
{
    return arena_array(&s->scratch, uint32_t, (size_t)s->tasks.task_count + 1);
}

static void cut_copy(const struct reorder *s, uint32_t *to, const uint32_t *from)
{
    for (uint32_t task = 0; task < s->tasks.task_count; task++) {
        to[task] = from[task];
    }
}

/* Takes out of the cut all that comes after the event, and the event. */
static void cut_drop(const struct reorder *s, uint32_t *cut, event_id id)
{
    const uint32_t of = s->tasks.of[id];
    for (uint32_t task = 0; task < s->tasks.task_count; task++) {
        uint32_t low = 0;
        uint32_t high = cut[task];
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            const event_id event = context_event(&s->tasks, task, middle);
            if (reach_count(&s->before, event, of) <= s->tasks.position[id]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        cut[task] = low;
    }
}

/* Leaves out a section of the task that is open at the cut and not pinned; false when there is
 * none. */
static bool cut_drop_open(const struct reorder *s, uint32_t *cut, uint32_t task)
{
    const struct bucket open = open_behind(s, cut, task);
    for (uint32_t i = 0; i < open.count; i++) {
        if (is_open(s, cut, open.at[i]) && !is_pinned(s, open.at[i])) {
            cut_drop(s, cut, s->hb->sections.list[open.at[i]].begin);
            return true;
        }
    }
    return false;
}

/* The events of the first part before the pinned sections begin that are not in the set, without
 * sections that would be open there. */
static const uint32_t *cut_before(struct reorder *s, unsigned begun)
{
    uint32_t *cut = cut_new(s);
    cut_copy(s, cut, s->first);
    for (size_t i = 0; i < s->pinned.count; i++) {
        if ((begun >> i & 1) == 0) {
            cut_drop(s, cut, s->hb->sections.list[s->pinned.at[i]].begin);
        }
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t task = 0; task < s->tasks.task_count; task++) {
            has_changed |= cut_drop_open(s, cut, task);
        }
    }
    return cut;
}

/* The events done when the pair has come and the pinned sections of the set have ended. */
static const uint32_t *cut_behind(struct reorder *s, unsigned ended, const struct limits *pair)
{
    uint32_t *cut = cut_new(s);
    cut_copy(s, cut, s->first);
    for (size_t i = 0; i < pair->count; i++) {
        cut_take(s, cut, pair->events[i]);
    }
    for (size_t i = 0; i < s->pinned.count; i++) {
        if ((ended >> i & 1) != 0) {
            cut_take(s, cut, s->hb->sections.list[s->pinned.at[i]].end);
        }
    }
    cut_close(s, cut, &(struct limits){.count = 0});
    return cut;
}

/* A way from no pinned section begun (or ended) to all, by cuts for sets of them. */
struct climb {
    struct reorder *s;
    const struct limits *pair; /* the events in between; NULL: the sections begin, else they end */
    const uint32_t *cuts[1 << PINNED_MAX];
};

static const uint32_t *climb_cut(struct climb *c, unsigned set)
{
    if (c->cuts[set] == NULL) {
        c->cuts[set] = c->pair == NULL ? cut_before(c->s, set) : cut_behind(c->s, set, c->pair);
    }
    return c->cuts[set];
}

static bool climb_step(struct climb *c, unsigned from, unsigned to)
{
    return part_is_allowed(c->s, climb_cut(c, from), climb_cut(c, to));
}

/* Whether all at once, or one after the other in some order, is allowed. */
static bool can_climb(struct reorder *s, const struct limits *pair)
{
    if (s->pinned.count > PINNED_MAX) {
        return false;
    }
    struct climb c = {.s = s, .pair = pair};
    const unsigned all = (1U << s->pinned.count) - 1;
    bool is_reached[1 << PINNED_MAX] = {true};
    is_reached[all] = climb_step(&c, 0, all);
    for (unsigned set = 0; set < all && !is_reached[all]; set++) {
        for (unsigned i = 0; is_reached[set] && i < s->pinned.count; i++) {
            const unsigned next = set | 1U << i;
            is_reached[next] = is_reached[next] || climb_step(&c, set, next);
        }
    }
    return is_reached[all];
}

/* ---- questions ---- */

/* Two pinned sections that exclude each other. If both have begun among the pair's needs (not only
 * among events added to end others), they are open at once in every order. */
static bool pinned_clash(const struct reorder *s, bool *is_certain)
{
    bool do_clash = false;
    for (size_t i = 0; i < s->pinned.count; i++) {
        const struct section *a = &s->hb->sections.list[s->pinned.at[i]];
        for (size_t k = 0; k < i; k++) {
            const struct section *b = &s->hb->sections.list[s->pinned.at[k]];
            if (sections_exclude(a, b)) {
                do_clash = true;
                *is_certain = *is_certain || (s->is_exact && is_in(s, s->needed, a->begin) &&
                                              is_in(s, s->needed, b->begin));
            }
        }
    }
    return do_clash;
}

static void begin(struct reorder *s)
{
    for (uint32_t task = 0; task < s->tasks.task_count; task++) {
        s->needed[task] = 0;
    }
    vec_clear(&s->pinned);
    arena_release(&s->scratch);
}

/* The needed events come first, up to the limits; then the pair, if there is one. */
static enum reorder_answer finish(struct reorder *s, const struct limits *limits,
                                  const struct limits *pair)
{
    cut_copy(s, s->first, s->needed);
    cut_close(s, s->first, limits);
    if (s->pinned.count == 0) {
        return SPLICE_YES;
    }
    bool is_certain = false;
    if (pinned_clash(s, &is_certain)) {
        return is_certain ? SPLICE_NO : SPLICE_SILENT;
    }
    const bool begins = part_is_allowed(s, cut_new(s), s->first) || can_climb(s, NULL);
    return begins && can_climb(s, pair) ? SPLICE_YES : SPLICE_SILENT;
}

enum reorder_answer reorder_adjacent(struct reorder *s, event_id a, event_id b)
{
    const struct limits limits = {.events = {a, b}, .count = 2};
    const uint32_t task_a = s->tasks.of[a];
    const uint32_t task_b = s->tasks.of[b];
    if (reach_count(&s->before, b, task_a) > s->tasks.position[a] ||
        reach_count(&s->before, a, task_b) > s->tasks.position[b]) {
        return SPLICE_SILENT;
    }
    begin(s);
    cut_take(s, s->needed, a);
    cut_take(s, s->needed, b);
    s->needed[task_a] = s->tasks.position[a];
    s->needed[task_b] = s->tasks.position[b];
    return finish(s, &limits, &limits);
}

enum reorder_answer reorder_before(struct reorder *s, event_id a, event_id b)
{
    const struct limits limits = {.events = {b}, .count = 1};
    if (reach_count(&s->before, a, s->tasks.of[b]) > s->tasks.position[b]) {
        return SPLICE_SILENT;
    }
    begin(s);
    cut_take(s, s->needed, a);
    return finish(s, &limits, &(struct limits){.count = 0});
}
