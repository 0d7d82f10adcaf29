#include "atomicity/region.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "order/object_key.h"

/* Conflict serializability by vector clocks (after U. Mathur and M. Viswanathan, "Atomicity
 * checking in linear time using vector clocks", ASPLOS 2020). A clock counts regions: number t of a
 * clock is the last region of task t that it has heard of. While a region of t is open, a task that
 * has heard of it and is heard of by t closes a cycle. When a region ends, all tasks that heard of
 * its beginning come after its end too: tasks are looked through, objects were put on the region's
 * list when they heard.
 *
 * Deviation: the clocks of a variable's reads start again at each write, which hands on all it
 * joined. */

/* A variable, lock or channel, which passes clocks on. Rows are in the table of clocks, 0: none
 * yet.
 */
struct object {
    uint32_t write; /* the last write, or exclusive release */
    uint32_t reads; /* all since: reads, shared releases, posts */
    uint32_t
        reads_heard; /* the same, but of each task's own number only the one that others heard */
    uint32_t writer, writer_version;
    uint32_t reader, reader_version;
    event_id last_write, last_read;
};

typedef VEC(uint32_t) number_list;

struct actor {
    uint32_t clock;   /* its row */
    uint32_t version; /* grows when the clock changes */
    uint32_t depth;   /* of regions; 0: in none */
    uint32_t begin_number;
    event_id begin;
    bool is_reported;    /* of this region */
    number_list objects; /* that have heard of its region */
    event_id last;
};

enum { SPACE_VARIABLES, SPACE_LOCKS, SPACE_CHANNELS, SPACE_COUNT };

struct regions {
    const struct tables *tables;
    struct region_options options;
    uint32_t *clocks; /* rows of `stride` numbers; row 0 is all 0 */
    size_t stride;
    size_t row_count, row_capacity;
    VEC(struct actor) actors; /* by task */
    struct map object_of[SPACE_COUNT];
    VEC(struct object) objects;
    number_list open; /* tasks in regions */
    event_id now;     /* the number of the event */
};

#define NOBODY UINT32_MAX

struct regions *regions_new(const struct tables *tables, const struct region_options *o)
{
    struct regions *r = mem_zero(1, sizeof *r);
    r->tables = tables;
    r->options = *o;
    return r;
}

void regions_free(struct regions *r)
{
    if (r == NULL) {
        return;
    }
    vec_each (&r->actors, actor) {
        vec_release(&actor->objects);
    }
    vec_release(&r->actors);
    vec_release(&r->objects);
    vec_release(&r->open);
    for (int space = 0; space < SPACE_COUNT; space++) {
        map_release(&r->object_of[space]);
    }
    mem_free(r->clocks);
    mem_free(r);
}

/* ---- clocks ---- */

enum { STRIDE_STEP = 8 };

static uint32_t *row(const struct regions *r, uint32_t number)
{
    return r->clocks + number * r->stride;
}

static uint32_t row_new(struct regions *r)
{
    if (r->row_count == r->row_capacity) {
        r->row_capacity = r->row_capacity == 0 ? 64 : 2 * r->row_capacity;
        r->clocks = mem_resize(
            r->clocks, mem_product(mem_product(r->row_capacity, r->stride), sizeof *r->clocks));
    }
    memset(row(r, (uint32_t)r->row_count), 0, r->stride * sizeof *r->clocks);
    return (uint32_t)r->row_count++;
}

/* Makes room for more tasks: rows become longer. */
static void widen(struct regions *r, size_t task_count)
{
    const size_t stride = (task_count + STRIDE_STEP - 1) / STRIDE_STEP * STRIDE_STEP;
    uint32_t *clocks = mem_zero(r->row_capacity * stride + 1, sizeof *clocks);
    for (size_t i = 0; i < r->row_count; i++) {
        memcpy(clocks + i * stride, r->clocks + i * r->stride, r->stride * sizeof *clocks);
    }
    mem_free(r->clocks);
    r->clocks = clocks;
    r->stride = stride;
    if (r->row_count == 0) {
        (void)row_new(r);
    }
}

