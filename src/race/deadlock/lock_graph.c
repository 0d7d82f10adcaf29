#include "race/deadlock/lock_graph.h"

#include <string.h>

#include "trace/kind_table.h"
#include "wire/kind.h"
#include "wire/must.h"
#include "wire/prng.h"

#define NONE UINT32_MAX

/* ---- locks held ---- */

/* The sections that tasks have open while all are walked in listed order of their beginnings. */
struct walk {
    const struct trace *t;
    const struct sections *s;
    const struct access_filter *span; /* NULL: all times */
    uint32_t *open;                   /* per task: the section that it opened last, NONE */
    uint32_t *next;     /* per section: the one that was opened before it and is still open */
    VEC(uint32_t) held; /* by the task of the section last begun, in the order they were taken */
};

static bool is_contended(const struct sections *s, uint32_t number)
{
    return s->locks[s->list[number].lock].is_contended;
}

static void walk_init(struct walk *w, const struct lock_graph *g, const struct access_filter *span,
                      struct arena *a)
{
    *w = (struct walk){.t = g->trace, .s = g->all, .span = span};
    const size_t task_count = g->trace->tables.tasks.count;
    w->open = arena_array(a, uint32_t, task_count + 1);
    w->next = arena_array(a, uint32_t, g->all->count + 1);
    for (size_t i = 0; i < task_count; i++) {
        w->open[i] = NONE;
    }
}

static void walk_release(struct walk *w)
{
    vec_release(&w->held);
}

/* Whether the event, which begins a section, asks for its lock as long as it takes. */
static bool can_block(const struct event *e)
{
    return e->kind == EVENT_WAIT_END || (e->kind == EVENT_LOCK && !lock_mode_is_try(e->mode)) ||
           (e->kind == EVENT_SEM_WAIT && e->mode == SEMAPHORE_BLOCKING);
}

/* Takes the section up. Returns whether its beginning is a request; if so w->held has the contended
 * locks that its task holds there. */
static bool walk_step(struct walk *w, uint32_t number)
{
    const struct section *list = w->s->list;
    const struct section *s = &list[number];
    if (!is_contended(w->s, number)) {
        return false;
    }
    vec_clear(&w->held);
    uint32_t *link = &w->open[s->task];
    while (*link != NONE) {
        if (list[*link].end < s->begin) {
            *link = w->next[*link];
        } else {
            vec_push(&w->held, *link);
            link = &w->next[*link];
        }
    }
    for (size_t i = 0, k = w->held.count; i + 1 < k; i++, k--) {
        const uint32_t taken_later = w->held.at[i];
        w->held.at[i] = w->held.at[k - 1];
        w->held.at[k - 1] = taken_later;
    }
    w->next[number] = w->open[s->task];
    w->open[s->task] = number;
    const struct event *e = trace_at(w->t, s->begin);
    return w->held.count > 0 && can_block(e) && (w->span == NULL || access_is_in_span(w->span, e));
}

/* ---- which locks are on cycles ---- */

/* Strongly connected components of the locks, by Tarjan's algorithm without recursion. */
struct components {
    const uint32_t *first; /* per lock, and one more */
    const uint32_t *to;
    uint32_t *of;      /* per lock: its component; NONE until it is known */
    uint32_t *size;    /* per component */
    uint32_t *index;   /* per lock: when it was met, from 1; 0: not yet */
    uint32_t *low;     /* per lock */
    uint32_t *at;      /* per lock: its next edge */
    uint32_t *path;    /* locks being looked at */
    uint32_t *waiting; /* locks without a component */
    uint32_t path_count, waiting_count, met, count;
};

static void component_enter(struct components *c, uint32_t lock)
{
    must(c->index[lock] == 0);
    c->index[lock] = ++c->met;
    c->low[lock] = c->met;
    c->at[lock] = c->first[lock];
    c->path[c->path_count++] = lock;
    c->waiting[c->waiting_count++] = lock;
}

