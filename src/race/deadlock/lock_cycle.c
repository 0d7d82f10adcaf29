#include "race/deadlock/lock_cycle.h"

#include "wire/must.h"

/* Bounds on the cost of the search. */
enum {
    STEPS_MAX = 4000000,
    CYCLES_MAX = 20000,
    CYCLE_LENGTH_MAX = 64,
    ORDER_STEPS_MAX = 20000000,
    CHOICES_MAX = 4096, /* of events for one cycle, where handlers leave them unordered */
};

/* ---- finding ---- */

/* A path of requests, each of which asks for a lock that the next one holds. */
struct search {
    struct lock_cycles *c;
    const struct lock_graph *g;
    struct limit_watch *watch;
    uint32_t path[CYCLE_LENGTH_MAX];
    uint32_t at[CYCLE_LENGTH_MAX]; /* per place of the path: the next that may follow it */
    uint32_t length;
    uint32_t wanted; /* how long cycles are now */
    bool is_long;    /* some path was as long as wanted */
    uint64_t step_left;
};

static const struct lock_request *request_on(const struct search *s, uint32_t place)
{
    return &s->g->requests.at[s->path[place]];
}

static bool spend(struct search *s)
{
    if (s->step_left == 0 || s->c->list.count >= CYCLES_MAX || limit_is_over(s->watch, 1)) {
        s->c->is_incomplete = true;
        return false;
    }
    s->step_left--;
    return true;
}

/* Whether the request can follow the path: a higher number than the first, another task, no gate.
 */
static bool can_follow(const struct search *s, uint32_t number)
{
    const struct lock_request *r = &s->g->requests.at[number];
    if (number <= s->path[0] || !lock_request_is_blocked(s->g, request_on(s, s->length - 1), r)) {
        return false;
    }
    for (uint32_t i = 0; i < s->length; i++) {
        if (request_on(s, i)->task == r->task ||
            lock_requests_have_gate(s->g, request_on(s, i), r)) {
            return false;
        }
    }
    return true;
}

static void keep_cycle(struct search *s, uint32_t last)
{
    struct lock_cycles *c = s->c;
    const struct lock_cycle cycle = {.first = (uint32_t)c->members.count, .count = s->length + 1};
    must(cycle.count == s->wanted);
    for (uint32_t i = 0; i < s->length; i++) {
        vec_push(&c->members, (struct lock_member){.request = s->path[i]});
    }
    vec_push(&c->members, (struct lock_member){.request = last});
    vec_push(&c->list, cycle);
    c->candidates++;
}

/* Ends the path with each request that asks for a lock the first one holds. */
static void close_path(struct search *s)
{
    const struct lock_request *first = request_on(s, 0);
    const uint32_t asked = request_on(s, s->length - 1)->lock;
    for (uint32_t i = 0; i < first->held_count; i++) {
        const uint32_t held = s->g->held.at[first->held_first + i].lock;
        const uint32_t *head = map_get(&s->g->by_locks, map_pair(asked, held));
        for (uint32_t k = head == NULL ? 0 : *head; k != 0 && spend(s); k = s->g->next.at[k - 1]) {
            const uint32_t last = s->g->alike.at[k - 1];
            if (can_follow(s, last) &&
                lock_request_is_blocked(s->g, &s->g->requests.at[last], first)) {
                keep_cycle(s, last);
            }
        }
    }
}

static void begin_place(struct search *s)
{
    s->at[s->length - 1] = s->g->holders_first[request_on(s, s->length - 1)->lock];
}

/* Walks all paths that begin with this request, without recursion. */
static void search_from(struct search *s, uint32_t root)
{
    s->path[0] = root;
    s->length = 1;
    begin_place(s);
    while (s->length > 0) {
        if (s->length + 1 == s->wanted) {
            s->is_long = true;
            close_path(s);
            s->length--;
            continue;
        }
        const uint32_t end = s->g->holders_first[request_on(s, s->length - 1)->lock + 1];
        uint32_t *at = &s->at[s->length - 1];
        if (*at == end || !spend(s)) {
            s->length--;
            continue;
        }
        const uint32_t next = s->g->holders[(*at)++];
        if (can_follow(s, next)) {
            s->path[s->length++] = next;
            begin_place(s);
        }
    }
}

void lock_cycles_find(struct lock_cycles *c, const struct lock_graph *g, struct limit_watch *watch)
{
    *c = (struct lock_cycles){.graph = g};
    struct search s = {.c = c, .g = g, .watch = watch, .is_long = true, .step_left = STEPS_MAX};
    const size_t task_count = g->trace->tables.tasks.count;
    for (s.wanted = 2; s.is_long && s.wanted <= task_count && !c->is_incomplete; s.wanted++) {
        if (s.wanted > CYCLE_LENGTH_MAX) {
            c->is_incomplete = true;
            return;
        }
        s.is_long = false;
        for (uint32_t root = 0; root < g->requests.count && !c->is_incomplete; root++) {
            search_from(&s, root);
        }
    }
}