/* Adds `from` to `to`; true when that changed it. */
static bool join(struct regions *r, uint32_t to, uint32_t from)
{
    uint32_t *restrict a = row(r, to);
    const uint32_t *restrict b = row(r, from);
    uint32_t changes = 0;
    for (size_t i = 0; i < r->stride; i++) {
        changes |= (uint32_t)(b[i] > a[i]);
        a[i] = b[i] > a[i] ? b[i] : a[i];
    }
    return changes != 0;
}

/* ---- tasks and objects ---- */

static struct actor *actor_of(struct regions *r, uint32_t task)
{
    if (task >= r->stride) {
        widen(r, r->tables->tasks.count > task ? r->tables->tasks.count : (size_t)task + 1);
    }
    while (r->actors.count <= task) {
        const uint32_t clock = row_new(r);
        vec_push(&r->actors, (struct actor){.clock = clock, .last = EVENT_NONE});
    }
    must(task < r->stride);
    return &r->actors.at[task];
}

static struct object *object_of(struct regions *r, int space, uint64_t key)
{
    bool is_new = false;
    const uint32_t number =
        *map_slot(&r->object_of[space], key, (uint32_t)r->objects.count, &is_new);
    if (is_new) {
        vec_push(&r->objects, (struct object){.writer = NOBODY, .reader = NOBODY});
    }
    return &r->objects.at[number];
}

/* The object will have to hear of the end of each open region it hears of now. */
static void mark(struct regions *r, const struct actor *by, const struct object *o)
{
    const uint32_t *clock = row(r, by->clock);
    const uint32_t number = (uint32_t)(o - r->objects.at);
    vec_each (&r->open, task) {
        struct actor *a = &r->actors.at[*task];
        if (clock[*task] >= a->begin_number &&
            (a->objects.count == 0 || *vec_last(&a->objects) != number)) {
            vec_push(&a->objects, number);
        }
    }
}

/* ---- passing on ---- */

static void report(struct regions *r, struct actor *a, event_id other)
{
    if (!a->is_reported) {
        a->is_reported = true;
        r->options.found(
            r->options.context,
            &(struct region_found){.begin = a->begin, .event = r->now, .other = other});
    }
}

/* The task joins the clock; `heard` is its own number there. */
static void hear(struct regions *r, uint32_t task, uint32_t clock, uint32_t heard, event_id other)
{
    struct actor *a = &r->actors.at[task];
    if (a->depth > 0 && heard >= a->begin_number) {
        report(r, a, other);
    }
    a->version += join(r, a->clock, clock);
}

static void hear_write(struct regions *r, uint32_t task, const struct object *o)
{
    if (o->write != 0 && o->writer != task) {
        hear(r, task, o->write, row(r, o->write)[task], o->last_write);
    }
}

static void hear_reads(struct regions *r, uint32_t task, const struct object *o)
{
    if (o->reads != 0) {
        hear(r, task, o->reads, row(r, o->reads_heard)[task], o->last_read);
    }
}

static void leave_read(struct regions *r, uint32_t task, struct object *o)
{
    if (o->reads == 0) {
        o->reads = row_new(r);
        o->reads_heard = row_new(r);
    }
    const struct actor *a = &r->actors.at[task];
    const uint32_t own = row(r, o->reads_heard)[task];
    (void)join(r, o->reads, a->clock);
    (void)join(r, o->reads_heard, a->clock);
    row(r, o->reads_heard)[task] = own;
    o->last_read = r->now;
    mark(r, a, o);
}

