/* Partial order sampling (Yuan, Yang and Gu, CAV 2018): every pending operation has a random
 * priority and the scheduler chooses the highest; operations that conflict with it draw again. */
#include "pick/strategy.h"

void pos_init(struct pick *p, struct carving *c)
{
    const uint32_t entries = table_entries(p->limits.pending_max);
    for (int i = 0; i < 2; i++) {
        table_init(&p->pos.drawn[i], carve(c, entries, sizeof(struct table_entry)),
                   p->limits.pending_max);
    }
}

static void begin(struct pick *p)
{
    table_clear(&p->pos.drawn[0]);
    table_clear(&p->pos.drawn[1]);
}

static uint64_t priority(struct pick *p, const struct pick_operation *o)
{
    uint64_t *drawn = table_slot(&p->pos.drawn[p->pos.current], o->name, 0);
    must(drawn != NULL);
    if (*drawn == 0) {
        *drawn = prng_next(&p->prng) | 1;
    }
    return *drawn;
}

static uint32_t choose(struct pick *p, const struct offer *offer)
{
    uint32_t best = offer->among[0];
    uint64_t best_priority = 0;
    for (uint32_t i = 0; i < offer->count; i++) {
        const uint64_t own = priority(p, &offer->pending[offer->among[i]]);
        if (own > best_priority) {
            best = offer->among[i];
            best_priority = own;
        }
    }
    return best;
}

/* A pending operation without a conflict keeps its priority; the others are dropped. */
static void done(struct pick *p, const struct offer *offer, uint32_t chosen)
{
    struct pos *pos = &p->pos;
    const struct table *drawn = &pos->drawn[pos->current];
    struct table *next = &pos->drawn[1 - pos->current];
    table_clear(next);
    for (uint32_t i = 0; i < offer->pending_count; i++) {
        const struct pick_operation *o = &offer->pending[i];
        const uint64_t *own = table_get(drawn, o->name);
        if (own != NULL && !pick_conflicts(o, &offer->pending[chosen])) {
            must(table_slot(next, o->name, *own) != NULL);
        }
    }
    pos->current = 1 - pos->current;
}

const struct strategy strategy_pos = {.begin = begin, .choose = choose, .done = done};
