#include "order/condition_wait.h"

#include "base/bits.h"
#include "base/map.h"
#include "order/event_notes.h"
#include "order/object_key.h"

#define WAIT_NONE UINT32_MAX

/* A notify of a condition. */
struct notice {
    event_id event;
    uint32_t condition;
};

struct build {
    const struct trace *t;
    const struct semaphores *s;
    uint32_t *condition_of_semaphore; /* its number and one more, 0: none yet */
    uint32_t *wait_count;             /* per semaphore, so far */
    struct arena scratch;
    struct map condition_of; /* scoped name to condition */
    VEC(struct condition) conditions;
    VEC(struct wait) list;
    VEC(struct notice) notifies; /* in listed order */
};

static uint32_t condition_number(struct build *b, const struct event *e)
{
    const uint64_t scoped = scope_name(b->t, e, e->object);
    bool is_new = false;
    const uint32_t number =
        *map_slot(&b->condition_of, scoped, (uint32_t)b->conditions.count, &is_new);
    if (is_new) {
        vec_push(&b->conditions,
                 (struct condition){.node = (uint32_t)(scoped >> 32), .name = e->object});
    }
    return number;
}

/* The condition that stands for a counted semaphore. */
static uint32_t semaphore_condition(struct build *b, const struct semaphore *s)
{
    uint32_t *number = &b->condition_of_semaphore[s - b->s->list];
    if (*number == 0) {
        vec_push(&b->conditions,
                 (struct condition){.node = s->node, .name = s->name, .token_count = s->initial});
        *number = (uint32_t)b->conditions.count;
    }
    return *number - 1;
}

static void add_notify(struct build *b, event_id id, uint32_t condition)
{
    b->conditions.at[condition].count++;
    vec_push(&b->notifies, (struct notice){.event = id, .condition = condition});
}

/* The first waits take the initial count, each later one the next post. */
static void collect_semaphore(struct build *b, const struct semaphore *s, event_id id)
{
    const uint32_t condition = semaphore_condition(b, s);
    if (trace_at(b->t, id)->kind == EVENT_SEM_POST) {
        add_notify(b, id, condition);
        return;
    }
    const uint32_t place = b->wait_count[s - b->s->list]++;
    const bool is_token = place < s->initial;
    vec_push(&b->list,
             (struct wait){.condition = condition,
                           .begin = EVENT_NONE,
                           .end = id,
                           .notify = is_token ? EVENT_NONE : s->posts.at[place - s->initial],
                           .is_semaphore = true});
}

static bool is_notify(const struct event *e)
{
    return e->kind == EVENT_SIGNAL || e->kind == EVENT_BROADCAST;
}

/* Pairs each WAIT_END with its WAIT_BEGIN. A WAIT_END without one begins at the task's previous
 * event, as Falcon's single WAIT requires. */
static void collect(struct build *b)
{
    struct map begun = {0}; /* (task, condition) to its WAIT_BEGIN, EVENT_NONE when it has ended */
    event_id *before = arena_array(&b->scratch, event_id, b->t->tables.tasks.count + 1);
    for (size_t task = 0; task < b->t->tables.tasks.count; task++) {
        before[task] = EVENT_NONE;
    }
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        if (e->kind == EVENT_WAIT_BEGIN) {
            map_put(&begun, map_pair(e->task, e->object), id);
        } else if (e->kind == EVENT_WAIT_END) {
            uint32_t *begin = map_slot(&begun, map_pair(e->task, e->object), EVENT_NONE, NULL);
            vec_push(&b->list,
                     (struct wait){.condition = condition_number(b, e),
                                   .begin = *begin != EVENT_NONE ? *begin : before[e->task],
                                   .end = id,
                                   .notify = EVENT_NONE,
                                   .is_paired = *begin != EVENT_NONE});
            *begin = EVENT_NONE;
        } else if (is_notify(e)) {
            add_notify(b, id, condition_number(b, e));
        } else {
            const struct semaphore *s = semaphore_used(b->s, b->t, id, SEMAPHORE_COUNTED);
            if (s != NULL) {
                collect_semaphore(b, s, id);
            }
        }
        before[e->task] = id;
    }
    map_release(&begun);
}

/* The waits that are open at a point of the list and not yet notified, by condition. There are at
 * most as many as tasks. */
struct open_waits {
    const struct build *b;
    uint32_t *head;       /* per condition: its first open wait */
    uint32_t *next;       /* per wait: the next open one of its condition */
    uint32_t *same_begin; /* per wait: the next that begins at the same event */
    struct map begins;    /* event to the first wait that begins there */
    struct bits is_begin; /* per event */
};

static void open_insert(struct open_waits *o, uint32_t wait)
{
    const uint32_t condition = o->b->list.at[wait].condition;
    o->next[wait] = o->head[condition];
    o->head[condition] = wait;
}

static void open_remove(struct open_waits *o, uint32_t wait)
{
    uint32_t *link = &o->head[o->b->list.at[wait].condition];
    while (*link != WAIT_NONE && *link != wait) {
        link = &o->next[*link];
    }
    if (*link == wait) {
        *link = o->next[wait];
    }
}

