#include "race/witness/witness_facts.h"

#include "trace/kind_table.h"
#include "trace/name_scope.h"
#include "wire/must.h"

/* ---- tools ---- */

uint64_t facts_scoped(const struct trace *t, const struct event *e, uint32_t name)
{
    return map_pair(scope_of(&t->tables.names, trace_node_of(t, e), name), name);
}

uint32_t facts_number(struct map *numbers, uint64_t key)
{
    must(numbers->entries.count < FACT_NONE);
    return *map_slot(numbers, key, (uint32_t)numbers->entries.count, NULL);
}

void facts_need(struct facts *f, event_id id, event_id needed)
{
    if (id == needed) {
        return;
    }
    must(id < f->count);
    must(needed < f->count);
    vec_push(&f->needs, (struct fact_need){.event = needed, .next = f->of[id].needs});
    f->of[id].needs = (uint32_t)(f->needs.count - 1);
}

void fact_lists_add(struct fact_lists *l, uint64_t key, event_id id)
{
    const uint32_t number = facts_number(&l->numbers, key);
    const uint32_t link = (uint32_t)l->links.count;
    vec_push(&l->links, (struct fact_link){.event = id, .next = FACT_NONE});
    if (number == l->heads.count) {
        vec_push(&l->heads, (struct fact_list){.next = link, .last = link});
        return;
    }
    must(number < l->heads.count);
    struct fact_list *head = &l->heads.at[number];
    l->links.at[head->last].next = link;
    head->last = link;
}

static event_id take(struct fact_lists *l, uint64_t key, bool stays_at_last)
{
    const uint32_t *number = map_get(&l->numbers, key);
    if (number == NULL) {
        return EVENT_NONE;
    }
    must(*number < l->heads.count);
    struct fact_list *head = &l->heads.at[*number];
    if (head->next == FACT_NONE) {
        return EVENT_NONE;
    }
    must(head->next < l->links.count);
    const struct fact_link *link = &l->links.at[head->next];
    if (link->next != FACT_NONE || !stays_at_last) {
        head->next = link->next;
    }
    return link->event;
}

event_id fact_lists_take(struct fact_lists *l, uint64_t key)
{
    return take(l, key, false);
}

event_id fact_lists_take_or_last(struct fact_lists *l, uint64_t key)
{
    return take(l, key, true);
}

void fact_lists_release(struct fact_lists *l)
{
    map_release(&l->numbers);
    vec_release(&l->heads);
    vec_release(&l->links);
}

static unsigned operation_of(const struct event *e)
{
    const bool has_operation =
        e->kind == EVENT_ATOMIC_RMW || e->kind == EVENT_READ || e->kind == EVENT_WRITE;
    return has_operation ? update_of(e->mode) : UPDATE_NONE;
}

bool facts_event_accesses(const struct event *e)
{
    return e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_LOAD || facts_event_writes(e);
}

bool facts_event_reads(const struct event *e)
{
    return e->kind == EVENT_ATOMIC_LOAD ||
           ((e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_RMW) &&
            operation_of(e) == UPDATE_NONE);
}

bool facts_event_updates(const struct event *e)
{
    return facts_event_writes(e) && operation_of(e) != UPDATE_NONE && operation_of(e) != UPDATE_SET;
}