static void leave_write(struct regions *r, uint32_t task, struct object *o)
{
    if (o->write == 0) {
        o->write = row_new(r);
    }
    const struct actor *a = &r->actors.at[task];
    memcpy(row(r, o->write), row(r, a->clock), r->stride * sizeof *r->clocks);
    if (o->reads != 0) {
        memset(row(r, o->reads), 0, r->stride * sizeof *r->clocks);
        memset(row(r, o->reads_heard), 0, r->stride * sizeof *r->clocks);
    }
    o->writer = task;
    o->last_write = r->now;
    mark(r, a, o);
}

static void read_object(struct regions *r, uint32_t task, struct object *o)
{
    if (o->reader == task && o->reader_version == r->actors.at[task].version) {
        return;
    }
    hear_write(r, task, o);
    leave_read(r, task, o);
    o->reader = task;
    o->reader_version = r->actors.at[task].version;
}

static void write_object(struct regions *r, uint32_t task, struct object *o)
{
    if (o->writer == task && o->reader == NOBODY &&
        o->writer_version == r->actors.at[task].version) {
        return;
    }
    hear_write(r, task, o);
    hear_reads(r, task, o);
    leave_write(r, task, o);
    o->reader = NOBODY;
    o->writer_version = r->actors.at[task].version;
}

/* ---- regions ---- */

static void region_begin(struct regions *r, uint32_t task)
{
    struct actor *a = &r->actors.at[task];
    if (a->depth++ > 0) {
        return;
    }
    must(a->objects.count == 0);
    a->begin_number = ++row(r, a->clock)[task];
    a->version++;
    a->begin = r->now;
    a->is_reported = false;
    vec_push(&r->open, task);
}

static void close_open(struct regions *r, uint32_t task)
{
    must(r->open.count > 0);
    for (size_t i = 0; i < r->open.count; i++) {
        if (r->open.at[i] == task) {
            r->open.at[i] = vec_pop(&r->open);
            return;
        }
    }
}

/* Joins the region's clock into the row, if that has heard of the region. */
static void hand_on(struct regions *r, const struct actor *a, uint32_t task, uint32_t to)
{
    if (to != 0 && row(r, to)[task] >= a->begin_number) {
        (void)join(r, to, a->clock);
    }
}

static void region_end(struct regions *r, uint32_t task)
{
    struct actor *a = &r->actors.at[task];
    if (a->depth == 0 || --a->depth > 0) {
        return;
    }
    must(row(r, a->clock)[task] >= a->begin_number);
    close_open(r, task);
    for (uint32_t other = 0; other < r->actors.count; other++) {
        const struct actor *b = &r->actors.at[other];
        if (other != task && row(r, b->clock)[task] >= a->begin_number) {
            hear(r, other, a->clock, row(r, a->clock)[other], r->now);
        }
    }
    /* A task that hears of the end through an object hears of other open regions by it. */
    vec_each (&a->objects, number) {
        struct object *o = &r->objects.at[*number];
        hand_on(r, a, task, o->write);
        if (o->reads != 0 && row(r, o->reads)[task] >= a->begin_number) {
            (void)join(r, o->reads, a->clock);
            (void)join(r, o->reads_heard, a->clock);
        }
        mark(r, a, o);
    }
    vec_clear(&a->objects);
}

/* ---- events ---- */

static uint64_t key_of(const struct regions *r, const struct event *e, uint32_t name)
{
    const uint32_t node = r->tables->tasks.at[e->task].node;
    return map_pair(scope_of(&r->tables->names, node, name), name);
}

static uint64_t lock_key(const struct regions *r, const struct event *e)
{
    return lock_mode_is_across_processes(e->mode) ? map_pair(SCOPE_WHOLE_TRACE, e->object)
                                                  : key_of(r, e, e->object);
}

static void take_lock(struct regions *r, uint32_t task, struct object *o, bool is_shared)
{
    hear_write(r, task, o);
    if (!is_shared) {
        hear_reads(r, task, o);
    }
}

static void give_lock(struct regions *r, uint32_t task, struct object *o, bool is_shared)
{
    if (is_shared) {
        leave_read(r, task, o);
    } else {
        leave_write(r, task, o);
    }
}