static void component_leave(struct components *c, uint32_t lock)
{
    must(c->path_count > 0);
    must(c->low[lock] <= c->index[lock]);
    c->path_count--;
    if (c->path_count > 0) {
        const uint32_t above = c->path[c->path_count - 1];
        c->low[above] = c->low[lock] < c->low[above] ? c->low[lock] : c->low[above];
    }
    if (c->low[lock] != c->index[lock]) {
        return;
    }
    uint32_t member = NONE;
    do {
        must(c->waiting_count > 0);
        member = c->waiting[--c->waiting_count];
        c->of[member] = c->count;
        c->size[c->count]++;
    } while (member != lock);
    c->count++;
}

static void component_walk(struct components *c, uint32_t root)
{
    component_enter(c, root);
    while (c->path_count > 0) {
        const uint32_t lock = c->path[c->path_count - 1];
        if (c->at[lock] == c->first[lock + 1]) {
            component_leave(c, lock);
            continue;
        }
        const uint32_t to = c->to[c->at[lock]++];
        if (c->index[to] == 0) {
            component_enter(c, to);
        } else if (c->of[to] == NONE && c->index[to] < c->low[lock]) {
            c->low[lock] = c->index[to];
        }
    }
}

/* The edges (lock held, lock asked for), each once, as an array per lock. */
static void components_build(struct components *c, const struct map *edges, uint32_t lock_count,
                             struct arena *a)
{
    const size_t locks = (size_t)lock_count + 2;
    uint32_t *first = arena_array(a, uint32_t, locks);
    uint32_t *to = arena_array(a, uint32_t, edges->entries.count + 1);
    *c = (struct components){.first = first, .to = to};
    c->of = arena_array(a, uint32_t, locks);
    c->size = arena_array(a, uint32_t, locks);
    c->index = arena_array(a, uint32_t, locks);
    c->low = arena_array(a, uint32_t, locks);
    c->at = arena_array(a, uint32_t, locks);
    c->path = arena_array(a, uint32_t, locks);
    c->waiting = arena_array(a, uint32_t, locks);
    vec_each (&edges->entries, edge) {
        first[(edge->key >> 32) + 1]++;
    }
    for (uint32_t i = 0; i < lock_count; i++) {
        first[i + 1] += first[i];
        c->at[i] = first[i];
        c->of[i] = NONE;
    }
    vec_each (&edges->entries, edge) {
        to[c->at[edge->key >> 32]++] = (uint32_t)edge->key;
    }
    for (uint32_t i = 0; i < lock_count; i++) {
        if (c->index[i] == 0) {
            component_walk(c, i);
        }
    }
    must(c->waiting_count == 0);
    must(c->path_count == 0);
    must(first[lock_count] == edges->entries.count);
}

/* ---- requests ---- */

struct build {
    struct lock_graph *g;
    const struct components *components;
    const struct access_filter *span;
    struct walk walk;
    struct arena scratch;
    struct map
        request_of; /* hash of a request's properties to the last request with them, plus one */
    VEC(uint32_t) before; /* per request: the one before with the same hash, plus one */
    uint32_t *number;     /* per section: the request that it is, plus one */
};

static struct lock_held held_of(const struct build *b, uint32_t number)
{
    const struct section *s = &b->g->all->list[number];
    return (struct lock_held){.lock = s->lock,
                              .is_shared = s->is_shared,
                              .location = trace_at(b->g->trace, s->begin)->location};
}

static struct lock_request request_at(const struct build *b, uint32_t number)
{
    const struct section *s = &b->g->all->list[number];
    const struct event *e = trace_at(b->g->trace, s->begin);
    const uint8_t mode = lock_mode_held(e->mode);
    return (struct lock_request){
        .task = s->task,
        .lock = s->lock,
        .is_shared = s->is_shared,
        .is_of_process =
            e->kind == EVENT_LOCK && (mode == LOCK_FCNTL_READ || mode == LOCK_FCNTL_WRITE),
        .location = e->location,
        .held_count = (uint32_t)b->walk.held.count,
    };
}

