#include "race/compat/spider.h"

#include "base/names.h"
#include "race/access_classes.h"
#include "race/compat/spider_order.h"
#include "race/data_races.h"
#include "race/race_report.h"
#include "trace/channel.h"
#include "wire/kind.h"

/* Some order has the two at one time. */
static bool may_coincide(const struct spider_order *s, event_id a, event_id b)
{
    return hb_is_concurrent(&s->hb, a, b) && !spider_order_excludes(s, a, b);
}

static enum race_verdict decide_data(void *self, event_id a, event_id b)
{
    const struct spider_order *s = self;
    return !s->has_cycle && may_coincide(s, a, b) ? RACE_YES : RACE_NO;
}

/* ---- messages ---- */

/* The destination of the receive's channel, as a number. */
static uint32_t destination_of(const struct trace *t, struct names *destinations, event_id receive)
{
    const uint32_t object = trace_at(t, receive)->object;
    const struct names *names = &t->tables.names;
    struct channel c;
    if (!channel_parse(&c, names_text(names, object), names_size(names, object))) {
        return names_intern(destinations, names_text(names, object), names_size(names, object));
    }
    return names_intern(destinations, c.destination.text, c.destination.size);
}

struct messages_of {
    struct race_groups *y;
    struct spider_order *s;
    bool is_paper;
    const uint32_t *receivers; /* per message: its destination; in the paper the task it goes to */
};

/* Nobody waits for a word about each pair, and no time is left to count them one by one. */
static bool has_ended(const struct messages_of *m)
{
    return limit_is_over(&m->y->watch, 1) && m->y->o->decided == NULL;
}

/* Calls `each` for every two messages to one receiver, the one received earlier first. */
static void each_pair(const struct messages_of *m,
                      void (*each)(const struct messages_of *m, const struct spider_message *first,
                                   const struct spider_message *second))
{
    const struct spider_message *list = m->s->messages.at;
    for (size_t i = 0; i < m->s->messages.count; i++) {
        for (size_t k = i + 1; k < m->s->messages.count && !has_ended(m); k++) {
            if (m->receivers[i] == m->receivers[k]) {
                const bool is_first = list[i].receive < list[k].receive;
                each(m, &list[is_first ? i : k], &list[is_first ? k : i]);
            }
        }
    }
}

/* TCP messages of one sending task: the next is not even sent before the first is received. */
static void line_up(const struct messages_of *m, const struct spider_message *a,
                    const struct spider_message *b)
{
    const struct trace *t = m->y->t;
    if (a->is_tcp && b->is_tcp && trace_at(t, a->send)->task == trace_at(t, b->send)->task) {
        const bool is_first = a->send < b->send;
        spider_order_add(m->s, (is_first ? a : b)->receive, (is_first ? b : a)->send);
        m->s->constraints++;
    }
}

static uint32_t handler_of(const struct hb *hb, event_id receive)
{
    for (uint32_t i = hb->contexts.task_count; i < hb->contexts.count; i++) {
        if (hb->contexts.list[i].receive == receive) {
            return i;
        }
    }
    return UINT32_MAX;
}

static bool is_access(const struct event *e)
{
    return e->kind == EVENT_READ || e->kind == EVENT_WRITE;
}

static void tell_conflicts(const struct messages_of *m, const struct spider_message *first,
                           const struct spider_message *second)
{
    const struct hb *hb = &m->s->hb;
    const uint32_t earlier = handler_of(hb, first->receive);
    const uint32_t later = handler_of(hb, second->receive);
    if (earlier == UINT32_MAX || later == UINT32_MAX) {
        return;
    }
    for (uint32_t i = 0; i < hb->contexts.list[earlier].count; i++) {
        for (uint32_t k = 0; k < hb->contexts.list[later].count; k++) {
            const event_id a_id = context_event(&hb->contexts, earlier, i);
            const event_id b_id = context_event(&hb->contexts, later, k);
            const struct event *a = trace_at(m->y->t, a_id);
            const struct event *b = trace_at(m->y->t, b_id);
            if (is_access(a) && is_access(b) && a->object == b->object &&
                (a->kind == EVENT_WRITE || b->kind == EVENT_WRITE)) {
                const struct race_pair pair = {
                    .first = a_id < b_id ? a_id : b_id,
                    .second = a_id < b_id ? b_id : a_id,
                    .send = second->send,
                    .receive = first->receive,
                };
                m->y->stats->conflict_pairs++;
                race_groups_add(m->y, &pair, 1);
            }
        }
    }
}

