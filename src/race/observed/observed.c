#include "race/observed/observed.h"

#include <string.h>

#include "base/mem.h"
#include "race/access_classes.h"
#include "race/observed/observed_state.h"
#include "trace/kind_table.h"

enum {
    HELD_COUNT_MAX = 1000000,
    RECORD_COUNT_MAX = 4000000,
    PENDING_BYTES_MAX = 256 << 20,
};

/* ---- reports of races ---- */

static uint16_t event_kind_of(enum history_kind kind)
{
    switch (kind) {
    case HISTORY_READ: return EVENT_READ;
    case HISTORY_WRITE: return EVENT_WRITE;
    case HISTORY_ATOMIC_READ: return EVENT_ATOMIC_LOAD;
    case HISTORY_ATOMIC_WRITE: return EVENT_ATOMIC_STORE;
    case HISTORY_ATOMIC_RMW: return EVENT_ATOMIC_RMW;
    }
    bug("kind of access");
}

static struct observed_event access_event(const struct history_access *a)
{
    return (struct observed_event){
        .index = a->index,
        .task = a->task,
        .location = history_location(a->place),
        .kind = event_kind_of(history_kind(a->place)),
    };
}

static struct observed_race data_race(const struct observed *o, const struct history_race *race)
{
    const struct observed_variable *v = &o->variables.at[race->first.variable];
    return (struct observed_race){
        .node = v->node,
        .object = v->object,
        .first = access_event(&race->first),
        .second = access_event(&race->second),
        .pair_count = race->pair_count,
    };
}

static struct observed_race message_race(const struct observed *o, const struct arrival_race *race)
{
    return (struct observed_race){
        .is_message = true,
        .node = o->tasks.at[race->task].node,
        .first = {.index = race->second.send_index,
                  .task = race->second.send_task,
                  .location = race->second.send_location,
                  .kind = EVENT_SEND},
        .second = {.index = race->first.index,
                   .task = race->task,
                   .location = race->first.location,
                   .kind = EVENT_RECV},
        .pair_count = race->pair_count,
    };
}

static void data_found(void *owner, const struct history_race *found)
{
    const struct observed *o = owner;
    if (o->options.found != NULL) {
        const struct observed_race race = data_race(o, found);
        o->options.found(o->options.context, &race);
    }
}

static void message_found(void *owner, const struct arrival_race *found)
{
    const struct observed *o = owner;
    if (o->options.found != NULL) {
        const struct observed_race race = message_race(o, found);
        o->options.found(o->options.context, &race);
    }
}

void observed_each(const struct observed *o,
                   void (*found)(void *context, const struct observed_race *race), void *context)
{
    vec_each (&o->history.races, r) {
        const struct observed_race race = data_race(o, r);
        found(context, &race);
    }
    vec_each (&o->net.arrivals.races, r) {
        const struct observed_race race = message_race(o, r);
        found(context, &race);
    }
}

struct observed_stats observed_stats(const struct observed *o)
{
    struct observed_stats stats = {
        .event_count = o->index_next,
        .data_place_count = o->history.races.count,
        .message_place_count = o->net.arrivals.races.count,
    };
    vec_each (&o->history.races, race) {
        stats.data_race_count += race->pair_count;
    }
    vec_each (&o->net.arrivals.races, race) {
        stats.message_race_count += race->pair_count;
    }
    return stats;
}

/* ---- the life of an analysis ---- */

struct observed *observed_new(const struct tables *tables, struct notes *notes,
                              const struct observed_options *options)
{
    struct observed *o = mem_zero(1, sizeof *o);
    o->tables = tables;
    o->notes = notes;
    o->options = *options;
    if (o->options.held_count_max == 0) {
        o->options.held_count_max = HELD_COUNT_MAX;
    }
    if (o->options.record_count_max == 0) {
        o->options.record_count_max = RECORD_COUNT_MAX;
    }
    if (o->options.pending_clock_bytes_max == 0) {
        o->options.pending_clock_bytes_max = PENDING_BYTES_MAX;
    }
    pending_clocks_init(&o->pending, &o->clocks);
    names_init(&o->net.endpoints);
    alike_init(&o->alike);
    o->history.options = (struct history_options){
        .found = data_found, .owner = o, .keeps_every_access = options->every_pair};
    o->net.arrivals = (struct arrivals){
        .found = message_found, .owner = o, .keeps_every_receive = options->every_pair};
    return o;
}

