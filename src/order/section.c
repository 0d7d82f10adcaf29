#include "order/section.h"

#include "base/map.h"
#include "order/event_notes.h"
#include "order/object_key.h"

/* Sections are derived per holding: one task's use of one lock. A section that is never released
 * ends where another task next takes the lock, and the walk over the holding continues there. The
 * depths ahead say whether a section is ever released, so that a trace without any unlock takes
 * linear time too. */

/* An event that acquires or releases a lock, or gives it up in a wait. */
struct use {
    event_id event;
    event_id before; /* the task's event before it, EVENT_NONE when it is the first */
    uint32_t holding;
    bool is_lone; /* a WAIT_END without its WAIT_BEGIN: releases and acquires in one */
};

struct holding {
    uint32_t task;
    uint32_t lock;
    uint32_t first; /* slots of its uses, in listed order */
    uint32_t count;
    uint32_t wait_end;      /* one more than the slot of its last wait event, 0: there is none */
    uint32_t exclusive_end; /* the same of its last LOCK that is not shared */
};

struct build {
    const struct trace *t;
    const struct contexts *c;
    const struct sections_options *o;
    struct notes *n;
    struct arena scratch;

    struct map lock_of;      /* scoped name to lock */
    struct map semaphore_of; /* scoped name of a semaphore to lock */
    struct map once_of;      /* scoped name of a one-time initialization to lock */
    struct map holding_of;   /* (task, lock) to holding */
    VEC(struct lock) locks;
    VEC(struct holding) holdings;
    VEC(struct use) uses; /* in listed order */
    VEC(struct section) list;

    uint32_t *use_at;   /* per slot: a number into uses */
    int32_t *depth;     /* per slot: LOCKs less UNLOCKs of the holding up to there */
    int32_t *depth_min; /* per slot: the least depth from there on */
};

/* ---- collecting ---- */

static bool is_wait(const struct event *e)
{
    return e->kind == EVENT_WAIT_BEGIN || e->kind == EVENT_WAIT_END;
}

/* The role of an event for the lock that its semaphore or one-time initialization stands for. */
static bool takes(const struct build *b, event_id id)
{
    const uint16_t kind = trace_at(b->t, id)->kind;
    return kind == EVENT_LOCK || kind == EVENT_SEM_WAIT || kind == EVENT_ONCE_BEGIN;
}

static bool gives_back(const struct build *b, event_id id)
{
    const uint16_t kind = trace_at(b->t, id)->kind;
    return kind == EVENT_UNLOCK || kind == EVENT_SEM_POST ||
           (kind == EVENT_ONCE && once_at(b->o->onces, id)->end == id);
}

/* A section of one event: a call that finds the initialization complete. */
static bool passes(const struct build *b, event_id id)
{
    return trace_at(b->t, id)->kind == EVENT_ONCE && !gives_back(b, id);
}

static bool is_use(const struct build *b, event_id id)
{
    const struct event *e = trace_at(b->t, id);
    return e->kind == EVENT_LOCK || e->kind == EVENT_UNLOCK || is_wait(e) ||
           semaphore_used(b->o->semaphores, b->t, id, SEMAPHORE_LOCK) != NULL ||
           once_at(b->o->onces, id) != NULL;
}

static uint32_t lock_number(struct build *b, const struct event *e)
{
    const bool is_semaphore = e->kind == EVENT_SEM_WAIT || e->kind == EVENT_SEM_POST;
    const bool is_once = e->kind == EVENT_ONCE_BEGIN || e->kind == EVENT_ONCE;
    const uint64_t scoped = is_wait(e) ? scope_name(b->t, e, e->text != 0 ? e->text : e->object)
                            : is_semaphore || is_once ? scope_name(b->t, e, e->object)
                                                      : scope_lock(b->t, e);
    struct map *number_of = is_semaphore ? &b->semaphore_of : is_once ? &b->once_of : &b->lock_of;
    bool is_new = false;
    const uint32_t lock = *map_slot(number_of, scoped, (uint32_t)b->locks.count, &is_new);
    if (is_new) {
        const uint32_t node = (uint32_t)(scoped >> 32);
        vec_push(&b->locks, (struct lock){.node = node == SCOPE_WHOLE_TRACE ? 0 : node,
                                          .name = (uint32_t)scoped});
    }
    return lock;
}

static uint32_t holding_number(struct build *b, const struct event *e)
{
    const uint32_t lock = lock_number(b, e);
    bool is_new = false;
    const uint32_t holding =
        *map_slot(&b->holding_of, map_pair(e->task, lock), (uint32_t)b->holdings.count, &is_new);
    if (is_new) {
        vec_push(&b->holdings, (struct holding){.task = e->task, .lock = lock});
    }
    return holding;
}

