#include "race/worker_pool.h"

#include "base/bits.h"
#include "base/map.h"
#include "base/names.h"
#include "base/sort.h"
#include "order/object_key.h"
#include "race/message_handlers.h"
#include "trace/channel.h"
#include "wire/must.h"

/* A message that is handled. */
struct handled {
    struct message message;
    uint32_t handler; /* context */
};

/* All messages to one address, in listed order of their receives. */
struct pool {
    uint32_t task; /* of the first */
    bool is_shared;
    VEC(struct handled) messages;
};

struct pools {
    struct names addresses;
    VEC(struct pool) list;           /* by number of the address, less one */
    VEC(uint32_t) address_of_object; /* per name of an object, ADDRESS_UNREAD until it is asked */
};

#define ADDRESS_UNREAD UINT32_MAX

static uint32_t read_address(struct pools *p, const struct names *names, uint32_t object)
{
    struct channel c;
    if (object == 0 || !channel_parse(&c, names_text(names, object), names_size(names, object)) ||
        c.destination.size == 0) {
        return 0;
    }
    return names_intern(&p->addresses, c.destination.text, c.destination.size);
}

/* The number of the address that an event receives from, 0 when its object names none. */
static uint32_t address_of(struct pools *p, const struct trace *t, const struct event *e)
{
    uint32_t *address = vec_at(&p->address_of_object, e->object);
    if (*address == ADDRESS_UNREAD) {
        *address = read_address(p, &t->tables.names, e->object);
    }
    return *address;
}

static struct pool *pool_of(struct pools *p, uint32_t address)
{
    while (p->list.count < address) {
        vec_push(&p->list, (struct pool){.task = UINT32_MAX});
    }
    return &p->list.at[address - 1];
}

/* Whether handlers of two tasks receive at one address, whether or not the sends are in the trace.
 */
static bool pools_may_share(struct pools *p, const struct hb *hb)
{
    const struct contexts *c = &hb->contexts;
    VEC(uint32_t) task_of = {0}; /* per address: the last task that received there */
    bool may_share = false;
    for (uint32_t i = c->task_count; i < c->count && !may_share; i++) {
        const uint32_t address = address_of(p, hb->trace, trace_at(hb->trace, c->list[i].receive));
        while (task_of.count <= address) {
            vec_push(&task_of, UINT32_MAX);
        }
        uint32_t *task = &task_of.at[address];
        may_share = address != 0 && *task != UINT32_MAX && *task != c->list[i].task;
        *task = c->list[i].task;
    }
    vec_release(&task_of);
    return may_share;
}

/* Sorts the handled messages by address; lists no pool when no two tasks share one. */
static void pools_build(struct pools *p, const struct hb *hb)
{
    const struct contexts *c = &hb->contexts;
    *p = (struct pools){0};
    names_init(&p->addresses);
    for (size_t i = 0; i < hb->trace->tables.names.list.count; i++) {
        vec_push(&p->address_of_object, ADDRESS_UNREAD);
    }
    const uint32_t end = pools_may_share(p, hb) ? c->count : c->task_count;
    for (uint32_t i = c->task_count; i < end; i++) {
        const uint32_t number = message_of_receive(&hb->messages, c->list[i].receive);
        const struct event *e = trace_at(hb->trace, c->list[i].receive);
        const uint32_t address = number == MESSAGE_NONE ? 0 : address_of(p, hb->trace, e);
        if (address == 0) {
            continue;
        }
        struct pool *pool = pool_of(p, address);
        pool->task = pool->task == UINT32_MAX ? c->list[i].task : pool->task;
        pool->is_shared |= pool->task != c->list[i].task;
        /* A message in pieces is handled where its first piece is received. */
        if (hb->messages.list[number].receive == c->list[i].receive) {
            vec_push(&pool->messages,
                     (struct handled){.message = hb->messages.list[number], .handler = i});
        }
    }
}

static void pools_release(struct pools *p)
{
    vec_each (&p->list, pool) {
        vec_release(&pool->messages);
    }
    vec_release(&p->list);
    vec_release(&p->address_of_object);
    names_release(&p->addresses);
}

bool pool_is_there(const struct hb *hb)
{
    struct pools p;
    bool is_there = false;
    pools_build(&p, hb);
    vec_each (&p.list, pool) {
        is_there |= pool->is_shared;
    }
    pools_release(&p);
    return is_there;
}