bool facts_event_writes(const struct event *e)
{
    return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

/* ---- contexts ---- */

/* Where a task's walk through its own events stands. */
struct walker {
    event_id last;      /* event of the task */
    event_id last_main; /* event of its main chain */
    uint32_t handler;   /* open, or FACT_NONE */
    uint32_t depth;     /* HANDLER_BEGINs in it that have not ended */
    uint32_t handler_count;
};

/* A RECV of a handler is known as such only when HANDLER_BEGIN follows: it is then removed from the
 * main chain, with the conditions of main events. */
static void handler_begin(struct facts *f, struct walker *w, event_id id)
{
    w->handler = (uint32_t)f->handlers.count;
    w->depth = 0;
    w->handler_count++;
    f->of[w->last].handlers_over = FACT_NONE;
    f->of[w->last].handler = w->handler;
    f->of[id].previous = w->last;
    w->last_main = f->of[w->last].previous;
    vec_push(&f->handlers,
             (struct fact_handler){.task = trace_at(f->t, id)->task, .first = w->last, .last = id});
}

static void walk_in_handler(struct facts *f, struct walker *w, event_id id)
{
    const uint16_t kind = trace_at(f->t, id)->kind;
    f->of[id].handler = w->handler;
    f->handlers.at[w->handler].last = id;
    if (kind == EVENT_HANDLER_BEGIN) {
        w->depth++;
    } else if (kind == EVENT_HANDLER_END && --w->depth == 0) {
        w->handler = FACT_NONE;
    }
}

static void walk(struct facts *f, struct walker *w, event_id id)
{
    struct fact *fact = &f->of[id];
    const bool follows_recv = w->last != EVENT_NONE && trace_at(f->t, w->last)->kind == EVENT_RECV;
    fact->task_before = w->last;
    if (w->handler != FACT_NONE) {
        fact->previous = w->last;
        walk_in_handler(f, w, id);
    } else if (trace_at(f->t, id)->kind == EVENT_HANDLER_BEGIN && follows_recv) {
        handler_begin(f, w, id);
        walk_in_handler(f, w, id);
    } else {
        fact->previous = w->last_main;
        fact->handlers_over = w->handler_count;
        w->last_main = id;
    }
    w->last = id;
}

static void read_contexts(struct facts *f)
{
    const size_t task_count = f->t->tables.tasks.count;
    struct arena_mark mark = arena_mark(&f->arena);
    struct walker *walkers = arena_array(&f->arena, struct walker, task_count + 1);
    for (size_t i = 0; i < task_count; i++) {
        walkers[i] =
            (struct walker){.last = EVENT_NONE, .last_main = EVENT_NONE, .handler = FACT_NONE};
    }
    for (event_id id = 0; id < f->count; id++) {
        const uint32_t task = trace_at(f->t, id)->task;
        walk(f, &walkers[task], id);
        f->task_event_count[task]++;
    }
    arena_reset(&f->arena, mark);
}

/* ---- threads ---- */

static bool has_peer(const struct event *e)
{
    return (e->has & HAS_PEER) != 0;
}

/* Pairs creates with starts and ends with joins. A create whose child has no start at all is paired
 * with the child's first event; a join whose child has no end waits for all of the child. */
static void read_threads(struct facts *f)
{
    struct fact_lists creates = {0};
    struct fact_lists ends = {0};
    struct map started = {0}; /* tasks with a start */
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (e->kind == EVENT_THREAD_CREATE && has_peer(e)) {
            fact_lists_add(&creates, e->peer, id);
        } else if (e->kind == EVENT_THREAD_START) {
            map_put(&started, e->task, 1);
        } else if (e->kind == EVENT_THREAD_END) {
            fact_lists_add(&ends, e->task, id);
        }
    }
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        const bool is_first_of_silent =
            f->of[id].task_before == EVENT_NONE && map_get(&started, e->task) == NULL;
        if (e->kind == EVENT_THREAD_START || is_first_of_silent) {
            const event_id create = fact_lists_take(&creates, e->task);
            if (create != EVENT_NONE) {
                facts_need(f, id, create);
            }
        }
        if (e->kind == EVENT_THREAD_JOIN && has_peer(e)) {
            const event_id end = fact_lists_take_or_last(&ends, e->peer);
            if (end != EVENT_NONE) {
                facts_need(f, id, end);
            } else {
                f->of[id].thing = e->peer;
            }
        }
    }
    fact_lists_release(&creates);
    fact_lists_release(&ends);
    map_release(&started);
}

