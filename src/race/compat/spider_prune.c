#include "race/compat/spider_prune.h"

#include <stdbool.h>
#include <string.h>

#include "base/map.h"
#include "base/names.h"
#include "base/vec.h"
#include "race/compat/spider_order.h"
#include "wire/kind.h"

/* ---- accesses (algorithms 1 and 2) ---- */

/* The concurrency context of a task. */
struct context_set {
    VEC(uint32_t) elements; /* sorted */
    uint32_t number;        /* the same for equal sets; valid unless has_changed */
    bool has_changed;
};

/* The tasks that accessed a location in a context: two at most are remembered. */
struct stack {
    uint32_t tasks[2];
    uint32_t count;
};

struct rex {
    const struct spider_prune_input *in;
    struct spider_pruned *pruned;
    struct context_set *sets; /* per task */
    struct names elements;    /* locks, sockets with locations, tasks: by their texts alone */
    struct names contents;    /* of sets: the bytes of `elements` */
    struct map stack_of;      /* (location, number of the set) to stack */
    VEC(struct stack) stacks;
    VEC(char) text;
};

static void text_append(struct rex *r, const char *text, size_t size)
{
    vec_reserve(&r->text, r->text.count + size);
    if (size > 0) {
        memcpy(r->text.at + r->text.count, text, size);
    }
    r->text.count += size;
}

static void text_append_name(struct rex *r, uint32_t name)
{
    const struct names *names = &r->in->t->tables.names;
    text_append(r, names_text(names, name), names_size(names, name));
}

/* Adds the text of r->text to the context of the task. */
static void context_add(struct rex *r, uint32_t task)
{
    const uint32_t element = names_intern(&r->elements, r->text.at, r->text.count);
    struct context_set *set = &r->sets[task];
    size_t at = set->elements.count;
    while (at > 0 && set->elements.at[at - 1] > element) {
        at--;
    }
    if (at > 0 && set->elements.at[at - 1] == element) {
        return;
    }
    vec_push(&set->elements, element);
    memmove(set->elements.at + at + 1, set->elements.at + at,
            (set->elements.count - 1 - at) * sizeof *set->elements.at);
    set->elements.at[at] = element;
    set->has_changed = true;
}

static uint32_t context_number(struct rex *r, uint32_t task)
{
    struct context_set *set = &r->sets[task];
    if (set->has_changed) {
        set->number = names_intern(&r->contents, (const char *)set->elements.at,
                                   set->elements.count * sizeof *set->elements.at);
        set->has_changed = false;
    }
    return set->number;
}

static bool is_redundant(struct rex *r, const struct event *e)
{
    bool is_new = false;
    const uint64_t key = map_pair(e->location, context_number(r, e->task));
    const uint32_t number = *map_slot(&r->stack_of, key, (uint32_t)r->stacks.count, &is_new);
    if (is_new) {
        vec_push(&r->stacks, (struct stack){0});
    }
    struct stack *stack = &r->stacks.at[number];
    for (uint32_t i = 0; i < stack->count; i++) {
        if (stack->tasks[i] == e->task) {
            return true;
        }
    }
    if (stack->count == 2) {
        return true;
    }
    stack->tasks[stack->count++] = e->task;
    return false;
}

static void rex_step(struct rex *r, event_id id)
{
    const struct event *e = trace_at(r->in->t, id);
    const struct task *child = NULL;
    r->text.count = 0;
    switch (e->kind) {
    case EVENT_READ:
    case EVENT_WRITE:
        if (is_redundant(r, e)) {
            bits_add(r->pruned->events, id);
            r->pruned->access_count++;
        }
        return;
    case EVENT_UNLOCK: text_append_name(r, e->object); break;
    case EVENT_SEND:
        text_append_name(r, e->text != 0 ? e->text : e->object);
        text_append_name(r, e->location);
        break;
    case EVENT_THREAD_CREATE:
        if ((e->has & HAS_PEER) == 0) {
            return;
        }
        child = &r->in->t->tables.tasks.at[e->peer];
        text_append_name(r, child->name);
        text_append(r, "@", 1);
        text_append_name(r, child->node);
        break;
    default: return;
    }
    context_add(r, e->task);
}