static void tell_messages(const struct messages_of *m, const struct spider_message *first,
                          const struct spider_message *second)
{
    const struct race_pair pair = {
        .first = EVENT_NONE,
        .second = EVENT_NONE,
        .send = second->send,
        .receive = first->receive,
    };
    race_groups_add(m->y, &pair, 1);
}

static void decide_messages(const struct messages_of *m, const struct spider_message *first,
                            const struct spider_message *second)
{
    const bool may_race = m->is_paper ? may_coincide(m->s, first->send, second->send)
                                      : !hb_is_before(&m->s->hb, first->receive, second->send);
    const bool is_open = m->y->watch.is_over;
    const bool is_race = !m->s->has_cycle && may_race && !is_open;
    m->y->stats->message_candidates++;
    m->y->stats->message_races += is_race;
    race_groups_decided(m->y, &(struct race_decided){.verdict = is_open   ? RACE_UNKNOWN
                                                                : is_race ? RACE_YES
                                                                          : RACE_NO,
                                                     .is_message = true,
                                                     .a = second->send,
                                                     .b = first->receive});
    if (is_race) {
        tell_conflicts(m, first, second);
        if (m->y->o->skips_data) { /* messages alone are asked for: whatever their handlers do */
            tell_messages(m, first, second);
        }
    }
}

/* Counts the pairs that the budget leaves undecided. */
static void leave_rest(const struct messages_of *m)
{
    struct map seen = {0}; /* receiver to how many messages it got so far */
    uint64_t count = 0;
    for (size_t i = 0; i < m->s->messages.count; i++) {
        count += (*map_slot(&seen, m->receivers[i], 0, NULL))++;
    }
    map_release(&seen);
    const uint64_t left = count - m->y->stats->message_candidates;
    must(left == 0 || m->y->watch.is_over);
    m->y->stats->message_candidates += left;
    m->y->stats->unknown += left;
}

static void find_messages(struct race_groups *y, struct spider_order *s)
{
    struct arena scratch = {0};
    struct names names;
    names_init(&names);
    const bool is_paper = y->o->compat == RACE_COMPAT_SPIDER_PAPER;
    uint32_t *receivers = arena_array(&scratch, uint32_t, s->messages.count + 1);
    for (size_t i = 0; i < s->messages.count; i++) {
        const event_id receive = s->messages.at[i].receive;
        receivers[i] =
            is_paper ? trace_at(y->t, receive)->task : destination_of(y->t, &names, receive);
    }
    const struct messages_of m = {.y = y, .s = s, .is_paper = is_paper, .receivers = receivers};
    if (!is_paper) {
        each_pair(&m, line_up);
        spider_order_settle(s);
    }
    each_pair(&m, decide_messages);
    leave_rest(&m);
    names_release(&names);
    arena_release(&scratch);
}

void spider_find(struct race_groups *y, struct findings *f)
{
    struct arena arena = {0};
    struct spider_order s;
    struct accesses a;
    const struct spider_order_options options = {.prunes = y->o->prunes, .watch = &y->watch};
    spider_order_build(&s, y->t, &options);
    const struct access_filter filter = {
        .variable = y->o->variable,
        .skips_atomic = true,
        .dropped = y->o->prunes ? &s.pruned.events : NULL,
    };
    accesses_build(&a, y->t, &filter, &arena);
    if (!y->o->skips_data) {
        const struct judge judge = {.data = decide_data, .self = &s};
        data_judge(y, &a, &judge, DATA_ALL);
    }
    if (!y->o->skips_messages) {
        find_messages(y, &s);
    }
    y->stats->pruned_events = s.pruned.access_count + s.pruned.block_count;
    y->stats->constraints =
        s.constraints + y->stats->data_candidates + y->stats->message_candidates;
    tell_findings(y, &s.hb, f);
    spider_order_release(&s);
    arena_release(&arena);
}