static void read_forks(struct facts *f)
{
    struct fact_lists forks = {0};
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (e->kind == EVENT_PROCESS_FORK && has_peer(e)) {
            fact_lists_add(&forks, e->peer, id);
        }
    }
    for (event_id id = 0; id < f->count; id++) {
        event_id fork = EVENT_NONE;
        while (f->of[id].task_before == EVENT_NONE &&
               (fork = fact_lists_take(&forks, trace_at(f->t, id)->task)) != EVENT_NONE) {
            facts_need(f, id, fork);
        }
    }
    fact_lists_release(&forks);
}

/* ---- memory ---- */

/* Reading memory saw: a write, EVENT_NONE before the first, and the blind updates since. */
static void read_memory(struct facts *f)
{
    struct map variables = {0};
    VEC(event_id) writes = {0}; /* by variable */
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (!facts_event_accesses(e)) {
            continue;
        }
        const uint32_t variable = facts_number(&variables, facts_scoped(f->t, e, e->object));
        if (variable == writes.count) {
            vec_push(&writes, EVENT_NONE);
        }
        event_id *write = &writes.at[variable];
        f->of[id].thing = variable;
        f->of[id].saw = facts_event_reads(e) ? *write : EVENT_NONE;
        *write = facts_event_writes(e) && !facts_event_updates(e) ? id : *write;
        f->has_updates |= facts_event_updates(e);
    }
    f->variable_count = (uint32_t)variables.entries.count;
    map_release(&variables);
    vec_release(&writes);
}

/* ---- blind updates ---- */

/* The family of the update among those of its variable, a new one if need be. */
static uint32_t family_of(struct facts *f, const struct event *e, uint32_t variable)
{
    uint32_t *first = &f->families_of.at[variable];
    const struct fact_family own = {
        .operation = (uint8_t)operation_of(e), .size = e->size, .next = *first};
    for (uint32_t i = *first; i != FACT_NONE; i = f->families.at[i].next) {
        if (f->families.at[i].operation == own.operation && f->families.at[i].size == own.size) {
            return i;
        }
    }
    vec_push(&f->families, own);
    *first = (uint32_t)f->families.count - 1;
    return *first;
}

/* Where a variable stands in the list. */
struct updating {
    uint32_t count;     /* of updates so far */
    uint32_t count_old; /* when it was last written by something else */
};

static void read_updates(struct facts *f)
{
    VEC(struct updating) at = {0};
    f->updates = arena_array(&f->arena, struct fact_update, f->count + 1);
    for (uint32_t i = 0; i < f->variable_count; i++) {
        vec_push(&at, (struct updating){0});
        vec_push(&f->families_of, FACT_NONE);
    }
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (!facts_event_reads(e) && !facts_event_writes(e)) {
            continue;
        }
        const uint32_t variable = f->of[id].thing;
        struct updating *u = &at.at[variable];
        if (facts_event_reads(e)) {
            f->updates[id].number = u->count_old + 1;
            f->updates[id].seen = u->count - u->count_old;
        }
        if (facts_event_updates(e)) {
            f->updates[id].number = ++u->count;
            f->updates[id].family = family_of(f, e, variable);
        } else if (facts_event_writes(e)) {
            u->count_old = u->count;
        }
    }
    vec_release(&at);
}

/* ---- atomics ---- */

/* The release writes that an acquire read would take in now. */
struct published {
    VEC(event_id) writes;
};

typedef VEC(struct published) published_vec;

static void read_atomic(struct facts *f, struct published *p, event_id id)
{
    const struct event *e = trace_at(f->t, id);
    const unsigned order = e->mode & MEMORY_ORDER_MASK;
    const bool reads = facts_event_reads(e);
    const bool writes = facts_event_writes(e);
    const bool acquires = reads && order != MEMORY_RELAXED && order != MEMORY_RELEASE;
    const bool releases = writes && (order == MODE_UNSAID || order >= MEMORY_RELEASE);
    vec_each (&p->writes, write) {
        if (acquires) {
            facts_need(f, id, *write);
        }
    }
    /* A read that needs this write needs the writes that it has absorbed too. */
    const bool begins = writes && !reads && !facts_event_updates(e);
    if (begins || (writes && acquires && releases)) {
        vec_clear(&p->writes);
    }
    if (releases) {
        vec_push(&p->writes, id);
    }
}

