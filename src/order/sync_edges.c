#include "order/sync_edges.h"

#include "base/map.h"
#include "order/bucket.h"
#include "order/event_notes.h"
#include "order/object_key.h"
#include "trace/kind_table.h"

struct build {
    struct edges *edges;
    const struct trace *t;
    const struct contexts *c;
    enum sync_scope scope;
    struct notes *n;
    struct arena scratch;
};

/* An edge that program order does not already give; none from an event to itself. */
static void add(struct build *b, event_id from, event_id to, enum edge_kind kind)
{
    if (b->c->of[from] != b->c->of[to] || from > to) {
        edges_add(b->edges, from, to, kind);
    }
}

/* The number of the object the event names, among those of its node. */
static uint32_t number_of(const struct build *b, struct map *m, const struct event *e)
{
    return *map_slot(m, scope_name(b->t, e, e->object), (uint32_t)m->entries.count, NULL);
}

/* ---- tasks ---- */

struct lives {
    struct bucket_items creates, starts, joins, ends; /* by the task they name */
};

static void lives_collect(struct build *b, struct lives *l)
{
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        const bool has_peer = (e->has & HAS_PEER) != 0;
        if (e->kind == EVENT_THREAD_CREATE && has_peer) {
            bucket_add(&l->creates, e->peer, id);
        } else if (e->kind == EVENT_THREAD_START) {
            bucket_add(&l->starts, e->task, id);
        } else if (e->kind == EVENT_THREAD_JOIN && has_peer) {
            bucket_add(&l->joins, e->peer, id);
        } else if (e->kind == EVENT_THREAD_END) {
            bucket_add(&l->ends, e->task, id);
        } else if (e->kind == EVENT_PROCESS_FORK && has_peer && b->c->list[e->peer].count > 0) {
            add(b, id, context_first(b->c, e->peer), EDGE_FORK);
        }
    }
}

static void order_creation(struct build *b, uint32_t task, struct bucket creates,
                           struct bucket starts)
{
    for (uint32_t k = 0; k < creates.count; k++) {
        if (k < starts.count) {
            add(b, creates.at[k], starts.at[k], EDGE_FORK);
        } else if (k == 0 && b->c->list[task].count > 0) {
            add(b, creates.at[k], context_first(b->c, task), EDGE_FORK);
        } else {
            remark(b->n, b->t, creates.at[k], "a task is created that never starts");
        }
    }
}

/* The context's last event listed before `end`, EVENT_NONE when there is none. */
static event_id last_before(const struct contexts *c, uint32_t context, event_id end)
{
    uint32_t low = 0;
    uint32_t high = c->list[context].count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (context_event(c, context, middle) < end) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? EVENT_NONE : context_event(c, context, low - 1);
}

/* A task without an END: every event of it precedes each join. Those listed before the join get
 * edges of their own, so that they keep them when edges against the list have to be dropped. */
static void order_all_before(struct build *b, struct bucket joins, struct bucket contexts)
{
    for (uint32_t k = 0; k < joins.count; k++) {
        const event_id join = joins.at[k];
        for (uint32_t i = 0; i < contexts.count; i++) {
            const uint32_t context = contexts.at[i];
            const event_id listed = last_before(b->c, context, join);
            const event_id last = context_last(b->c, context);
            if (listed != EVENT_NONE) {
                add(b, listed, join, EDGE_JOIN);
            }
            if (last != listed) {
                add(b, last, join, EDGE_JOIN);
            }
        }
    }
}

static void order_tasks(struct build *b)
{
    const uint32_t task_count = b->c->task_count;
    struct lives l = {0};
    lives_collect(b, &l);
    struct bucket_items contexts = {0};
    for (uint32_t i = 0; l.joins.list.count > 0 && i < b->c->count; i++) {
        if (b->c->list[i].count > 0) {
            bucket_add(&contexts, b->c->list[i].task, i);
        }
    }
    const struct buckets creates = buckets_sort(&l.creates, task_count, &b->scratch);
    const struct buckets starts = buckets_sort(&l.starts, task_count, &b->scratch);
    const struct buckets joins = buckets_sort(&l.joins, task_count, &b->scratch);
    const struct buckets ends = buckets_sort(&l.ends, task_count, &b->scratch);
    const struct buckets contexts_of = buckets_sort(&contexts, task_count, &b->scratch);
    for (uint32_t task = 0; task < task_count; task++) {
        order_creation(b, task, bucket_at(&creates, task), bucket_at(&starts, task));
        const struct bucket ended = bucket_at(&ends, task);
        const struct bucket joined = bucket_at(&joins, task);
        if (ended.count == 0) {
            order_all_before(b, joined, bucket_at(&contexts_of, task));
        }
        for (uint32_t k = 0; ended.count > 0 && k < joined.count; k++) {
            add(b, ended.at[k < ended.count ? k : ended.count - 1], joined.at[k], EDGE_JOIN);
        }
    }
    vec_release(&l.creates.list);
    vec_release(&l.starts.list);
    vec_release(&l.joins.list);
    vec_release(&l.ends.list);
    vec_release(&contexts.list);
}