void observed_free(struct observed *o)
{
    if (o == NULL) {
        return;
    }
    vec_each (&o->queues, queue) {
        vec_release(&queue->events);
    }
    vec_release(&o->queues);
    observed_net_release(o);
    observed_sync_release(o);
    history_release(&o->history);
    alike_release(&o->alike);
    scoped_release(&o->variable_of);
    vec_release(&o->variables);
    vec_release(&o->everything);
    vec_release(&o->tasks);
    vec_release(&o->spares);
    pending_clocks_release(&o->pending);
    clocks_release(&o->clocks);
    mem_free(o);
}

/* ---- one event ---- */

/* The properties of an access that are known before it is processed. */
struct prepared {
    uint32_t variable; /* OBSERVED_NONE: it is no access that counts */
    uint32_t hash;
};

/* Looks up the variable of the access, and prefetches the memory that the access will touch. */
static struct prepared prepare_access(struct observed *o, const struct event *e)
{
    const uint32_t node = observed_task_at(o, e->task)->node;
    const uint32_t variable = scoped_number(&o->variable_of, &o->tables->names, node, e->object);
    if (variable == o->history.variables.count) {
        vec_push(&o->variables, (struct observed_variable){.node = node, .object = e->object});
        const uint32_t scope = scope_of(&o->tables->names, node, e->object);
        const uint32_t alike = alike_number(&o->alike, &o->tables->names, scope, e->object);
        must(history_variable_new(&o->history, alike) == variable);
    }
    const uint32_t hash = history_hash(variable, e->task, access_place(e));
    history_expect(&o->history, hash);
    return (struct prepared){.variable = variable, .hash = hash};
}

/* The same for any event. */
static struct prepared prepare(struct observed *o, const struct event *e)
{
    return access_is_plain(e) && e->object != 0 && !o->options.skips_data
               ? prepare_access(o, e)
               : (struct prepared){.variable = OBSERVED_NONE};
}

static void take_access(struct observed *o, const struct observed_step *s, struct prepared prepared)
{
    const uint32_t *clock = clocks_row(&o->clocks, s->task->row);
    const struct history_access access = {
        .index = s->index,
        .hash = prepared.hash,
        .variable = prepared.variable,
        .task = s->event->task,
        .column = s->task->column,
        .clock = clock[s->task->column],
        .place = access_place(s->event),
    };
    if (!history_is_repeat(&o->history, &access)) {
        history_add(&o->history, &access, clock);
    }
}

void observed_touch(struct observed *o, const struct observed_step *s)
{
    if (s->event->object != 0 && !o->options.skips_data) {
        take_access(o, s, prepare_access(o, s->event));
    }
}

static void leave_out_access(struct observed *o, const struct observed_step *s)
{
    if (s->event->object == 0) {
        observed_remark(o, s->index, ACCESS_UNNAMED);
    }
}

/* The kinds that order tasks, and accesses that do not count; all others are nothing but program
 * order. */
static void (*const steps[KIND_LIMIT])(struct observed *o, const struct observed_step *s) = {
    [EVENT_READ] = leave_out_access,
    [EVENT_WRITE] = leave_out_access,
    [EVENT_PROCESS_FORK] = observed_create,
    [EVENT_THREAD_CREATE] = observed_create,
    [EVENT_THREAD_START] = observed_start,
    [EVENT_THREAD_END] = observed_end,
    [EVENT_THREAD_JOIN] = observed_join,
    [EVENT_LOCK] = observed_lock_taken,
    [EVENT_UNLOCK] = observed_lock_released,
    [EVENT_WAIT_BEGIN] = observed_wait_begin,
    [EVENT_WAIT_END] = observed_wait_end,
    [EVENT_SIGNAL] = observed_notify,
    [EVENT_BROADCAST] = observed_notify,
    [EVENT_BARRIER_ENTER] = observed_barrier_enter,
    [EVENT_BARRIER_EXIT] = observed_barrier_exit,
    [EVENT_SEM_INIT] = observed_semaphore_init,
    [EVENT_SEM_POST] = observed_semaphore_post,
    [EVENT_SEM_WAIT] = observed_semaphore_wait,
    [EVENT_ONCE] = observed_once,
    [EVENT_ATOMIC_LOAD] = observed_atomic,
    [EVENT_ATOMIC_STORE] = observed_atomic,
    [EVENT_ATOMIC_RMW] = observed_atomic,
    [EVENT_CONNECT] = observed_connect,
    [EVENT_ACCEPT] = observed_accept,
    [EVENT_SEND] = observed_send,
    [EVENT_RECV] = observed_recv,
    [EVENT_CLOSE] = observed_close,
    [EVENT_SHUTDOWN] = observed_close,
    [EVENT_HAPPENS_BEFORE] = observed_annotation,
    [EVENT_HAPPENS_AFTER] = observed_annotation,
};