/* Events that a read is ordered after, whichever value it sees. */
static void read_atomics(struct facts *f)
{
    struct map numbers = {0};
    published_vec all = {0};
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (event_class(e) != CLASS_ATOMIC) {
            continue;
        }
        const uint32_t number = facts_number(&numbers, facts_scoped(f->t, e, e->object));
        if (number == all.count) {
            vec_push(&all, (struct published){0});
        }
        read_atomic(f, &all.at[number], id);
    }
    vec_each (&all, p) {
        vec_release(&p->writes);
    }
    vec_release(&all);
    map_release(&numbers);
}

/* ---- semaphores, barriers, once, annotations ---- */

/* A semaphore while its posts and waits are counted. */
struct semaphore_tally {
    int64_t value;   /* by its SEM_INIT; -1: not said */
    int64_t balance; /* posts less waits so far */
    int64_t least;   /* the initial count that the list needs */
};

static void race_groups_semaphore(struct semaphore_tally *s, const struct event *e)
{
    if (e->kind == EVENT_SEM_INIT) {
        s->value = s->value < 0 && (e->has & HAS_VALUE) != 0 ? e->value : s->value;
        return;
    }
    s->balance += e->kind == EVENT_SEM_POST ? 1 : -1;
    s->least = -s->balance > s->least ? -s->balance : s->least;
}

/* The initial value of each semaphore: a wait needs a unit. */
static void read_semaphores(struct facts *f)
{
    struct map numbers = {0};
    VEC(struct semaphore_tally) tallies = {0};
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (e->kind != EVENT_SEM_POST && e->kind != EVENT_SEM_WAIT && e->kind != EVENT_SEM_INIT) {
            continue;
        }
        const uint32_t number = facts_number(&numbers, facts_scoped(f->t, e, e->object));
        if (number == tallies.count) {
            vec_push(&tallies, (struct semaphore_tally){.value = -1});
        }
        must(number < tallies.count);
        f->of[id].thing = number;
        race_groups_semaphore(&tallies.at[number], e);
    }
    vec_each (&tallies, s) {
        const int64_t initial = s->value > s->least ? s->value : s->least;
        vec_push(&f->semaphores, initial > INT32_MAX ? INT32_MAX : (uint32_t)initial);
    }
    vec_release(&tallies);
    map_release(&numbers);
}

/* A barrier while its rounds are counted. */
struct barrier {
    uint32_t round;
    bool is_over; /* someone has left it: the next ENTER begins a round */
};

static void read_barriers(struct facts *f)
{
    struct map numbers = {0};
    VEC(struct barrier) barriers = {0};
    struct map round_of = {0}; /* (task, barrier) to the round the task entered last */
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (e->kind != EVENT_BARRIER_ENTER && e->kind != EVENT_BARRIER_EXIT) {
            continue;
        }
        const uint32_t number = facts_number(&numbers, facts_scoped(f->t, e, e->object));
        if (number == barriers.count) {
            vec_push(&barriers, (struct barrier){.round = FACT_NONE, .is_over = true});
        }
        must(number < barriers.count);
        struct barrier *b = &barriers.at[number];
        uint32_t *entered = map_slot(&round_of, map_pair(e->task, number), FACT_NONE, NULL);
        if (e->kind == EVENT_BARRIER_EXIT) {
            f->of[id].thing = *entered;
            b->is_over |= *entered == b->round;
            continue;
        }
        if (b->is_over) {
            vec_push(&f->rounds, (struct fact_round){.before = b->round});
            *b = (struct barrier){.round = (uint32_t)(f->rounds.count - 1)};
        }
        *entered = f->of[id].thing = b->round;
        f->rounds.at[b->round].enter_count++;
    }
    map_release(&numbers);
    map_release(&round_of);
    vec_release(&barriers);
}

