#include "gen.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/vec.h"
#include "wire/prng.h"

/* A discrete simulation: a heap of future events, by time in microseconds. Times in the trace are
 * milliseconds, so neighbours often share one, as in real logs; the order of lines stays that of
 * the simulation. */

static const uint64_t millisecond = 1000, cycle = 1000000; /* in microseconds */
static const uint64_t epoch_ms = 1600000000000;

enum {
    PORT_OUT = 10000, /* every node sends from here */
    PORT_IN = 20000,  /* and listens at this port plus its own number */
    MESSAGE_SIZE = 96,
};

#define VIEW "View.digest"

enum step {
    STEP_DONE,
    STEP_RECEIVE,
    STEP_BEGIN,
    STEP_LOCK,
    STEP_READ,
    STEP_WRITE,
    STEP_SEND,
    STEP_UNLOCK,
    STEP_END,
};

/* The reaction of a gossip thread to a message: the steps, their places, and the time after the
 * step before. */
struct script {
    enum step step;
    const char *location;
    uint32_t delay_min, delay_max; /* microseconds */
};

static const struct script serve[] = {
    {STEP_RECEIVE, NULL, 0, 0},
    {STEP_BEGIN, "Gossip.serve:61", 12000, 24000},
    {STEP_LOCK, "Gossip.serve:62", 2000, 9000},
    {STEP_READ, "View.sample:34", 2000, 8000},
    {STEP_WRITE, "View.merge:48", 100, 1500},
    {STEP_SEND, NULL, 25000, 90000},
    {STEP_UNLOCK, "Gossip.serve:70", 4000, 12000},
    {STEP_END, "Gossip.serve:71", 3000, 12000},
    {STEP_DONE, NULL, 1000, 2000},
};

static const struct script accept_answer[] = {
    {STEP_RECEIVE, NULL, 0, 0},
    {STEP_BEGIN, "Gossip.answer:80", 12000, 24000},
    {STEP_LOCK, "Gossip.answer:81", 2000, 9000},
    {STEP_WRITE, "View.merge:48", 100, 1500},
    {STEP_UNLOCK, "Gossip.answer:86", 2000, 7000},
    {STEP_END, "Gossip.answer:87", 3000, 12000},
    {STEP_DONE, NULL, 1000, 2000},
};

struct message {
    uint32_t from;
    uint32_t number; /* counted by its sender */
    bool is_answer;
};

enum turn_kind { TURN_MAIN, TURN_GOSSIP, TURN_ARRIVAL };

struct turn {
    uint64_t time;
    uint64_t number; /* breaks ties, so that order never depends on the heap */
    enum turn_kind kind;
    uint32_t node;
    struct message message; /* TURN_ARRIVAL */
};

enum main_phase { MAIN_INIT, MAIN_CREATE, MAIN_START, MAIN_READ, MAIN_SEND, MAIN_END };

struct node {
    enum main_phase phase;
    uint32_t cycle;
    uint64_t cycle_time; /* when the current cycle began */
    uint32_t sent_count;
    const struct script *next; /* of the gossip thread; NULL: it waits for a message */
    struct message current;
    VEC(struct message) inbox;
    size_t inbox_first;
};

struct simulation {
    struct out *out;
    const struct gen_cyclon_options *options;
    struct prng prng;
    uint64_t now;
    uint64_t turn_count;
    struct node *nodes;
    VEC(struct turn) heap;
};

static bool turn_is_before(const struct turn *a, const struct turn *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void turn_swap(struct turn *a, struct turn *b)
{
    const struct turn kept = *a;
    *a = *b;
    *b = kept;
}

static void schedule(struct simulation *s, uint64_t delay, struct turn turn)
{
    turn.time = s->now + delay;
    turn.number = s->turn_count++;
    vec_push(&s->heap, turn);
    struct turn *heap = s->heap.at;
    for (size_t at = s->heap.count - 1; at > 0;) {
        const size_t parent = (at - 1) / 2;
        if (turn_is_before(&heap[parent], &heap[at])) {
            break;
        }
        turn_swap(&heap[parent], &heap[at]);
        at = parent;
    }
}

static struct turn turn_next(struct simulation *s)
{
    struct turn *heap = s->heap.at;
    const struct turn first = heap[0];
    heap[0] = vec_pop(&s->heap);
    const size_t count = s->heap.count;
    for (size_t at = 0;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            least = turn_is_before(&heap[child], &heap[least]) ? child : least;
        }
        if (least == at) {
            return first;
        }
        turn_swap(&heap[least], &heap[at]);
        at = least;
    }
}