static struct object *channel_of(struct regions *r, const struct event *e)
{
    const bool has_message = (e->has & HAS_PEER) == 0 && e->message != 0;
    return object_of(r, SPACE_CHANNELS,
                     has_message ? map_pair(SCOPE_WHOLE_TRACE, e->message)
                                 : key_of(r, e, e->object));
}

static void join_task(struct regions *r, uint32_t task, uint32_t peer)
{
    (void)actor_of(r, peer);
    const struct actor *p = &r->actors.at[peer];
    hear(r, task, p->clock, row(r, p->clock)[task], p->last == EVENT_NONE ? r->now : p->last);
}

static void create_task(struct regions *r, uint32_t task, uint32_t peer)
{
    struct actor *p = actor_of(r, peer);
    p->version += join(r, p->clock, r->actors.at[task].clock);
}

static void pass_sync(struct regions *r, const struct event *e)
{
    const uint32_t task = e->task;
    const uint32_t lock = e->text != 0 ? e->text : e->object;
    switch ((int)e->kind) {
    case EVENT_LOCK:
        take_lock(r, task, object_of(r, SPACE_LOCKS, lock_key(r, e)), lock_mode_is_shared(e->mode));
        break;
    case EVENT_UNLOCK:
        give_lock(r, task, object_of(r, SPACE_LOCKS, lock_key(r, e)), lock_mode_is_shared(e->mode));
        break;
    case EVENT_WAIT_BEGIN:
        give_lock(r, task, object_of(r, SPACE_LOCKS, key_of(r, e, lock)), false);
        break;
    case EVENT_WAIT_END:
        hear_reads(r, task, channel_of(r, e));
        take_lock(r, task, object_of(r, SPACE_LOCKS, key_of(r, e, lock)), false);
        break;
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
    case EVENT_BARRIER_ENTER:
    case EVENT_SEM_POST: leave_read(r, task, channel_of(r, e)); break;
    case EVENT_BARRIER_EXIT:
    case EVENT_SEM_WAIT: hear_reads(r, task, channel_of(r, e)); break;
    case EVENT_ONCE:
        hear_reads(r, task, channel_of(r, e));
        leave_read(r, task, channel_of(r, e));
        break;
    default: break;
    }
}

static void pass_other(struct regions *r, const struct event *e)
{
    const bool has_peer = (e->has & HAS_PEER) != 0;
    switch ((int)e->kind) {
    case EVENT_THREAD_CREATE:
    case EVENT_PROCESS_FORK:
        if (has_peer) {
            create_task(r, e->task, e->peer);
        }
        break;
    case EVENT_THREAD_JOIN:
        if (has_peer) {
            join_task(r, e->task, e->peer);
        }
        break;
    case EVENT_SEND:
    case EVENT_HAPPENS_BEFORE: leave_read(r, e->task, channel_of(r, e)); break;
    case EVENT_RECV:
    case EVENT_HAPPENS_AFTER: hear_reads(r, e->task, channel_of(r, e)); break;
    default: break;
    }
}

static void pass(struct regions *r, const struct event *e)
{
    struct actor *a = actor_of(r, e->task);
    a->last = r->now;
    switch ((int)e->kind) {
    case EVENT_READ:
    case EVENT_ATOMIC_LOAD:
        read_object(r, e->task, object_of(r, SPACE_VARIABLES, key_of(r, e, e->object)));
        break;
    case EVENT_WRITE:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW:
        write_object(r, e->task, object_of(r, SPACE_VARIABLES, key_of(r, e, e->object)));
        break;
    case EVENT_ATOMIC_BEGIN: region_begin(r, e->task); break;
    case EVENT_ATOMIC_END: region_end(r, e->task); break;
    default:
        if (event_class(e) == CLASS_SYNC) {
            pass_sync(r, e);
        } else {
            pass_other(r, e);
        }
    }
}

void regions_feed(struct regions *r, const struct event *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pass(r, &events[i]);
        r->now++;
    }
}
