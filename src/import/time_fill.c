#include "import/time_fill.h"

#include <stddef.h>

#include "wire/must.h"

void time_fill_release(struct time_fill *f)
{
    vec_release(&f->waiting);
    vec_release(&f->nodes);
    map_release(&f->number_of);
}

/* NULL: no event of the node has a time yet. */
static struct time_fill_node *node_find(const struct time_fill *f, uint32_t node)
{
    const uint32_t *number = map_get(&f->number_of, node);
    must(number == NULL || *number < f->nodes.count);
    return number == NULL ? NULL : &f->nodes.at[*number];
}

static struct time_fill_node *node_need(struct time_fill *f, uint32_t node)
{
    bool is_new = false;
    const uint32_t number = *map_slot(&f->number_of, node, (uint32_t)f->nodes.count, &is_new);
    if (is_new) {
        vec_push(&f->nodes, (struct time_fill_node){0});
    }
    must(number < f->nodes.count);
    return &f->nodes.at[number];
}

static int64_t later(int64_t time, size_t by)
{
    int64_t sum = 0;
    return __builtin_add_overflow(time, (int64_t)by, &sum) ? INT64_MAX : sum;
}

/* The successor of the waiting events. */
struct behind {
    const int64_t *time; /* NULL: none has a time */
    uint32_t node;
    bool is_full; /* too many wait; more may follow */
};

/* The time of the event that waits at this index. */
static int64_t time_at(const struct time_fill *f, size_t index, const struct behind *b)
{
    const int64_t counted = later(f->has_last ? f->last : 0, index + 1);
    if (b->time == NULL) {
        return b->is_full && f->has_last ? f->last : counted;
    }
    if (!f->has_last || *b->time >= f->last) {
        return counted < *b->time ? counted : *b->time;
    }
    must(index < f->waiting.count);
    const uint32_t node = f->waiting.at[index].node;
    const struct time_fill_node *before = node_find(f, node);
    return before != NULL ? before->last : node == b->node ? *b->time : f->last;
}

static void flush(struct time_fill *f, const struct behind *b, time_fill_put *put, void *context)
{
    int64_t last = f->last;
    for (size_t i = 0; i < f->waiting.count; i++) {
        const struct time_fill_event *e = &f->waiting.at[i];
        last = time_at(f, i, b);
        struct time_fill_node *node = node_need(f, e->node);
        node->made = node->has_made && node->made > last ? node->made : last;
        node->has_made = true;
        node->last = last;
        put(context, &e->event, last, false);
    }
    f->has_last = f->has_last || f->waiting.count > 0;
    f->last = last;
    f->waiting.count = 0;
}

void time_fill_add(struct time_fill *f, const struct time_fill_event *e, const int64_t *time,
                   time_fill_put *put, void *context)
{
    if (time == NULL) {
        vec_push(&f->waiting, *e);
        if (f->waiting.count == TIME_FILL_WAITING_MAX) {
            flush(f, &(struct behind){.is_full = true}, put, context);
        }
        return;
    }
    must(f->waiting.count < TIME_FILL_WAITING_MAX);
    flush(f, &(struct behind){.time = time, .node = e->node}, put, context);
    struct time_fill_node *node = node_need(f, e->node);
    const bool is_moved = node->has_made && *time < node->made;
    node->last = is_moved ? node->made : *time;
    f->has_last = true;
    f->last = node->last;
    must(node->last >= *time);
    put(context, &e->event, node->last, is_moved);
}

void time_fill_end(struct time_fill *f, time_fill_put *put, void *context)
{
    flush(f, &(struct behind){0}, put, context);
}