/* ---- publication: atomics, annotations ---- */

/* The events whose past is published through an object, the latest of each context. */
struct published {
    VEC(event_id) events;
};

typedef VEC(struct published) published_vec;

static struct published *published_of(struct build *b, struct map *m, published_vec *all,
                                      const struct event *e)
{
    const uint32_t number = number_of(b, m, e);
    if (number == all->count) {
        vec_push(all, (struct published){0});
    }
    return &all->at[number];
}

static void publish(struct build *b, struct published *p, event_id id)
{
    vec_each (&p->events, earlier) {
        if (b->c->of[*earlier] == b->c->of[id]) {
            *earlier = id;
            return;
        }
    }
    vec_push(&p->events, id);
}

static void see(struct build *b, const struct published *p, event_id id, enum edge_kind kind)
{
    vec_each (&p->events, event) {
        add(b, *event, id, kind);
    }
}

static void published_release(struct map *m, published_vec *all)
{
    vec_each (all, p) {
        vec_release(&p->events);
    }
    vec_release(all);
    map_release(m);
}

static bool is_release(const struct event *e)
{
    const enum event_mode order = memory_mode_order(e->mode);
    return order == MODE_UNSAID || order == MEMORY_RELEASE || order == MEMORY_ACQ_REL ||
           order == MEMORY_SEQ_CST;
}

static bool is_acquire(const struct event *e)
{
    const enum event_mode order = memory_mode_order(e->mode);
    return order != MEMORY_RELAXED && order != MEMORY_RELEASE;
}

/* A load sees the write listed last before it, and through read-modify-writes those they saw in
 * turn (the release sequences of C17, 5.1.2.4). A blind update adds no order that another schedule
 * would have to keep, and a blind exchange is a store. */
static void order_atomic(struct build *b, struct published *p, event_id id)
{
    const struct event *e = &b->t->events.at[id];
    const bool is_blind = b->scope == SYNC_EVERY_SCHEDULE && event_is_blind(e);
    const bool reads = e->kind != EVENT_ATOMIC_STORE && !is_blind;
    const bool writes = e->kind != EVENT_ATOMIC_LOAD;
    const bool overwrites = writes && !reads && !(is_blind && event_is_update(e));
    if (reads && is_acquire(e)) {
        see(b, p, id, EDGE_ATOMIC);
    }
    /* It passes on by itself the writes it saw; a plain store ends the sequence. */
    if (overwrites || (writes && reads && is_acquire(e) && is_release(e))) {
        vec_clear(&p->events);
    }
    if (writes && is_release(e)) {
        publish(b, p, id);
    }
}

static void order_atomics(struct build *b)
{
    struct map m = {0};
    published_vec all = {0};
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        if (event_class(e) == CLASS_ATOMIC) {
            order_atomic(b, published_of(b, &m, &all, e), id);
        }
    }
    published_release(&m, &all);
}

static void order_annotations(struct build *b)
{
    struct map m = {0};
    published_vec all = {0};
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        if (e->mode == ANNOTATION_OBSERVED && b->scope == SYNC_EVERY_SCHEDULE) {
            continue;
        }
        if (e->kind == EVENT_HAPPENS_BEFORE) {
            publish(b, published_of(b, &m, &all, e), id);
        } else if (e->kind == EVENT_HAPPENS_AFTER) {
            see(b, published_of(b, &m, &all, e), id, EDGE_ANNOTATION);
        }
    }
    published_release(&m, &all);
}

/* ---- semaphores, one-time initialization ---- */

