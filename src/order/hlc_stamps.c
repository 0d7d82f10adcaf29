#include "order/hlc_stamps.h"

static event_id event_at(const struct hlc_processes *p, event_id place)
{
    return p->order == NULL ? place : p->order[place];
}

/* A process stamps its events in their order; a receive waits until its send is stamped. */
struct stamping {
    const struct trace *t;
    const struct hlc_processes *p;
    struct hlc *stamps;
    bool *is_stamped;
    uint32_t *next;       /* per event: the next of its process; EVENT_NONE: the last */
    uint32_t *at;         /* per process: its next event */
    struct hlc *clock;    /* per process */
    int64_t *time;        /* per process: of its last event that had one */
    uint32_t *need_first; /* per event, and one more: its part of needs */
    uint32_t *needs;      /* sends */
    uint32_t *want_first; /* per event, and one more: its part of wants */
    uint32_t *wants;      /* processes that wait for it */
};

static void chain_events(struct stamping *s, struct arena *a)
{
    const uint32_t count = (uint32_t)s->t->events.count;
    uint32_t *last = arena_array(a, uint32_t, s->p->process_count);
    for (uint32_t p = 0; p < s->p->process_count; p++) {
        s->at[p] = last[p] = EVENT_NONE;
    }
    for (event_id place = 0; place < count; place++) {
        const event_id id = event_at(s->p, place);
        const uint32_t p = s->p->process_of[trace_at(s->t, id)->task];
        s->next[id] = EVENT_NONE;
        if (last[p] == EVENT_NONE) {
            s->at[p] = id;
        } else {
            s->next[last[p]] = id;
        }
        last[p] = id;
    }
}

/* Per receive its sends, per send the processes of its receives. */
static void sort_messages(struct stamping *s, struct arena *a)
{
    const uint32_t count = (uint32_t)s->t->events.count;
    const struct edges *messages = s->p->messages;
    s->need_first = arena_array(a, uint32_t, count + 2);
    s->want_first = arena_array(a, uint32_t, count + 2);
    s->needs = arena_array(a, uint32_t, messages->list.count);
    s->wants = arena_array(a, uint32_t, messages->list.count);
    vec_each (&messages->list, edge) {
        s->need_first[edge->to + 2]++;
        s->want_first[edge->from + 2]++;
    }
    for (uint32_t i = 2; i < count + 2; i++) {
        s->need_first[i] += s->need_first[i - 1];
        s->want_first[i] += s->want_first[i - 1];
    }
    vec_each (&messages->list, edge) {
        s->needs[s->need_first[edge->to + 1]++] = edge->from;
        s->wants[s->want_first[edge->from + 1]++] =
            s->p->process_of[trace_at(s->t, edge->to)->task];
    }
    must(s->need_first[count] == messages->list.count);
    must(s->want_first[count] == messages->list.count);
}

static bool can_stamp(const struct stamping *s, event_id id)
{
    for (uint32_t n = s->need_first[id]; n < s->need_first[id + 1]; n++) {
        if (!s->is_stamped[s->needs[n]]) {
            return false;
        }
    }
    return true;
}

static void stamp(struct stamping *s, uint32_t process, event_id id)
{
    must(!s->is_stamped[id]);
    must(s->at[process] == id);
    const struct event *e = trace_at(s->t, id);
    struct hlc heard = {INT64_MIN, 0};
    for (uint32_t n = s->need_first[id]; n < s->need_first[id + 1]; n++) {
        const struct hlc *sent = &s->stamps[s->needs[n]];
        const bool is_later =
            sent->time > heard.time || (sent->time == heard.time && sent->count > heard.count);
        heard = s->is_stamped[s->needs[n]] && is_later ? *sent : heard;
    }
    s->time[process] = (e->has & HAS_TIME) != 0 ? e->time : s->time[process];
    if (heard.time != INT64_MIN) {
        hlc_receive(&s->clock[process], heard, s->time[process]);
    } else {
        hlc_advance(&s->clock[process], s->time[process]);
    }
    s->stamps[id] = s->clock[process];
    s->is_stamped[id] = true;
    s->at[process] = s->next[id];
}

/* Stamps all possible events, from this process on: a stamped send resumes the processes that wait
 * for it. */
static void run(struct stamping *s, uint32_t process)
{
    VEC(uint32_t) ready = {0};
    vec_push(&ready, process);
    while (ready.count > 0) {
        const uint32_t p = vec_pop(&ready);
        while (s->at[p] != EVENT_NONE && can_stamp(s, s->at[p])) {
            const event_id id = s->at[p];
            stamp(s, p, id);
            for (uint32_t w = s->want_first[id]; w < s->want_first[id + 1]; w++) {
                vec_push(&ready, s->wants[w]);
            }
        }
    }
    vec_release(&ready);
}

const struct hlc *hlc_build(const struct trace *t, const struct hlc_processes *p, struct arena *a)
{
    const size_t count = t->events.count;
    struct stamping s = {
        .t = t,
        .p = p,
        .stamps = arena_array(a, struct hlc, count),
        .is_stamped = arena_array(a, bool, count),
        .next = arena_array(a, uint32_t, count),
        .at = arena_array(a, uint32_t, p->process_count),
        .clock = arena_array(a, struct hlc, p->process_count),
        .time = arena_array(a, int64_t, p->process_count),
    };
    chain_events(&s, a);
    sort_messages(&s, a);
    for (uint32_t process = 0; process < p->process_count; process++) {
        run(&s, process);
    }
    for (event_id place = 0; place < count; place++) {
        const event_id id = event_at(p, place);
        if (!s.is_stamped[id]) {
            const uint32_t process = p->process_of[trace_at(t, id)->task];
            stamp(&s, process, id);
            run(&s, process);
        }
    }
    return s.stamps;
}