static uint64_t between(struct simulation *s, uint64_t low, uint64_t high)
{
    return low + prng_below(&s->prng, high - low + 1);
}

static void put_address(struct out *o, uint32_t node)
{
    out_text(o, "10.0.");
    out_u64(o, node / 250);
    out_char(o, '.');
    out_u64(o, node % 250 + 1);
}

static void event_begin(struct simulation *s, uint32_t node, const char *thread, const char *type)
{
    struct out *o = s->out;
    out_text(o, "{\"thread\":\"");
    out_text(o, thread);
    out_char(o, '@');
    put_address(o, node);
    out_text(o, "\",\"type\":\"");
    out_text(o, type);
    out_text(o, "\",\"timestamp\":");
    out_u64(o, epoch_ms + s->now / millisecond);
}

static void event_end(struct simulation *s)
{
    out_text(s->out, "}\n");
}

static void put_text(struct out *o, const char *key, const char *text)
{
    out_text(o, ",\"");
    out_text(o, key);
    out_text(o, "\":\"");
    out_text(o, text);
    out_char(o, '"');
}

static void event_access(struct simulation *s, uint32_t node, const char *thread, const char *type,
                         const char *location)
{
    event_begin(s, node, thread, type);
    put_text(s->out, "loc", location);
    put_text(s->out, "variable", VIEW);
    event_end(s);
}

static void event_lock(struct simulation *s, uint32_t node, const char *type, const char *location)
{
    event_begin(s, node, "gossip", type);
    put_text(s->out, "loc", location);
    out_text(s->out, ",\"variable\":\"view-");
    out_u64(s->out, node);
    out_char(s->out, '"');
    event_end(s);
}

static void event_message(struct simulation *s, uint32_t node, const char *thread, const char *type,
                          const struct message *m, uint32_t to)
{
    struct out *o = s->out;
    event_begin(s, node, thread, type);
    out_text(o, ",\"src\":\"");
    put_address(o, m->from);
    out_text(o, "\",\"src_port\":");
    out_u64(o, PORT_OUT);
    out_text(o, ",\"dst\":\"");
    put_address(o, to);
    out_text(o, "\",\"dst_port\":");
    out_u64(o, PORT_IN + to % 40000);
    out_text(o, ",\"size\":");
    out_u64(o, MESSAGE_SIZE);
    out_text(o, ",\"socket_type\":\"UDP\",\"message\":\"");
    out_u64(o, m->from);
    out_char(o, '-');
    out_u64(o, m->number);
    out_char(o, '"');
    event_end(s);
}

static void send_message(struct simulation *s, uint32_t from, const char *thread, uint32_t to,
                         bool is_answer)
{
    const struct message m = {
        .from = from, .number = s->nodes[from].sent_count++, .is_answer = is_answer};
    event_message(s, from, thread, "SND", &m, to);
    schedule(s, between(s, millisecond, 45 * millisecond),
             (struct turn){.kind = TURN_ARRIVAL, .node = to, .message = m});
}

static uint32_t other_node(struct simulation *s, uint32_t node)
{
    const uint32_t peer = (uint32_t)prng_below(&s->prng, s->options->node_count - 1);
    return peer < node ? peer : peer + 1;
}

/* Starts the next cycle of a node's main thread, one period after the last began, or its end. */
static void main_next_cycle(struct simulation *s, uint32_t index)
{
    struct node *node = &s->nodes[index];
    const bool is_last = node->cycle == s->options->cycle_count;
    node->cycle++;
    node->phase = is_last ? MAIN_END : MAIN_READ;
    node->cycle_time += cycle;
    const uint64_t begin = node->cycle_time + between(s, 0, 200 * millisecond);
    schedule(s, begin - s->now, (struct turn){.kind = TURN_MAIN, .node = index});
}