static void take(struct observed *o, const struct event *e, uint64_t index,
                 struct prepared prepared)
{
    struct observed_task *task = observed_task_at(o, e->task);
    if (task->column == OBSERVED_NONE) {
        observed_task_begin(o, task);
    }
    task->has_ended = false;
    const struct observed_step step = {.event = e, .task = task, .index = index};
    if (prepared.variable != OBSERVED_NONE) {
        take_access(o, &step, prepared);
    } else if (e->kind < KIND_LIMIT && steps[e->kind] != NULL) {
        steps[e->kind](o, &step);
    }
    o->tasks.at[e->task].previous = index;
}

static void take_now(struct observed *o, const struct event *e, uint64_t index)
{
    take(o, e, index, prepare(o, e));
}

/* ---- receives listed before their sends ---- */

static struct observed_queue *queue_of(struct observed *o, uint32_t node)
{
    vec_each (&o->queues, queue) {
        if (queue->node == node) {
            return queue;
        }
    }
    return NULL;
}

static void hold(struct observed *o, uint32_t node, const struct event *e, uint64_t index)
{
    struct observed_queue *queue = queue_of(o, node);
    if (queue == NULL) {
        vec_push(&o->queues, (struct observed_queue){.node = node});
        queue = vec_last(&o->queues);
    }
    vec_push(&queue->events, (struct observed_held){.event = *e, .index = index});
    o->held_count++;
}

static bool must_wait(struct observed *o, const struct event *e)
{
    return (e->kind == EVENT_RECV || e->kind == EVENT_ACCEPT) && observed_must_wait(o, e);
}

/* Takes events of a queue up to the next that must wait; true when it took any. */
static bool drain(struct observed *o, struct observed_queue *queue)
{
    const size_t begin = queue->at;
    while (queue->at < queue->events.count) {
        const struct observed_held *held = &queue->events.at[queue->at];
        if (must_wait(o, &held->event)) {
            break;
        }
        take_now(o, &held->event, held->index);
        queue->at++;
        o->held_count--;
    }
    return queue->at > begin;
}

/* Removes events taken from the queue now and then, so that memory follows the waiting ones. */
static void compact(struct observed_queue *queue)
{
    const size_t left = queue->events.count - queue->at;
    if (queue->at > left) {
        memmove(queue->events.at, queue->events.at + queue->at, left * sizeof *queue->events.at);
        queue->events.count = left;
        queue->at = 0;
    }
}

static void forget_empty_queues(struct observed *o)
{
    size_t kept = 0;
    vec_each (&o->queues, queue) {
        if (queue->at == queue->events.count) {
            vec_release(&queue->events);
        } else {
            compact(queue);
            o->queues.at[kept++] = *queue;
        }
    }
    o->queues.count = kept;
}

/* A node may wait for a message that another one sends. */
static void drain_all(struct observed *o)
{
    for (bool progress = true; progress;) {
        progress = false;
        vec_each (&o->queues, queue) {
            progress |= drain(o, queue);
        }
    }
    forget_empty_queues(o);
}

/* The receive that has waited longest is taken without its send. */
static void give_up_oldest(struct observed *o)
{
    struct observed_queue *oldest = o->queues.at;
    vec_each (&o->queues, queue) {
        if (queue->events.at[queue->at].index < oldest->events.at[oldest->at].index) {
            oldest = queue;
        }
    }
    const struct observed_held *held = &oldest->events.at[oldest->at];
    take_now(o, &held->event, held->index);
    oldest->at++;
    o->held_count--;
    drain_all(o);
}

static bool may_serve(const struct event *e)
{
    return e->kind == EVENT_SEND || e->kind == EVENT_CONNECT || e->kind == EVENT_CLOSE ||
           e->kind == EVENT_SHUTDOWN;
}

/* In a trace whose nodes were recorded apart, a receive may be listed before its send. It waits,
 * and the rest of its node with it. */
static void take_in_turn(struct observed *o, const struct event *e, uint64_t index)
{
    const uint32_t node = observed_task_at(o, e->task)->node;
    const bool is_behind = o->queues.count > 0 && queue_of(o, node) != NULL;
    if (is_behind || must_wait(o, e)) {
        hold(o, node, e, index);
        while (o->held_count > o->options.held_count_max) {
            give_up_oldest(o);
        }
        return;
    }
    take_now(o, e, index);
    if (o->queues.count > 0 && may_serve(e)) {
        drain_all(o);
    }
}

/* ---- bounds ---- */