static uint64_t mix(uint64_t hash, uint64_t number)
{
    uint64_t seed = hash ^ number;
    return prng_splitmix(&seed);
}

static uint64_t hash_of(const struct build *b, const struct lock_request *r)
{
    uint64_t hash = mix(map_pair(r->task, r->lock), map_pair(r->location, r->is_shared));
    vec_each (&b->walk.held, number) {
        const struct lock_held held = held_of(b, *number);
        hash = mix(hash, map_pair(held.lock, held.location) ^ held.is_shared);
    }
    return hash;
}

static bool looks_like(const struct build *b, const struct lock_request *r,
                       const struct lock_request *other)
{
    if (r->task != other->task || r->lock != other->lock || r->location != other->location ||
        r->is_shared != other->is_shared || r->is_of_process != other->is_of_process ||
        r->held_count != other->held_count) {
        return false;
    }
    for (uint32_t i = 0; i < r->held_count; i++) {
        const struct lock_held held = held_of(b, b->walk.held.at[i]);
        const struct lock_held *known = &b->g->held.at[other->held_first + i];
        if (held.lock != known->lock || held.location != known->location ||
            held.is_shared != known->is_shared) {
            return false;
        }
    }
    return true;
}

static void add_request(struct build *b, uint32_t number)
{
    struct lock_graph *g = b->g;
    struct lock_request r = request_at(b, number);
    uint32_t *last = map_slot(&b->request_of, hash_of(b, &r), 0, NULL);
    for (uint32_t i = *last; i != 0; i = b->before.at[i - 1]) {
        if (looks_like(b, &r, &g->requests.at[i - 1])) {
            g->requests.at[i - 1].count++;
            b->number[number] = i;
            return;
        }
    }
    r.held_first = (uint32_t)g->held.count;
    r.count = 1;
    vec_each (&b->walk.held, held) {
        vec_push(&g->held, held_of(b, *held));
    }
    vec_push(&b->before, *last);
    vec_push(&g->requests, r);
    *last = (uint32_t)g->requests.count;
    b->number[number] = *last;
}

/* Whether a lock that is held lies on a cycle with the one that is asked for. */
static bool can_be_on_cycle(const struct build *b, uint32_t number)
{
    const uint32_t component = b->components->of[b->g->all->list[number].lock];
    vec_each (&b->walk.held, held) {
        if (b->components->of[b->g->all->list[*held].lock] == component) {
            return true;
        }
    }
    return false;
}

static void add_requests(struct build *b)
{
    const struct sections *s = b->g->all;
    walk_init(&b->walk, b->g, b->span, &b->scratch);
    b->number = arena_array(&b->scratch, uint32_t, s->count + 1);
    for (uint32_t i = 0; i < s->count; i++) {
        if (walk_step(&b->walk, i) && can_be_on_cycle(b, i)) {
            add_request(b, i);
        }
    }
    walk_release(&b->walk);
}

/* The sections of each request, in an array. */
static void sort_sections(struct build *b)
{
    struct lock_graph *g = b->g;
    uint32_t total = 0;
    vec_each (&g->requests, r) {
        r->first = total;
        total += r->count;
        r->count = 0;
    }
    uint32_t *sections = arena_array(&g->arena, uint32_t, (size_t)total + 1);
    for (uint32_t i = 0; i < g->all->count; i++) {
        if (b->number[i] != 0) {
            struct lock_request *r = &g->requests.at[b->number[i] - 1];
            sections[r->first + r->count++] = i;
        }
    }
    g->sections = sections;
}

/* ---- looking requests up ---- */