static void collect(struct build *b)
{
    event_id *before = arena_array(&b->scratch, event_id, b->t->tables.tasks.count + 1);
    for (size_t task = 0; task < b->t->tables.tasks.count; task++) {
        before[task] = EVENT_NONE;
    }
    uint32_t wait_count = 0; /* waits are in listed order of their ends */
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        if (is_use(b, id)) {
            struct use use = {
                .event = id, .before = before[e->task], .holding = holding_number(b, e)};
            if (e->kind == EVENT_WAIT_END) {
                while (b->o->waits->list[wait_count].end < id) {
                    wait_count++;
                }
                must(b->o->waits->list[wait_count].end == id);
                use.is_lone = !b->o->waits->list[wait_count++].is_paired;
            }
            b->holdings.at[use.holding].count++;
            vec_push(&b->uses, use);
        }
        before[e->task] = id;
    }
}

static void sort_uses(struct build *b)
{
    b->use_at = arena_array(&b->scratch, uint32_t, b->uses.count + 1);
    b->depth = arena_array(&b->scratch, int32_t, b->uses.count + 1);
    b->depth_min = arena_array(&b->scratch, int32_t, b->uses.count + 1);
    uint32_t first = 0;
    vec_each (&b->holdings, h) {
        h->first = first;
        first += h->count;
        h->count = 0;
    }
    for (uint32_t i = 0; i < b->uses.count; i++) {
        struct holding *h = &b->holdings.at[b->uses.at[i].holding];
        const event_id id = b->uses.at[i].event;
        const struct event *e = trace_at(b->t, id);
        const uint32_t slot = h->first + h->count++;
        b->use_at[slot] = i;
        b->depth[slot] =
            (h->count == 1 ? 0 : b->depth[slot - 1]) + takes(b, id) - gives_back(b, id);
        h->wait_end = is_wait(e) ? slot + 1 : h->wait_end;
        if (takes(b, id) && !lock_mode_is_shared(e->mode)) {
            h->exclusive_end = slot + 1;
        }
    }
    vec_each (&b->holdings, h) {
        int32_t least = INT32_MAX;
        for (uint32_t slot = h->first + h->count; slot-- > h->first;) {
            least = b->depth[slot] < least ? b->depth[slot] : least;
            b->depth_min[slot] = least;
        }
    }
}

/* ---- walking a holding ---- */

/* A walk along a holding. */
struct walk {
    uint32_t depth;
    uint32_t depth_saved; /* the depth that a wait gave up */
    struct section open;  /* while depth > 0 */
    uint32_t open_use;    /* the use that began it */
};

static void section_end(struct build *b, const struct section *open, event_id end)
{
    struct section s = *open;
    s.end = end;
    vec_push(&b->list, s);
}

static void section_begin(struct build *b, struct walk *w, uint32_t use)
{
    w->open_use = use;
    w->open.begin = b->uses.at[use].event;
}

static void walk_step(struct build *b, struct walk *w, uint32_t number)
{
    const struct use *use = &b->uses.at[number];
    const struct event *e = trace_at(b->t, use->event);
    if (passes(b, use->event)) {
        const struct section pass = {.lock = w->open.lock,
                                     .task = w->open.task,
                                     .begin = use->event,
                                     .is_shared = true,
                                     .is_released = true};
        section_end(b, &pass, use->event);
    } else if (takes(b, use->event)) {
        const bool is_shared = lock_mode_is_shared(e->mode);
        w->open.is_shared = is_shared && (w->depth == 0 || w->open.is_shared);
        if (w->depth++ == 0) {
            section_begin(b, w, number);
        }
    } else if (gives_back(b, use->event)) {
        if (w->depth == 0) {
            remark(b->n, b->t, use->event, "a lock is released that its task does not hold");
        } else if (--w->depth == 0) {
            section_end(b, &w->open, use->event);
        }
    } else if (e->kind == EVENT_WAIT_BEGIN) {
        if (w->depth > 0) {
            section_end(b, &w->open, use->event);
        }
        w->depth_saved = w->depth;
        w->depth = 0;
    } else if (!use->is_lone) {
        if (w->depth == 0) {
            w->depth = w->depth_saved;
            section_begin(b, w, number);
        }
        w->depth_saved = 0;
    } else if (w->depth > 0) {
        section_end(b, &w->open, use->before);
        section_begin(b, w, number);
    }
}

/* ---- sections that are never released ---- */

/* Whether the depths ahead say that the section open behind this slot is never released. Waits end
 * sections at every depth, so while one is ahead the walk continues. */
static bool is_lost(const struct build *b, const struct holding *h, const struct walk *w,
                    uint32_t slot)
{
    return w->depth > 0 && slot + 1 >= h->wait_end &&
           (slot + 1 == h->first + h->count ||
            b->depth_min[slot + 1] > b->depth[slot] - (int32_t)w->depth);
}

static event_id last_of_task(const struct build *b, uint32_t task, event_id from, event_id end)
{
    for (event_id id = end; id-- > from;) {
        if (b->t->events.at[id].task == task) {
            return id;
        }
    }
    return from;
}

/* The end of such a section: before another task next takes the lock, or the end of its own task.
 * The next section begins behind that, so a holding searches the list once. */