const uint32_t *pool_addresses(const struct hb *hb, struct arena *a)
{
    struct pools p;
    uint32_t *address_of = NULL;
    pools_build(&p, hb);
    for (size_t i = 0; i < p.list.count; i++) {
        if (!p.list.at[i].is_shared) {
            continue;
        }
        if (address_of == NULL) {
            address_of = arena_array(a, uint32_t, hb->trace->events.count + 1);
        }
        vec_each (&p.list.at[i].messages, m) {
            address_of[m->message.receive] = (uint32_t)i + 1;
        }
    }
    pools_release(&p);
    return address_of;
}

/* ---- deciding ---- */

/* The cost of deciding a pair of messages, for the budget. */
enum { JUDGE_STEPS = 16 };

struct look {
    struct race_groups *y;
    const struct swap_input *in;
    const struct judge *judge;
    struct bits accesses; /* events that are looked at */
};

static bool writes(const struct event *e)
{
    return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

static bool is_conflict(const struct look *l, event_id a, event_id b)
{
    const struct trace *t = l->in->hb->trace;
    const struct event *first = trace_at(t, a);
    const struct event *second = trace_at(t, b);
    return (writes(first) || writes(second)) &&
           !(access_is_atomic(first) && access_is_atomic(second)) &&
           scope_name(t, first, first->object) == scope_name(t, second, second->object);
}

/* Reports the accesses of the handlers that conflict and are kept apart, by a lock. Those that race
 * by themselves are reported as data races. */
static void report_conflicts(const struct look *l, const struct handled *earlier,
                             const struct handled *later)
{
    const struct contexts *c = &l->in->hb->contexts;
    for (uint32_t i = 0; i < c->list[earlier->handler].count; i++) {
        const event_id a = context_event(c, earlier->handler, i);
        for (uint32_t k = 0; bits_has(l->accesses, a) && k < c->list[later->handler].count; k++) {
            const event_id b = context_event(c, later->handler, k);
            if (!bits_has(l->accesses, b) || !is_conflict(l, a, b) ||
                limit_is_over(&l->y->watch, JUDGE_STEPS) ||
                l->judge->data(l->judge->self, a, b) == RACE_YES) {
                continue;
            }
            const struct race_pair pair = {
                .first = a < b ? a : b,
                .second = a < b ? b : a,
                .send = later->message.send,
                .receive = earlier->message.receive,
            };
            l->y->stats->conflict_pairs++;
            race_groups_add(l->y, &pair, 1);
        }
    }
}

static void judge_pair(const struct look *l, const struct handled *earlier,
                       const struct handled *later)
{
    const struct contexts *c = &l->in->hb->contexts;
    must(earlier->message.receive <= later->message.receive);
    if (c->list[earlier->handler].task == c->list[later->handler].task ||
        !inbox_may_swap(&earlier->message, &later->message)) {
        return;
    }
    const event_id send = later->message.send;
    const event_id receive = earlier->message.receive;
    const enum race_verdict verdict = limit_is_over(&l->y->watch, JUDGE_STEPS)
                                          ? RACE_UNKNOWN
                                          : l->judge->message(l->judge->self, send, receive);
    l->y->stats->message_candidates++;
    l->y->stats->message_races += verdict == RACE_YES;
    race_groups_decided(l->y, &(struct race_decided){
                                  .verdict = verdict, .is_message = true, .a = send, .b = receive});
    if (verdict == RACE_YES) {
        report_conflicts(l, earlier, later);
    }
    if (verdict == RACE_YES && l->y->o->skips_data) {
        const struct race_pair pair = {
            .first = EVENT_NONE, .second = EVENT_NONE, .send = send, .receive = receive};
        race_groups_add(l->y, &pair, 1);
    }
}

static int by_receive(const void *left, const void *right, const void *context)
{
    (void)context;
    const event_id a = ((const struct handled *)left)->message.receive;
    const event_id b = ((const struct handled *)right)->message.receive;
    return (a > b) - (a < b);
}

void pool_judge(struct race_groups *y, const struct swap_input *in, const struct judge *judge)
{
    struct pools p;
    struct arena scratch = {0};
    pools_build(&p, in->hb);
    struct look l = {.y = y,
                     .in = in,
                     .judge = judge,
                     .accesses = bits_take(&scratch, in->hb->trace->events.count + 1)};
    for (size_t i = 0; i < in->accesses->count; i++) {
        bits_add(l.accesses, in->accesses->events[i]);
    }
    vec_each (&p.list, pool) {
        sort_stable(pool->messages.at, pool->messages.count, sizeof *pool->messages.at, by_receive,
                    NULL);
        for (size_t later = 0; pool->is_shared && later < pool->messages.count; later++) {
            for (size_t earlier = 0; race_groups_takes(y) && earlier < later; earlier++) {
                judge_pair(&l, &pool->messages.at[earlier], &pool->messages.at[later]);
            }
        }
    }
    pools_release(&p);
    arena_release(&scratch);
}