static void main_step(struct simulation *s, uint32_t index)
{
    struct node *node = &s->nodes[index];
    const struct turn again = {.kind = TURN_MAIN, .node = index};
    switch (node->phase) {
    case MAIN_INIT:
        event_access(s, index, "main", "W", "View.init:20");
        node->phase = MAIN_CREATE;
        schedule(s, between(s, 20 * millisecond, 100 * millisecond), again);
        return;
    case MAIN_CREATE:
        event_begin(s, index, "main", "CREATE");
        out_text(s->out, ",\"child\":\"gossip@");
        put_address(s->out, index);
        out_char(s->out, '"');
        event_end(s);
        node->phase = MAIN_START;
        schedule(s, between(s, 0, 2 * millisecond), again);
        return;
    case MAIN_START:
        event_begin(s, index, "gossip", "START");
        event_end(s);
        node->cycle_time = s->now;
        main_next_cycle(s, index);
        return;
    case MAIN_READ:
        event_access(s, index, "main", "R", "View.sample:34");
        node->phase = MAIN_SEND;
        schedule(s, between(s, 50 * millisecond, 400 * millisecond), again);
        return;
    case MAIN_SEND:
        send_message(s, index, "main", other_node(s, index), false);
        main_next_cycle(s, index);
        return;
    case MAIN_END:
        event_begin(s, index, "main", "END");
        event_end(s);
        return;
    }
}

static void gossip_take(struct simulation *s, uint32_t index)
{
    struct node *node = &s->nodes[index];
    if (node->next != NULL || node->inbox_first == node->inbox.count) {
        return;
    }
    node->current = node->inbox.at[node->inbox_first++];
    if (node->inbox_first == node->inbox.count) {
        node->inbox_first = 0;
        vec_clear(&node->inbox);
    }
    node->next = node->current.is_answer ? accept_answer : serve;
    schedule(s, 0, (struct turn){.kind = TURN_GOSSIP, .node = index});
}

static void event_handler(struct simulation *s, uint32_t node, const char *type,
                          const char *location)
{
    event_begin(s, node, "gossip", type);
    put_text(s->out, "loc", location);
    event_end(s);
}

static void gossip_step(struct simulation *s, uint32_t index)
{
    struct node *node = &s->nodes[index];
    const struct script *at = node->next;
    switch (at->step) {
    case STEP_DONE:
        node->next = NULL;
        gossip_take(s, index);
        return;
    case STEP_RECEIVE: event_message(s, index, "gossip", "RCV", &node->current, index); break;
    case STEP_BEGIN: event_handler(s, index, "HANDLERBEGIN", at->location); break;
    case STEP_LOCK: event_lock(s, index, "LOCK", at->location); break;
    case STEP_READ: event_access(s, index, "gossip", "R", at->location); break;
    case STEP_WRITE: event_access(s, index, "gossip", "W", at->location); break;
    case STEP_SEND: send_message(s, index, "gossip", node->current.from, true); break;
    case STEP_UNLOCK: event_lock(s, index, "UNLOCK", at->location); break;
    case STEP_END: event_handler(s, index, "HANDLEREND", at->location); break;
    }
    node->next = at + 1;
    schedule(s, between(s, node->next->delay_min, node->next->delay_max),
             (struct turn){.kind = TURN_GOSSIP, .node = index});
}

void gen_cyclon(struct out *o, const struct gen_cyclon_options *options)
{
    must(options->node_count >= 2);
    struct simulation s = {.out = o, .options = options};
    prng_init(&s.prng, options->seed);
    s.nodes = mem_zero(options->node_count, sizeof *s.nodes);
    for (uint32_t i = 0; i < options->node_count; i++) {
        schedule(&s, between(&s, 0, 20 * millisecond), (struct turn){.kind = TURN_MAIN, .node = i});
    }
    while (s.heap.count > 0) {
        const struct turn turn = turn_next(&s);
        s.now = turn.time;
        switch (turn.kind) {
        case TURN_MAIN: main_step(&s, turn.node); break;
        case TURN_GOSSIP: gossip_step(&s, turn.node); break;
        case TURN_ARRIVAL:
            vec_push(&s.nodes[turn.node].inbox, turn.message);
            gossip_take(&s, turn.node);
            break;
        }
    }
    for (uint32_t i = 0; i < options->node_count; i++) {
        vec_release(&s.nodes[i].inbox);
    }
    vec_release(&s.heap);
    mem_free(s.nodes);
}