static event_id lost_end(const struct build *b, const struct section *s, uint32_t use_from)
{
    for (uint32_t i = use_from; i < b->uses.count; i++) {
        const struct use *use = &b->uses.at[i];
        const struct holding *h = &b->holdings.at[use->holding];
        const struct event *e = trace_at(b->t, use->event);
        if (h->lock == s->lock && h->task != s->task && takes(b, use->event) &&
            !(s->is_shared && lock_mode_is_shared(e->mode))) {
            return last_of_task(b, s->task, s->begin, use->event);
        }
    }
    return b->c->last[s->task];
}

/* Ends the section and returns the last slot that it covers. */
static uint32_t lose(struct build *b, const struct holding *h, struct walk *w, uint32_t slot)
{
    const uint32_t end_slot = h->first + h->count;
    w->open.is_shared = w->open.is_shared && h->exclusive_end <= slot + 1;
    w->open.is_released = false;
    const event_id end = lost_end(b, &w->open, w->open_use + 1);
    section_end(b, &w->open, end);
    remark(b->n, b->t, w->open.begin,
           "a lock is never released; taken to be held to its task's end, or until another takes "
           "it");
    while (slot + 1 < end_slot && b->uses.at[b->use_at[slot + 1]].event <= end) {
        slot++;
    }
    return slot;
}

static void read_holding(struct build *b, const struct holding *h)
{
    const struct walk fresh = {.open = {.lock = h->lock, .task = h->task, .is_released = true}};
    struct walk w = fresh;
    for (uint32_t slot = h->first; slot < h->first + h->count; slot++) {
        walk_step(b, &w, b->use_at[slot]);
        if (is_lost(b, h, &w, slot)) {
            slot = lose(b, h, &w, slot);
            w = fresh;
        }
    }
}

/* ---- laying out ---- */

/* Whether two tasks have sections of the lock that exclude each other: one that is not shared, and
 * another task's. */
static bool is_contended(const struct sections *s, const struct lock *lock)
{
    bool is_exclusive = false;
    bool has_two_tasks = false;
    for (uint32_t i = 0; i < lock->count; i++) {
        const struct section *section = &s->list[s->by_lock[lock->first + i]];
        is_exclusive |= !section->is_shared;
        has_two_tasks |= section->task != s->list[s->by_lock[lock->first]].task;
    }
    return is_exclusive && has_two_tasks;
}

/* Numbers the sections in listed order of their beginnings, and lists them by lock. A task takes
 * one lock at a time, so an event begins one section. */
static void lay_out(struct sections *s, struct build *b, struct arena *a)
{
    const uint32_t count = (uint32_t)b->list.count;
    struct section *list = arena_array(a, struct section, count + 1);
    uint32_t *section_at = arena_array(&b->scratch, uint32_t, b->t->events.count + 1);
    for (uint32_t i = 0; i < count; i++) {
        section_at[b->list.at[i].begin] = i + 1;
    }
    uint32_t filled = 0;
    vec_each (&b->uses, use) {
        if (section_at[use->event] != 0) {
            list[filled++] = b->list.at[section_at[use->event] - 1];
            must(filled < 2 || list[filled - 2].begin < list[filled - 1].begin);
        }
    }
    must(filled == count);

    struct lock *locks = arena_array(a, struct lock, b->locks.count + 1);
    for (size_t i = 0; i < b->locks.count; i++) {
        locks[i] = b->locks.at[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        locks[list[i].lock].count++;
    }
    uint32_t first = 0;
    for (size_t i = 0; i < b->locks.count; i++) {
        locks[i].first = first;
        first += locks[i].count;
        locks[i].count = 0;
    }
    must(first == count);
    uint32_t *by_lock = arena_array(a, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct lock *lock = &locks[list[i].lock];
        by_lock[lock->first + lock->count++] = i;
    }
    *s = (struct sections){
        .list = list,
        .count = count,
        .locks = locks,
        .lock_count = (uint32_t)b->locks.count,
        .by_lock = by_lock,
    };
    for (size_t i = 0; i < b->locks.count; i++) {
        locks[i].is_contended = is_contended(s, &locks[i]);
    }
}

void sections_build(struct sections *s, const struct trace *t, const struct contexts *c,
                    const struct sections_options *o, struct arena *a, struct notes *n)
{
    struct build b = {.t = t, .c = c, .o = o, .n = n};
    collect(&b);
    sort_uses(&b);
    vec_each (&b.holdings, h) {
        read_holding(&b, h);
    }
    lay_out(s, &b, a);
    map_release(&b.lock_of);
    map_release(&b.semaphore_of);
    map_release(&b.once_of);
    map_release(&b.holding_of);
    vec_release(&b.locks);
    vec_release(&b.holdings);
    vec_release(&b.uses);
    vec_release(&b.list);
    arena_release(&b.scratch);
}

uint32_t sections_at(const struct sections *s, event_id begin)
{
    uint32_t low = 0;
    uint32_t high = s->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->list[middle].begin < begin) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->count && s->list[low].begin == begin ? low : UINT32_MAX;
}
