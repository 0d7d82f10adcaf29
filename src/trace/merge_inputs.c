#include "trace/merge_inputs.h"

#include "base/map.h"
#include "base/mem.h"
#include "trace/channel.h"
#include "wire/kind.h"

struct part {
    struct cursor *cursor; /* NULL before it is opened and after its end */
    bool is_opened;
    struct batch batch; /* events read and not yet returned */
    uint64_t given;     /* events returned */
};

/* The messages or bytes sent and received under one name, one shape, or in one stream. */
struct flow {
    uint64_t sent;
    uint64_t received;
};

/* A run of events from one input. */
struct run {
    uint64_t position; /* of its first event, among all */
    uint64_t index;    /* and in its input */
    size_t input;
};

struct join {
    struct cursor cursor;
    struct join_inputs inputs;
    struct part *parts;
    size_t current; /* the part read last */
    VEC(struct run) runs;
    uint64_t given; /* events returned, of all parts */
    uint64_t tick_ns;
    bool is_stamped; /* one of them is stamped */

    struct map flow_of_stream;  /* by channel */
    struct map flow_of_message; /* by name */
    struct map flow_of_shape;   /* by channel and size */
    VEC(struct flow) flows;
};

/* Combines the properties of the single inputs into those of the whole. A tick of 0 is unknown. */
static int agree(struct join *j, struct err *e)
{
    struct tables *t = j->cursor.tables;
    if (j->tick_ns != 0 && t->tick_ns != 0 && t->tick_ns != j->tick_ns) {
        return err_set(e,
                       "its unit of time differs from that of the inputs before; convert it first");
    }
    j->tick_ns = t->tick_ns != 0 ? t->tick_ns : j->tick_ns;
    t->tick_ns = j->tick_ns;
    j->is_stamped = j->is_stamped || t->order == ORDER_STAMPED;
    if (j->inputs.count > 1) {
        t->order = j->is_stamped ? ORDER_STAMPED : ORDER_NODE;
    }
    return 0;
}

static int open_part(struct join *j, size_t input, struct err *e)
{
    struct cursor *c = &j->cursor;
    struct part *part = &j->parts[input];
    part->is_opened = true;
    c->path = format_path_name(j->inputs.paths[input]);
    c->tables->tick_ns = 0;
    part->cursor = format_open_unnamed(j->inputs.formats, j->inputs.wanted, j->inputs.paths[input],
                                       c->tables, c->notes, e);
    return part->cursor == NULL ? -1 : agree(j, e);
}

/* Fills the part with at least one event: 1, 0 at its end, -1. */
static int fill_part(struct join *j, size_t input, struct err *e)
{
    struct part *part = &j->parts[input];
    j->cursor.path = format_path_name(j->inputs.paths[input]);
    if (!part->is_opened && open_part(j, input, e) < 0) {
        return -1;
    }
    if (part->batch.count > 0) {
        return 1;
    }
    if (part->cursor == NULL) {
        return 0;
    }
    const uint64_t offset = part->cursor->in.offset;
    part->cursor->in.is_stopped = j->cursor.in.is_stopped;
    const int more = cursor_next(part->cursor, &part->batch, e);
    j->cursor.in.offset += part->cursor->in.offset - offset;
    if (more == 0) {
        j->cursor.is_cut_short = j->cursor.is_cut_short || part->cursor->is_cut_short;
        cursor_close(part->cursor);
        part->cursor = NULL;
    }
    return more;
}

/* The flow of a send or receive, and the amount that it moves there. */
static struct flow *flow_of(struct join *j, const struct event *e, uint64_t *amount)
{
    const uint64_t size = (e->has & HAS_SIZE) != 0 ? e->size : 0;
    const uint32_t name = (e->has & HAS_PEER) != 0 ? 0 : e->message;
    const bool is_stream = transport_is_stream(e->mode);
    struct map *map = is_stream   ? &j->flow_of_stream
                      : name != 0 ? &j->flow_of_message
                                  : &j->flow_of_shape;
    const uint64_t key = is_stream   ? e->object
                         : name != 0 ? name
                                     : map_pair(e->object, (uint32_t)size);
    bool is_new = false;
    const uint32_t index = *map_slot(map, key, (uint32_t)j->flows.count, &is_new);
    if (is_new) {
        vec_push(&j->flows, (struct flow){0});
    }
    *amount = is_stream ? size : 1;
    return &j->flows.at[index];
}