static uint32_t *floors_new(const struct observed *o)
{
    uint32_t *floors = mem_resize(NULL, mem_product(o->clocks.stride + 1, sizeof *floors));
    for (size_t i = 0; i < o->clocks.stride; i++) {
        floors[i] = UINT32_MAX;
    }
    vec_each (&o->tasks, t) {
        if (t->column == OBSERVED_NONE) {
            continue;
        }
        const uint32_t *clock = clocks_row(&o->clocks, t->row);
        for (size_t i = 0; i < o->clocks.width; i++) {
            floors[i] = clock[i] < floors[i] ? clock[i] : floors[i];
        }
    }
    return floors;
}

/* Forgets records that all tasks have seen; if that is not enough, the oldest of each variable. */
static void bound_history(struct observed *o)
{
    if (o->history.record_count < o->options.record_count_max) {
        return;
    }
    uint32_t *floors = floors_new(o);
    history_trim(&o->history, floors, UINT32_MAX);
    o->has_forgotten = true;
    for (uint32_t depth = 16;
         o->history.record_count > o->options.record_count_max / 2 && depth > 0; depth /= 2) {
        history_trim(&o->history, floors, depth);
        notes_add(o->notes, "",
                  "accesses were forgotten to bound memory; races with them are not "
                  "reported");
    }
    mem_free(floors);
    /* The remaining records belong to names, whose number bounds them. */
    if (o->history.record_count > o->options.record_count_max / 2) {
        o->options.record_count_max *= 2;
    }
}

static void bound_pending(struct observed *o)
{
    const uint64_t each = o->clocks.stride * sizeof *o->clocks.at + sizeof(struct pending_clock);
    o->pending.count_max = (size_t)(o->options.pending_clock_bytes_max / each) + 1;
    if (o->pending.lost_count > 0) {
        notes_add_many(o->notes, o->pending.lost_count, "",
                       "messages under way were forgotten to bound memory; their receives are not "
                       "ordered");
        o->pending.lost_count = 0;
    }
}

/* ---- streams ---- */

/* How far ahead memory is fetched: a few events take as long as one fetch. */
enum { LOOK_AHEAD = 16 };

/* Takes events as listed. */
static void take_all(struct observed *o, const struct batch *b)
{
    struct prepared prepared[LOOK_AHEAD];
    for (size_t i = 0; i < b->count && i < LOOK_AHEAD; i++) {
        prepared[i] = prepare(o, &b->events[i]);
    }
    for (size_t i = 0; i < b->count; i++) {
        struct prepared *slot = &prepared[i % LOOK_AHEAD];
        take(o, &b->events[i], o->index_next++, *slot);
        if (i + LOOK_AHEAD < b->count) {
            *slot = prepare(o, &b->events[i + LOOK_AHEAD]);
        }
    }
}

int observed_feed(struct observed *o, const struct batch *b, struct err *e)
{
    if (o->tables->order == ORDER_NODE) {
        for (size_t i = 0; i < b->count; i++) {
            take_in_turn(o, &b->events[i], o->index_next++);
        }
    } else {
        take_all(o, b);
    }
    bound_history(o);
    bound_pending(o);
    if (o->is_overflown) {
        return err_set(e,
                       "event %llu: a task has released more than 4 billion times; take a part "
                       "with clew slice",
                       (unsigned long long)o->index_next);
    }
    return 0;
}

bool observed_now(const struct observed *o, uint32_t task, struct observed_moment *m)
{
    if (task >= o->tasks.count || o->tasks.at[task].column == OBSERVED_NONE) {
        return false;
    }
    const struct observed_task *t = &o->tasks.at[task];
    *m = (struct observed_moment){t->column, clocks_row(&o->clocks, t->row)[t->column]};
    return true;
}

/* The earlier accesses to the variable are of its own task, so it has seen them all. If the task
 * itself has accessed it again meanwhile, that later access stands for both. */
void observed_feed_late(struct observed *o, const struct event *e, struct observed_moment m)
{
    const struct prepared prepared = prepare(o, e);
    const uint64_t index = o->index_next++;
    if (prepared.variable == OBSERVED_NONE) {
        return;
    }
    const struct history_variable *v = &o->history.variables.at[prepared.variable];
    if (v->column == m.column && v->clock > m.clock) {
        return;
    }
    while (o->everything.count < o->clocks.stride) {
        vec_push(&o->everything, UINT32_MAX);
    }
    const struct history_access access = {
        .index = index,
        .hash = prepared.hash,
        .variable = prepared.variable,
        .task = e->task,
        .column = m.column,
        .clock = m.clock,
        .place = access_place(e),
    };
    if (!history_is_repeat(&o->history, &access)) {
        history_add(&o->history, &access, o->everything.at);
    }
}

int observed_finish(struct observed *o, struct err *e)
{
    while (o->queues.count > 0) {
        give_up_oldest(o);
    }
    const struct batch none = {0};
    return observed_feed(o, &none, e);
}
