/* Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010):
 * tasks have random priorities and the scheduler chooses the highest. At d-1 random steps the
 * chosen task's priority drops below all others. A bug of depth d among n tasks and k steps shows
 * with probability at least 1/(n k^(d-1)). The number of steps is the plan's, else that of the
 * longest run so far; a run that chooses at every access says nothing about runs that choose at
 * scheduling points alone.
 *
 * Beyond the paper: a timer that is set again whenever it fires would starve all tasks below it, so
 * the priority of timers is drawn again after one has fired. */
#include <string.h>

#include "pick/strategy.h"
#include "wire/kind.h"

enum { DEPTH_DEFAULT = 3, LENGTH_DEFAULT = 64 };

void pct_init(struct pick *p, struct carving *c)
{
    p->pct.priorities = carve(c, p->limits.task_max, sizeof *p->pct.priorities);
    p->pct.length_most = LENGTH_DEFAULT;
}

static void begin(struct pick *p)
{
    struct pct *pct = &p->pct;
    memset(pct->priorities, 0, p->limits.task_max * sizeof *pct->priorities);
    const uint32_t depth = p->plan.depth == 0 ? DEPTH_DEFAULT : p->plan.depth;
    pct->lowered_count = depth - 1 < PCT_DEPTH_MAX ? depth - 1 : PCT_DEPTH_MAX;
    const uint32_t length = p->plan.length == 0 ? pct->length_most : p->plan.length;
    must(pct->lowered_count <= PCT_DEPTH_MAX);
    for (uint32_t i = 0; i < pct->lowered_count; i++) {
        pct->lowered_at[i] = (uint32_t)prng_below(&p->prng, length);
    }
}

/* Drawn priorities are above those of lowered tasks, which are 1 to PCT_DEPTH_MAX. */
static uint64_t priority(struct pick *p, uint32_t task)
{
    must(task < p->limits.task_max);
    uint64_t *drawn = &p->pct.priorities[task];
    if (*drawn == 0) {
        *drawn = prng_next(&p->prng) | UINT64_C(1) << 63;
    }
    return *drawn;
}

static uint32_t highest(struct pick *p, const struct offer *offer)
{
    uint32_t best = offer->among[0];
    uint64_t best_priority = 0;
    for (uint32_t i = 0; i < offer->count; i++) {
        const uint64_t own = priority(p, offer->pending[offer->among[i]].task);
        if (own > best_priority) {
            best = offer->among[i];
            best_priority = own;
        }
    }
    return best;
}

static uint32_t choose(struct pick *p, const struct offer *offer)
{
    uint32_t best = highest(p, offer);
    for (uint32_t i = 0; i < p->pct.lowered_count; i++) {
        if (p->pct.lowered_at[i] == p->choice_count) {
            p->pct.priorities[offer->pending[best].task] = i + 1;
            best = highest(p, offer);
        }
    }
    return best;
}

/* A lowered priority stays lowered. */
static void done(struct pick *p, const struct offer *offer, uint32_t chosen)
{
    const struct pick_operation *o = &offer->pending[chosen];
    must(o->task < p->limits.task_max);
    if (o->kind == EVENT_TIMER_FIRE && p->pct.priorities[o->task] > PCT_DEPTH_MAX) {
        p->pct.priorities[o->task] = 0;
    }
}

static void end(struct pick *p)
{
    const uint32_t length = p->choice_count;
    const bool is_narrowed = p->plan.points != NULL;
    if (length > p->pct.length_most || p->pct.length_most == LENGTH_DEFAULT ||
        p->pct.is_narrowed != is_narrowed) {
        p->pct.length_most = length > 0 ? length : 1;
        p->pct.is_narrowed = is_narrowed;
    }
}

const struct strategy strategy_pct = {.begin = begin, .choose = choose, .done = done, .end = end};