/* Counts the event; false when it is a receive before its send and may_wait allows it to wait. */
static bool pass(struct join *j, const struct event *e, bool may_wait)
{
    if (e->kind != EVENT_SEND && e->kind != EVENT_RECV) {
        return true;
    }
    uint64_t amount = 0;
    struct flow *flow = flow_of(j, e, &amount);
    if (e->kind == EVENT_SEND) {
        flow->sent += amount;
        return true;
    }
    if (may_wait && (flow->sent < flow->received || flow->sent - flow->received < amount)) {
        return false;
    }
    flow->received += amount;
    return true;
}

static void remember_run(struct join *j, size_t input)
{
    const bool goes_on = j->runs.count > 0 && vec_last(&j->runs)->input == input;
    if (!goes_on) {
        vec_push(&j->runs, (struct run){
                               .position = j->given,
                               .index = j->parts[input].given,
                               .input = input,
                           });
    }
}

/* Returns as many of the part's events as may come now. */
static bool give(struct join *j, size_t input, bool may_wait, struct batch *b)
{
    struct part *part = &j->parts[input];
    const size_t limit = may_wait ? part->batch.count : 1;
    size_t count = j->inputs.count == 1 ? part->batch.count : 0;
    while (count < limit && pass(j, &part->batch.events[count], may_wait)) {
        count++;
    }
    if (count == 0) {
        return false;
    }
    remember_run(j, input);
    *b = part->batch;
    b->count = count;
    b->input = input;
    part->batch.events += count;
    part->batch.offsets += count;
    part->batch.count -= count;
    part->given += count;
    j->given += count;
    j->current = input;
    return true;
}

static int next_batch(struct cursor *c, struct batch *b, struct err *e)
{
    struct join *j = (struct join *)c;
    const size_t count = j->inputs.count;
    size_t waiting = count;
    for (size_t i = 0; i < count; i++) {
        const size_t input = (j->current + i) % count;
        const int more = fill_part(j, input, e);
        if (more < 0) {
            return -1;
        }
        if (more > 0 && give(j, input, true, b)) {
            return 1;
        }
        if (more > 0 && input < waiting) {
            waiting = input;
        }
    }
    if (waiting == count) {
        return 0;
    }
    /* All remaining inputs wait for sends that nobody recorded, or for each other. */
    c->path = format_path_name(j->inputs.paths[waiting]);
    const bool is_given = give(j, waiting, false, b);
    must(is_given);
    return 1;
}

static void close_all(struct cursor *c)
{
    struct join *j = (struct join *)c;
    for (size_t i = 0; i < j->inputs.count; i++) {
        cursor_close(j->parts[i].cursor);
    }
    mem_free(j->parts);
    vec_release(&j->runs);
    map_release(&j->flow_of_stream);
    map_release(&j->flow_of_message);
    map_release(&j->flow_of_shape);
    vec_release(&j->flows);
}

/* Joined inputs are matched by the names of their messages. */
static bool forget(struct cursor *c)
{
    struct join *j = (struct join *)c;
    struct cursor *only = j->inputs.count == 1 ? j->parts[0].cursor : NULL;
    return only != NULL && j->parts[0].batch.count == 0 && only->ops->forget != NULL &&
           only->ops->forget(only);
}

static const struct cursor_ops ops = {.next = next_batch, .close = close_all, .forget = forget};

struct cursor *join_open(const struct join_inputs *inputs, struct tables *t, struct notes *n,
                         struct err *e)
{
    must(inputs->count > 0);
    struct join *j = mem_zero(1, sizeof *j);
    j->inputs = *inputs;
    j->cursor = (struct cursor){.ops = &ops, .tables = t, .notes = n, .in = {.fd = -1}};
    j->parts = mem_zero(inputs->count, sizeof *j->parts);
    if (open_part(j, 0, e) < 0) {
        (void)err_wrap(e, "%s", j->cursor.path);
        cursor_close(&j->cursor);
        return NULL;
    }
    return &j->cursor;
}

struct join_place join_place(const struct cursor *c, uint64_t position)
{
    must(c->ops == &ops);
    const struct join *j = (const struct join *)c;
    must(position < j->given);
    size_t from = 0;
    size_t end = j->runs.count;
    while (end - from > 1) {
        const size_t middle = from + (end - from) / 2;
        *(j->runs.at[middle].position <= position ? &from : &end) = middle;
    }
    const struct run *run = &j->runs.at[from];
    return (struct join_place){.input = run->input, .index = run->index + position - run->position};
}