static void order_line(struct build *b, const struct semaphore *s)
{
    for (uint32_t k = s->initial; k < s->waits.count && k - s->initial < s->posts.count; k++) {
        add(b, s->posts.at[k - s->initial], s->waits.at[k], EDGE_SEMAPHORE);
    }
}

/* The posts of one semaphore by one context. */
struct poster {
    uint32_t context;
    VEC(event_id) posts;
};

typedef VEC(struct poster) poster_list;

static void posters_read(struct build *b, const struct semaphore *s, poster_list *posters)
{
    struct map number_of = {0};
    for (uint32_t i = 0; i < s->posts.count; i++) {
        const uint32_t context = b->c->of[s->posts.at[i]];
        bool is_new = false;
        const uint32_t number = *map_slot(&number_of, context, (uint32_t)posters->count, &is_new);
        if (is_new) {
            vec_push(posters, (struct poster){.context = context});
        }
        vec_push(&posters->at[number].posts, s->posts.at[i]);
    }
    map_release(&number_of);
}

/* A wait, the rank-th of its context. */
struct ranked_wait {
    event_id event;
    uint32_t rank;
    uint32_t own_later; /* posts of its own context behind it */
};

/* A wait needs a post when all other posts that can precede the wait, without those after the post
 * in its context, are too few for the waits up to this one in its own. The last such post of each
 * context gets an edge. */
static void order_by_need(struct build *b, const struct semaphore *s, const poster_list *posters,
                          struct ranked_wait w)
{
    const int64_t others = (int64_t)s->posts.count - w.own_later;
    const int64_t short_of = (int64_t)w.rank - s->initial - others;
    vec_each (posters, p) {
        const int64_t count = (int64_t)p->posts.count;
        int64_t needed = short_of + count;
        needed = needed > count ? count : needed;
        if (needed > 0 && p->context != b->c->of[w.event]) {
            add(b, p->posts.at[needed - 1], w.event, EDGE_SEMAPHORE);
        }
    }
}

/* Adds the edges that every order of a counted semaphore needs; order/condition_wait.h has the
 * remaining choice. */
static void order_counted(struct build *b, const struct semaphore *s)
{
    poster_list posters = {0};
    posters_read(b, s, &posters);
    uint32_t most = 0;
    struct map rank_of = {0};   /* context to its waits so far */
    struct map posted_of = {0}; /* context to all its posts */
    vec_each (&posters, p) {
        most = p->posts.count > most ? (uint32_t)p->posts.count : most;
        map_put(&posted_of, p->context, (uint32_t)(p - posters.at));
    }
    for (uint32_t i = 0; i < s->waits.count; i++) {
        struct ranked_wait w = {.event = s->waits.at[i]};
        const uint32_t context = b->c->of[w.event];
        w.rank = ++*map_slot(&rank_of, context, 0, NULL);
        const uint32_t *own = map_get(&posted_of, context);
        for (uint32_t k = own == NULL ? 0 : (uint32_t)posters.at[*own].posts.count;
             k > 0 && posters.at[*own].posts.at[k - 1] > w.event; k--) {
            w.own_later++;
        }
        if ((int64_t)w.rank + w.own_later + most > (int64_t)s->initial + s->posts.count) {
            order_by_need(b, s, &posters, w);
        }
    }
    vec_each (&posters, p) {
        vec_release(&p->posts);
    }
    vec_release(&posters);
    map_release(&rank_of);
    map_release(&posted_of);
}

static void order_semaphores(struct build *b, const struct semaphores *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        switch (all->list[i].use) {
        case SEMAPHORE_FREE:
        case SEMAPHORE_LOCK: break;
        case SEMAPHORE_LINE: order_line(b, &all->list[i]); break;
        case SEMAPHORE_COUNTED: order_counted(b, &all->list[i]); break;
        }
    }
}

static void order_once(struct build *b, const struct onces *movable)
{
    struct map first = {0};
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        if (e->kind == EVENT_ONCE && (movable == NULL || once_at(movable, id) == NULL)) {
            const event_id done = *map_slot(&first, scope_name(b->t, e, e->object), id, NULL);
            if (done != id) {
                add(b, done, id, EDGE_ONCE);
            }
        }
    }
    map_release(&first);
}

/* ---- barriers ---- */

struct barrier {
    uint32_t round; /* the current one, among the rounds of all barriers */
    bool is_over;   /* some task has left it */
};