static void prune_accesses(struct spider_pruned *p, const struct spider_prune_input *in)
{
    struct arena scratch = {0};
    const size_t task_count = in->t->tables.tasks.count;
    struct rex r = {.in = in, .pruned = p};
    r.sets = arena_array(&scratch, struct context_set, task_count + 1);
    names_init(&r.elements);
    names_init(&r.contents);
    for (size_t i = 0; i < in->event_count; i++) {
        rex_step(&r, in->by_time[i]);
    }
    for (size_t i = 0; i < task_count; i++) {
        vec_release(&r.sets[i].elements);
    }
    names_release(&r.elements);
    names_release(&r.contents);
    map_release(&r.stack_of);
    vec_release(&r.stacks);
    vec_release(&r.text);
    arena_release(&scratch);
}

/* ---- blocks (algorithms 3 and 4) ---- */

/* Consecutive events of one task, and whether they can be pruned together. */
struct block {
    struct bucket events;
    bool allows_tasks; /* created in it, when they may go as well */
    bool allows_locks; /* taken and released in it */
    bool is_section;   /* locks other than its own may stay held, and ... */
    uint32_t own_lock; /* ... its own, which may be taken again, be released more than once */
};

struct blocks {
    const struct spider_prune_input *in;
    struct bits accesses;     /* that are redundant */
    struct bits events;       /* of blocks that may go */
    struct bits visited;      /* tasks, on the way from creator to created */
    const uint32_t *position; /* of each event in its task */
    VEC(uint32_t) held;       /* locks taken in the blocks that are being looked at */
};

static bool block_may_go(struct blocks *b, const struct block *block);

static bool task_may_go(struct blocks *b, uint32_t task)
{
    const struct bucket events = bucket_at(&b->in->by_task, task);
    if (events.count == 0 || bits_has(b->visited, task)) {
        return false;
    }
    bits_add(b->visited, task);
    const bool may_go = block_may_go(b, &(struct block){.events = events, .allows_tasks = true});
    bits_remove(b->visited, task);
    return may_go;
}

/* Takes one hold of the lock away; false when the block has none. */
static bool held_remove(struct blocks *b, size_t first, uint32_t lock)
{
    for (size_t i = b->held.count; i > first; i--) {
        if (b->held.at[i - 1] == lock) {
            b->held.at[i - 1] = b->held.at[--b->held.count];
            return true;
        }
    }
    return false;
}

static bool event_may_go(struct blocks *b, const struct block *block, size_t first_held,
                         const struct event *e)
{
    switch (e->kind) {
    case EVENT_READ:
    case EVENT_WRITE:
    case EVENT_SEND:
    case EVENT_RECV:
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
    case EVENT_WAIT_BEGIN:
    case EVENT_WAIT_END: return false;
    case EVENT_THREAD_CREATE:
        return block->allows_tasks && (e->has & HAS_PEER) != 0 && task_may_go(b, e->peer);
    case EVENT_LOCK: vec_push(&b->held, e->object); return block->allows_locks;
    case EVENT_UNLOCK:
        return block->allows_locks && (held_remove(b, first_held, e->object) ||
                                       (block->is_section && e->object == block->own_lock));
    default: return true;
    }
}

/* Nothing is left in the block that orders, or races with, events of other tasks. */
static bool block_may_go(struct blocks *b, const struct block *block)
{
    const size_t first_held = b->held.count;
    bool may_go = true;
    for (uint32_t i = 0; i < block->events.count && may_go; i++) {
        const event_id id = block->events.at[i];
        may_go =
            bits_has(b->accesses, id) || event_may_go(b, block, first_held, trace_at(b->in->t, id));
    }
    may_go = may_go && (block->is_section || b->held.count == first_held);
    b->held.count = first_held;
    return may_go;
}

static void drop_events(struct blocks *b, struct bucket events)
{
    for (uint32_t i = 0; i < events.count; i++) {
        bits_add(b->events, events.at[i]);
    }
}