void lock_cycles_release(struct lock_cycles *c)
{
    vec_release(&c->list);
    vec_release(&c->members);
}

event_id lock_cycle_event(const struct lock_cycles *c, const struct lock_cycle *cycle,
                          uint32_t index)
{
    must(index < cycle->count);
    const struct lock_member *m = &c->members.at[cycle->first + index];
    return lock_request_event(c->graph, &c->graph->requests.at[m->request], m->index);
}

/* ---- orders ---- */

struct ordering {
    struct lock_cycles *c;
    const struct hb *hb;
    struct limit_watch *watch;
    uint64_t step_left;
    bool *has_handlers; /* per task */
};

static uint32_t choice_count(const struct ordering *o, const struct lock_member *m)
{
    return o->c->graph->requests.at[m->request].count;
}

/* The member whose event must come before that of another; cycle->count when there is none. */
static uint32_t first_ordered(struct ordering *o, const struct lock_cycle *cycle)
{
    for (uint32_t i = 0; i < cycle->count; i++) {
        for (uint32_t k = 0; k < cycle->count; k++) {
            o->step_left -= o->step_left > 0;
            if (i != k && hb_is_before(o->hb, lock_cycle_event(o->c, cycle, i),
                                       lock_cycle_event(o->c, cycle, k))) {
                return i;
            }
        }
    }
    return cycle->count;
}

static bool is_spent(const struct ordering *o)
{
    return o->step_left == 0 || limit_is_over(o->watch, LIMIT_STEPS / 64);
}

/* Whether some choice of events is without order; unknown when that takes too long. */
enum choice { CHOICE_FOUND, CHOICE_NONE, CHOICE_UNKNOWN };

/* Without handlers the events of a member are a chain. So one that must come before another's event
 * must come before all later ones of that member, and is given up for good. */
static enum choice choose_along_chains(struct ordering *o, const struct lock_cycle *cycle)
{
    struct lock_member *members = &o->c->members.at[cycle->first];
    while (!is_spent(o)) {
        const uint32_t early = first_ordered(o, cycle);
        if (early == cycle->count) {
            return CHOICE_FOUND;
        }
        if (++members[early].index == choice_count(o, &members[early])) {
            return CHOICE_NONE;
        }
    }
    return CHOICE_UNKNOWN;
}

/* Tries every choice of events, as many as there may be. */
static enum choice choose_any(struct ordering *o, const struct lock_cycle *cycle)
{
    struct lock_member *members = &o->c->members.at[cycle->first];
    for (uint32_t tries = 0; tries < CHOICES_MAX && !is_spent(o); tries++) {
        if (first_ordered(o, cycle) == cycle->count) {
            return CHOICE_FOUND;
        }
        uint32_t place = 0;
        while (place < cycle->count && ++members[place].index == choice_count(o, &members[place])) {
            members[place++].index = 0;
        }
        if (place == cycle->count) {
            return CHOICE_NONE;
        }
    }
    return CHOICE_UNKNOWN;
}

static bool has_handlers(const struct ordering *o, const struct lock_cycle *cycle)
{
    for (uint32_t i = 0; i < cycle->count; i++) {
        const uint32_t request = o->c->members.at[cycle->first + i].request;
        if (o->has_handlers[o->c->graph->requests.at[request].task]) {
            return true;
        }
    }
    return false;
}

void lock_cycles_drop_ordered(struct lock_cycles *c, const struct hb *hb, struct limit_watch *watch)
{
    struct ordering o = {.c = c, .hb = hb, .watch = watch, .step_left = ORDER_STEPS_MAX};
    struct arena arena = {0};
    size_t kept = 0;
    o.has_handlers = arena_array(&arena, bool, (size_t)hb->contexts.task_count + 1);
    for (uint32_t i = hb->contexts.task_count; i < hb->contexts.count; i++) {
        o.has_handlers[hb->contexts.list[i].task] = true;
    }
    for (size_t i = 0; i < c->list.count; i++) {
        const struct lock_cycle cycle = c->list.at[i];
        const enum choice choice =
            has_handlers(&o, &cycle) ? choose_any(&o, &cycle) : choose_along_chains(&o, &cycle);
        c->undecided += choice == CHOICE_UNKNOWN;
        if (choice == CHOICE_FOUND) {
            must(kept <= i);
            c->list.at[kept++] = cycle;
        }
    }
    c->list.count = kept;
    arena_release(&arena);
}
