/* Steps of one time of a logical clock: a term, an election, a round. Without all of them the later
 * steps fit together as before, where a part of them would be missed. The system does not say which
 * clock it has. But logical clocks advance in one way: they tick with a timer, and messages from
 * nodes that are ahead set them. The clocks that this stage computes do the same. */
#include "minimize/stages/stages.h"

#define CLUSTER_NONE UINT32_MAX

struct clusters {
    VEC(uint32_t) of;    /* of each step, the time it is of; CLUSTER_NONE: it stays */
    VEC(uint32_t) after; /* of each step, the clock of its node after it */
    VEC(uint32_t) clocks;
    VEC(uint64_t) tickers; /* of each node, the timer with which its clock ticks; 0: all timers */
    uint32_t count;        /* times are below */
};

/* The time a step is of: when its message was sent, or its timer fired. */
static uint32_t time_of(struct clusters *c, const struct step *step)
{
    const struct pick_operation *o = &step->operation;
    uint32_t *clock = &c->clocks.at[o->node];
    if (o->kind == EVENT_TIMER_FIRE) {
        const uint64_t ticker = c->tickers.at[o->node];
        *clock += ticker == 0 || ticker == o->action;
        return *clock;
    }
    if (o->is_external || step->cause == STEP_NONE) {
        return CLUSTER_NONE;
    }
    must(step->cause < c->after.count);
    const uint32_t sent = c->after.at[step->cause];
    *clock = sent > *clock ? sent : *clock;
    return sent;
}

static void find_clusters(const struct reducer *r, struct clusters *c)
{
    vec_clear(&c->of);
    vec_clear(&c->after);
    c->count = 0;
    vec_each (&c->clocks, clock) {
        *clock = 0;
    }
    vec_each (&r->result->best.steps, step) {
        vec_push(&c->of, time_of(c, step));
        const uint32_t clock = c->clocks.at[step->operation.node];
        vec_push(&c->after, clock);
        c->count = clock >= c->count ? clock + 1 : c->count;
    }
    must(c->of.count == reducer_size(r));
}

/* On each node the timer that fires most; for a node whose timers are all to be heard, 0. */
static void find_tickers(const struct reducer *r, struct clusters *c)
{
    struct map fired = {0};
    vec_each (&r->result->best.steps, step) {
        const struct pick_operation *o = &step->operation;
        while (c->tickers.count <= o->node) {
            vec_push(&c->tickers, 0);
            vec_push(&c->clocks, 0);
        }
        if (o->kind == EVENT_TIMER_FIRE) {
            uint64_t *ticker = &c->tickers.at[o->node];
            const uint32_t *most = map_get(&fired, *ticker);
            const uint32_t before = most == NULL ? 0 : *most;
            const uint32_t count = ++*map_slot(&fired, o->action, 0, NULL);
            *ticker = count > before ? o->action : *ticker;
        }
    }
    map_release(&fired);
}

static bool try_without_times(struct reducer *r, const struct clusters *c, uint32_t first,
                              uint32_t count)
{
    bool *is_out = reducer_marks(r);
    bool is_any = false;
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        const uint32_t time = c->of.at[i];
        is_out[i] = time != CLUSTER_NONE && time >= first && time - first < count;
        is_any = is_any || is_out[i];
    }
    return is_any && reducer_try_without(r, is_out);
}

/* Half of all times, a quarter, ... one: the oldest first, which matter least. */
static void leave_out_clusters(struct reducer *r, struct clusters *c)
{
    find_clusters(r, c);
    for (uint32_t count = c->count / 2; count > 0 && reducer_goes_on(r); count /= 2) {
        uint32_t first = 0;
        while (first < c->count && reducer_goes_on(r)) {
            if (try_without_times(r, c, first, count)) {
                find_clusters(r, c);
            } else {
                first += count;
            }
        }
    }
}

void clock_clusters_stage(struct reducer *r)
{
    struct clusters c = {0};
    find_tickers(r, &c);
    leave_out_clusters(r, &c);
    vec_each (&c.tickers, ticker) {
        *ticker = 0;
    }
    leave_out_clusters(r, &c);
    vec_release(&c.of);
    vec_release(&c.after);
    vec_release(&c.clocks);
    vec_release(&c.tickers);
}