/* A created task goes with its creation and the first join of it by its creator. */
static void look_at_create(struct blocks *b, event_id create)
{
    const struct event *e = trace_at(b->in->t, create);
    if ((e->has & HAS_PEER) == 0 || !task_may_go(b, e->peer)) {
        return;
    }
    bits_add(b->events, create);
    drop_events(b, bucket_at(&b->in->by_task, e->peer));
    const struct bucket own = bucket_at(&b->in->by_task, e->task);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct event *join = trace_at(b->in->t, own.at[i]);
        if (join->kind == EVENT_THREAD_JOIN && (join->has & HAS_PEER) != 0 &&
            join->peer == e->peer) {
            bits_add(b->events, own.at[i]);
            return;
        }
    }
}

static void look_at_tasks(struct blocks *b)
{
    for (size_t i = 0; i < b->in->event_count; i++) {
        const event_id id = b->in->by_time[i];
        if (trace_at(b->in->t, id)->kind == EVENT_THREAD_CREATE && !bits_has(b->events, id)) {
            look_at_create(b, id);
        }
    }
}

/* Handlers go without their receive: other tasks may be ordered by it. */
static void look_at_handlers(struct blocks *b)
{
    const uint32_t *handler_of = b->in->handler_of;
    for (uint32_t task = 0; task < b->in->t->tables.tasks.count; task++) {
        const struct bucket own = bucket_at(&b->in->by_task, task);
        for (uint32_t i = 0, end = 0; i < own.count; i = end) {
            const uint32_t handler = handler_of[own.at[i]];
            for (end = i + 1; end < own.count && handler_of[own.at[end]] == handler;) {
                end++;
            }
            const struct bucket events = {.at = own.at + i, .count = end - i};
            if (handler != 0 &&
                block_may_go(b, &(struct block){.events = events, .allows_locks = true})) {
                drop_events(b, events);
            }
        }
    }
}

/* Of a section only its two ends go. */
static void look_at_sections(struct blocks *b)
{
    for (size_t i = 0; i < b->in->section_count; i++) {
        const struct spider_section *s = &b->in->sections[i];
        if (s->begin == EVENT_NONE || s->end == EVENT_NONE || bits_has(b->events, s->begin)) {
            continue;
        }
        const uint32_t task = trace_at(b->in->t, s->begin)->task;
        const uint32_t first = b->position[s->begin];
        const uint32_t last = b->position[s->end];
        if (trace_at(b->in->t, s->end)->task != task || last < first) {
            continue;
        }
        const struct block block = {
            .events = {.at = bucket_at(&b->in->by_task, task).at + first,
                       .count = last - first + 1},
            .allows_tasks = true,
            .allows_locks = true,
            .is_section = true,
            .own_lock = s->lock,
        };
        if (block_may_go(b, &block)) {
            bits_add(b->events, s->begin);
            bits_add(b->events, s->end);
        }
    }
}

static void prune_blocks(struct spider_pruned *p, const struct spider_prune_input *in)
{
    struct arena scratch = {0};
    const size_t event_count = in->t->events.count;
    uint32_t *position = arena_array(&scratch, uint32_t, event_count + 1);
    for (uint32_t task = 0; task < in->t->tables.tasks.count; task++) {
        const struct bucket own = bucket_at(&in->by_task, task);
        for (uint32_t i = 0; i < own.count; i++) {
            position[own.at[i]] = i;
        }
    }
    struct blocks b = {.in = in, .accesses = p->events, .position = position};
    b.events = bits_take(&scratch, event_count + 1);
    b.visited = bits_take(&scratch, in->t->tables.tasks.count + 1);
    look_at_tasks(&b);
    look_at_handlers(&b);
    look_at_sections(&b);
    for (size_t i = 0; i < in->event_count; i++) {
        const event_id id = in->by_time[i];
        if (bits_has(b.events, id) && !bits_has(p->events, id)) {
            bits_add(p->events, id);
            p->block_count++;
        }
    }
    vec_release(&b.held);
    arena_release(&scratch);
}

void spider_prune(struct spider_pruned *p, const struct spider_prune_input *in, struct arena *arena)
{
    *p = (struct spider_pruned){.events = bits_take(arena, in->t->events.count + 1)};
    prune_accesses(p, in);
    prune_blocks(p, in);
}