static void serve(struct open_waits *o, uint32_t condition, event_id notify)
{
    const struct wait *list = o->b->list.at;
    if (trace_at(o->b->t, notify)->kind == EVENT_BROADCAST) {
        for (uint32_t i = o->head[condition]; i != WAIT_NONE; i = o->next[i]) {
            o->b->list.at[i].notify = notify;
        }
        o->head[condition] = WAIT_NONE;
        return;
    }
    uint32_t soonest = WAIT_NONE;
    for (uint32_t i = o->head[condition]; i != WAIT_NONE; i = o->next[i]) {
        if (soonest == WAIT_NONE || list[i].end < list[soonest].end) {
            soonest = i;
        }
    }
    if (soonest != WAIT_NONE) {
        o->b->list.at[soonest].notify = notify;
        open_remove(o, soonest);
    }
}

static void open_waits_init(struct open_waits *o, struct build *b)
{
    *o = (struct open_waits){
        .b = b,
        .head = arena_array(&b->scratch, uint32_t, b->conditions.count + 1),
        .next = arena_array(&b->scratch, uint32_t, b->list.count + 1),
        .same_begin = arena_array(&b->scratch, uint32_t, b->list.count + 1),
        .is_begin = bits_take(&b->scratch, b->t->events.count + 1),
    };
    for (size_t i = 0; i < b->conditions.count; i++) {
        o->head[i] = WAIT_NONE;
    }
    for (uint32_t i = 0; i < b->list.count; i++) {
        const event_id begin = b->list.at[i].begin;
        if (trace_at(b->t, b->list.at[i].end)->kind == EVENT_SEM_WAIT) {
            continue;
        }
        if (begin == EVENT_NONE) {
            open_insert(o, i);
            continue;
        }
        uint32_t *first = map_slot(&o->begins, begin, WAIT_NONE, NULL);
        o->same_begin[i] = *first;
        *first = i;
        bits_add(o->is_begin, begin);
    }
}

/* Matches notifies with waits in the list: each signal ends, of the waits open at its point, the
 * one that ends first; a broadcast ends all. */
static void serve_all(struct build *b)
{
    struct open_waits o;
    open_waits_init(&o, b);
    uint32_t ended = 0; /* waits are in listed order of their ends */
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        if (ended < b->list.count && b->list.at[ended].end == id) {
            open_remove(&o, ended++);
        } else if (is_notify(e)) {
            serve(&o, condition_number(b, e), id);
        }
        if (bits_has(o.is_begin, id)) {
            for (uint32_t i = *map_get(&o.begins, id); i != WAIT_NONE; i = o.same_begin[i]) {
                open_insert(&o, i);
            }
        }
    }
    map_release(&o.begins);
}

static void lay_out(struct waits *w, struct build *b, struct arena *a)
{
    struct wait *list = arena_array(a, struct wait, b->list.count + 1);
    for (size_t i = 0; i < b->list.count; i++) {
        list[i] = b->list.at[i];
    }
    uint32_t first = 0;
    struct condition *conditions = arena_array(a, struct condition, b->conditions.count + 1);
    for (size_t i = 0; i < b->conditions.count; i++) {
        conditions[i] = b->conditions.at[i];
        conditions[i].first = first;
        first += conditions[i].count;
        conditions[i].count = 0;
    }
    must(first == b->notifies.count);
    event_id *notifies = arena_array(a, event_id, b->notifies.count + 1);
    vec_each (&b->notifies, notice) {
        struct condition *c = &conditions[notice->condition];
        notifies[c->first + c->count++] = notice->event;
    }
    *w = (struct waits){
        .list = list,
        .count = (uint32_t)b->list.count,
        .conditions = conditions,
        .condition_count = (uint32_t)b->conditions.count,
        .notifies = notifies,
    };
}

void waits_build(struct waits *w, const struct trace *t, const struct semaphores *s,
                 struct arena *a, struct notes *n)
{
    struct build b = {.t = t, .s = s};
    b.condition_of_semaphore = arena_array(&b.scratch, uint32_t, s->count + 1);
    b.wait_count = arena_array(&b.scratch, uint32_t, s->count + 1);
    collect(&b);
    if (b.list.count > 0) {
        serve_all(&b);
    }
    lay_out(w, &b, a);
    for (uint32_t i = 0; i < w->count; i++) {
        if (!wait_is_bound(&w->list[i])) {
            remark(n, t, w->list[i].end,
                   "a wait ends without a notify since it began (a time-out, a spurious wakeup, or "
                   "not recorded): nothing orders it");
        }
    }
    map_release(&b.condition_of);
    vec_release(&b.conditions);
    vec_release(&b.list);
    vec_release(&b.notifies);
    arena_release(&b.scratch);
}

uint32_t waits_at(const struct waits *w, event_id end)
{
    uint32_t low = 0;
    uint32_t high = w->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (w->list[middle].end < end) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < w->count && w->list[low].end == end ? low : UINT32_MAX;
}
