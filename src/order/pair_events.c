#include "order/pair_events.h"

#include <string.h>

#include "base/mem.h"
#include "base/out.h"
#include "order/subsequence.h"

/* The events of one task, and their operations as numbers that both traces share. */
struct strand {
    VEC(event_id) events;
    VEC(uint64_t) operations;
};

struct pairing {
    const struct trace *sides[2];
    struct names operations;
    struct strand *strands[2]; /* by task */
};

/* "n1>n2/vote#3" is the same message when others before it are missing. */
static size_t size_without_count(const char *message)
{
    const char *count = strrchr(message, '#');
    return count == NULL ? strlen(message) : (size_t)(count - message);
}

static void print_task(const struct trace *t, uint32_t number, struct out *out)
{
    const struct task *task = &t->tables.tasks.at[number];
    out_text(out, trace_name(t, task->name));
    out_char(out, '@');
    out_text(out, trace_name(t, task->node));
}

/* The parts are separated by a byte that no name has. */
static void print_operation(const struct trace *t, const struct event *event, struct out *out)
{
    out->used = 0;
    out_u64(out, event->kind);
    out_char(out, '\0');
    out_text(out, trace_name(t, event->object));
    out_char(out, '\0');
    if ((event->has & HAS_PEER) != 0) {
        print_task(t, event->peer, out);
    } else {
        const char *message = trace_name(t, event->message);
        out_bytes(out, message, size_without_count(message));
    }
}

static void collect(struct pairing *p, int side)
{
    const struct trace *t = p->sides[side];
    struct out text;
    out_open_memory(&text);
    p->strands[side] = mem_zero(t->tables.tasks.count + 1, sizeof *p->strands[side]);
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *event = trace_at(t, id);
        struct strand *strand = &p->strands[side][event->task];
        print_operation(t, event, &text);
        vec_push(&strand->events, id);
        vec_push(&strand->operations, names_intern(&p->operations, text.buffer, text.used));
    }
    out_abandon(&text);
}

/* The task of the second trace with the name of one of the first; UINT32_MAX: none. */
static uint32_t twin_of(const struct pairing *p, uint32_t task)
{
    const struct tables *own = &p->sides[0]->tables;
    const struct tables *other = &p->sides[1]->tables;
    const char *name = names_text(&own->names, own->tasks.at[task].name);
    const char *node = names_text(&own->names, own->tasks.at[task].node);
    for (uint32_t i = 0; i < other->tasks.count; i++) {
        if (strcmp(names_text(&other->names, other->tasks.at[i].name), name) == 0 &&
            strcmp(names_text(&other->names, other->tasks.at[i].node), node) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

static void pair_strands(const struct strand *a, const struct strand *b, event_id *partners)
{
    uint32_t *partner = mem_zero(a->events.count + 1, sizeof *partner);
    subsequence_find((struct sequence){a->operations.at, (uint32_t)a->operations.count},
                     (struct sequence){b->operations.at, (uint32_t)b->operations.count}, partner);
    for (size_t i = 0; i < a->events.count; i++) {
        if (partner[i] != SUBSEQUENCE_NONE) {
            must(partner[i] < b->events.count);
            must(a->operations.at[i] == b->operations.at[partner[i]]);
            partners[a->events.at[i]] = b->events.at[partner[i]];
        }
    }
    mem_free(partner);
}

static void release(struct pairing *p, int side)
{
    for (uint32_t task = 0; task < p->sides[side]->tables.tasks.count; task++) {
        vec_release(&p->strands[side][task].events);
        vec_release(&p->strands[side][task].operations);
    }
    mem_free(p->strands[side]);
}

void pair_events(const struct trace *first, const struct trace *second, event_id *partners)
{
    struct pairing p = {.sides = {first, second}};
    names_init(&p.operations);
    collect(&p, 0);
    collect(&p, 1);
    for (event_id id = 0; id < first->events.count; id++) {
        partners[id] = EVENT_NONE;
    }
    for (uint32_t task = 0; task < first->tables.tasks.count; task++) {
        const uint32_t twin = twin_of(&p, task);
        if (twin != UINT32_MAX) {
            pair_strands(&p.strands[0][task], &p.strands[1][twin], partners);
        }
    }
    release(&p, 0);
    release(&p, 1);
    names_release(&p.operations);
}

event_id pair_divergence(const struct trace *first, const struct trace *second,
                         const event_id *partners)
{
    const bool is_exact = first->tables.order == ORDER_EXACT && second->tables.order == ORDER_EXACT;
    for (event_id id = 0; id < first->events.count; id++) {
        if (is_exact ? partners[id] != id : partners[id] == EVENT_NONE) {
            return id;
        }
    }
    return EVENT_NONE;
}