static void index_by_locks(struct lock_graph *g)
{
    for (uint32_t i = (uint32_t)g->requests.count; i-- > 0;) {
        const struct lock_request *r = &g->requests.at[i];
        for (uint32_t k = 0; k < r->held_count; k++) {
            const uint32_t held = g->held.at[r->held_first + k].lock;
            uint32_t *first = map_slot(&g->by_locks, map_pair(held, r->lock), 0, NULL);
            vec_push(&g->alike, i);
            vec_push(&g->next, *first);
            *first = (uint32_t)g->alike.count;
        }
    }
}

static void index_holders(struct lock_graph *g)
{
    const size_t locks = (size_t)g->all->lock_count + 2;
    uint32_t *first = arena_array(&g->arena, uint32_t, locks);
    uint32_t *at = arena_array(&g->arena, uint32_t, locks);
    uint32_t *holders = arena_array(&g->arena, uint32_t, g->held.count + 1);
    vec_each (&g->held, held) {
        first[held->lock + 1]++;
    }
    for (uint32_t i = 0; i < g->all->lock_count; i++) {
        first[i + 1] += first[i];
        at[i] = first[i];
    }
    for (uint32_t i = 0; i < g->requests.count; i++) {
        const struct lock_request *r = &g->requests.at[i];
        for (uint32_t k = 0; k < r->held_count; k++) {
            holders[at[g->held.at[r->held_first + k].lock]++] = i;
        }
    }
    g->holders_first = first;
    g->holders = holders;
}

/* ---- building ---- */

static void find_edges(struct build *b, struct map *edges)
{
    const struct section *list = b->g->all->list;
    walk_init(&b->walk, b->g, b->span, &b->scratch);
    for (uint32_t i = 0; i < b->g->all->count; i++) {
        if (walk_step(&b->walk, i)) {
            vec_each (&b->walk.held, held) {
                map_put(edges, map_pair(list[*held].lock, list[i].lock), 1);
            }
        }
    }
    walk_release(&b->walk);
}

void lock_graph_build(struct lock_graph *g, const struct trace *t, const struct sections *s,
                      const struct access_filter *span)
{
    *g = (struct lock_graph){.trace = t, .all = s};
    struct build b = {.g = g, .span = span};
    struct map edges = {0};
    struct components components;
    find_edges(&b, &edges);
    components_build(&components, &edges, s->lock_count, &b.scratch);
    b.components = &components;
    if (components.count < s->lock_count) {
        add_requests(&b);
        sort_sections(&b);
    }
    index_by_locks(g);
    index_holders(g);
    map_release(&edges);
    map_release(&b.request_of);
    vec_release(&b.before);
    arena_release(&b.scratch);
}

void lock_graph_release(struct lock_graph *g)
{
    vec_release(&g->held);
    vec_release(&g->requests);
    vec_release(&g->alike);
    vec_release(&g->next);
    map_release(&g->by_locks);
    arena_release(&g->arena);
}

/* ---- asking ---- */

static uint32_t node_of(const struct lock_graph *g, const struct lock_request *r)
{
    return g->trace->tables.tasks.at[r->task].node;
}

bool lock_request_is_blocked(const struct lock_graph *g, const struct lock_request *asker,
                             const struct lock_request *holder)
{
    if (asker->task == holder->task ||
        (asker->is_of_process && node_of(g, asker) == node_of(g, holder))) {
        return false;
    }
    for (uint32_t i = 0; i < holder->held_count; i++) {
        const struct lock_held *held = &g->held.at[holder->held_first + i];
        if (held->lock == asker->lock && !(held->is_shared && asker->is_shared)) {
            return true;
        }
    }
    return false;
}

bool lock_requests_have_gate(const struct lock_graph *g, const struct lock_request *a,
                             const struct lock_request *b)
{
    for (uint32_t i = 0; i < a->held_count; i++) {
        const struct lock_held *held = &g->held.at[a->held_first + i];
        for (uint32_t k = 0; k < b->held_count; k++) {
            const struct lock_held *other = &g->held.at[b->held_first + k];
            if (held->lock == other->lock && !(held->is_shared && other->is_shared)) {
                return true;
            }
        }
    }
    return false;
}