static bool is_annotation(const struct event *e)
{
    return e->kind == EVENT_HAPPENS_BEFORE || e->kind == EVENT_HAPPENS_AFTER;
}

/* An observed order is none that another schedule has to keep. */
static void read_annotations(struct facts *f)
{
    struct map last_before = {0};
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        const uint64_t key = facts_scoped(f->t, e, e->object);
        if (is_annotation(e) && e->mode != ANNOTATION_OBSERVED) {
            uint32_t *last = map_slot(&last_before, key, EVENT_NONE, NULL);
            f->of[id].saw = *last;
            *last = e->kind == EVENT_HAPPENS_BEFORE ? id : *last;
        }
    }
    map_release(&last_before);
}

/* ---- all ---- */

/* Whether every number in the facts is in its table. */
static bool are_in_range(const struct facts *f)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct fact *fact = &f->of[i];
        if ((fact->previous != EVENT_NONE && fact->previous >= f->count) ||
            (fact->needs != FACT_NONE && fact->needs >= f->needs.count) ||
            (fact->handler != FACT_NONE && fact->handler >= f->handlers.count) ||
            (fact->section != FACT_NONE && fact->section >= f->sections.count) ||
            (fact->wait != FACT_NONE && fact->wait >= f->waits.count)) {
            return false;
        }
    }
    return true;
}

void facts_read(struct facts *f, const struct trace *t)
{
    must(t->is_sealed);
    *f = (struct facts){.t = t, .count = t->events.count};
    f->of = arena_array(&f->arena, struct fact, f->count + 1);
    f->task_event_count = arena_array(&f->arena, uint32_t, t->tables.tasks.count + 1);
    for (size_t i = 0; i < f->count; i++) {
        f->has_kind[t->events.at[i].kind] = true;
        f->of[i] = (struct fact){
            .previous = EVENT_NONE,
            .task_before = EVENT_NONE,
            .saw = EVENT_NONE,
            .needs = FACT_NONE,
            .thing = FACT_NONE,
            .handler = FACT_NONE,
            .handlers_over = FACT_NONE,
            .section = FACT_NONE,
            .sections_over = FACT_NONE,
            .wait = FACT_NONE,
            .waits_begun = FACT_NONE,
        };
    }
    read_contexts(f);
    read_threads(f);
    read_memory(f);
    if (f->has_updates) {
        read_updates(f);
    }
    if (facts_have(f, EVENT_ATOMIC_LOAD) || facts_have(f, EVENT_ATOMIC_RMW)) {
        read_atomics(f);
    }
    if (facts_have(f, EVENT_PROCESS_FORK)) {
        read_forks(f);
    }
    if (facts_have(f, EVENT_SEM_WAIT)) {
        read_semaphores(f);
    }
    if (facts_have(f, EVENT_BARRIER_ENTER)) {
        read_barriers(f);
    }
    if (facts_have(f, EVENT_ONCE)) {
        facts_read_onces(f);
    }
    if (facts_have(f, EVENT_HAPPENS_AFTER)) {
        read_annotations(f);
    }
    facts_read_network(f);
    if (facts_have(f, EVENT_WAIT_END) || facts_have(f, EVENT_SIGNAL) ||
        facts_have(f, EVENT_BROADCAST)) {
        facts_read_waits(f);
    }
    facts_read_sections(f);
    must_in_tests(are_in_range(f));
}

void facts_release(struct facts *f)
{
    vec_release(&f->needs);
    vec_release(&f->handlers);
    vec_release(&f->sections);
    vec_release(&f->waits);
    vec_release(&f->parts);
    vec_release(&f->rounds);
    vec_release(&f->semaphores);
    vec_release(&f->families);
    vec_release(&f->families_of);
    arena_release(&f->arena);
}