/* Rounds are numbered over all barriers; `before` is the previous round of the same barrier. */
struct rounds {
    struct map barrier_of;
    VEC(struct barrier) barriers;
    VEC(uint32_t) before; /* per round, UINT32_MAX for the first */
    struct map entered;   /* (task, barrier) to the round of its last ENTER */
    struct bucket_items enters, exits;
};

static void round_new(struct rounds *r, struct barrier *barrier, uint32_t before)
{
    *barrier = (struct barrier){.round = (uint32_t)r->before.count};
    vec_push(&r->before, before);
}

static void rounds_step(struct build *b, struct rounds *r, event_id id)
{
    const struct event *e = trace_at(b->t, id);
    const uint32_t number = number_of(b, &r->barrier_of, e);
    if (number == r->barriers.count) {
        vec_push(&r->barriers, (struct barrier){0});
        round_new(r, vec_last(&r->barriers), UINT32_MAX);
    }
    struct barrier *barrier = &r->barriers.at[number];
    if (e->kind == EVENT_BARRIER_ENTER) {
        if (barrier->is_over) {
            round_new(r, barrier, barrier->round);
        }
        bucket_add(&r->enters, barrier->round, id);
        map_put(&r->entered, map_pair(e->task, number), barrier->round);
        return;
    }
    const uint32_t *round = map_get(&r->entered, map_pair(e->task, number));
    if (round != NULL) {
        bucket_add(&r->exits, *round, id);
        barrier->is_over |= *round == barrier->round;
    }
}

static void order_each(struct build *b, struct bucket from, struct bucket to)
{
    for (uint32_t i = 0; i < from.count; i++) {
        for (uint32_t k = 0; k < to.count; k++) {
            add(b, from.at[i], to.at[k], EDGE_BARRIER);
        }
    }
}

static void order_barriers(struct build *b)
{
    struct rounds r = {0};
    for (event_id id = 0; id < b->t->events.count; id++) {
        const uint16_t kind = b->t->events.at[id].kind;
        if (kind == EVENT_BARRIER_ENTER || kind == EVENT_BARRIER_EXIT) {
            rounds_step(b, &r, id);
        }
    }
    const uint32_t count = (uint32_t)r.before.count;
    const struct buckets enters = buckets_sort(&r.enters, count, &b->scratch);
    const struct buckets exits = buckets_sort(&r.exits, count, &b->scratch);
    for (uint32_t i = 0; i < count; i++) {
        order_each(b, bucket_at(&enters, i), bucket_at(&exits, i));
        if (r.before.at[i] != UINT32_MAX) {
            order_each(b, bucket_at(&enters, r.before.at[i]), bucket_at(&enters, i));
        }
    }
    map_release(&r.barrier_of);
    map_release(&r.entered);
    vec_release(&r.barriers);
    vec_release(&r.before);
    vec_release(&r.enters.list);
    vec_release(&r.exits.list);
}

/* Which kinds occur at all, so that absent kinds cost nothing. */
static void kinds_count(const struct trace *t, bool *has_class, bool *has_kind)
{
    trace_each (t, e) {
        has_kind[e->kind] = true;
    }
    for (uint32_t kind = 0; kind < KIND_LIMIT; kind++) {
        if (has_kind[kind]) {
            has_class[kind_of(kind)->class] = true;
        }
    }
}

void sync_add(struct edges *edges, const struct trace *t, const struct contexts *c,
              const struct sync_options *o, struct notes *n)
{
    bool has_class[CLASS_COUNT] = {0};
    bool has_kind[KIND_LIMIT] = {0};
    kinds_count(t, has_class, has_kind);
    struct build b = {.edges = edges, .t = t, .c = c, .scope = o->scope, .n = n};
    if (has_class[CLASS_THREAD] || has_class[CLASS_PROCESS]) {
        order_tasks(&b);
    }
    if (has_class[CLASS_ATOMIC]) {
        order_atomics(&b);
    }
    if (has_kind[EVENT_HAPPENS_AFTER]) {
        order_annotations(&b);
    }
    if (o->semaphores != NULL) {
        order_semaphores(&b, o->semaphores);
    }
    if (has_kind[EVENT_ONCE]) {
        order_once(&b, o->onces);
    }
    if (has_kind[EVENT_BARRIER_ENTER]) {
        order_barriers(&b);
    }
    arena_release(&b.scratch);
}
