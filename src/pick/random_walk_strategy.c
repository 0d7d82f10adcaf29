/* The default order, and a uniform random walk. */
#include "pick/strategy.h"

static uint32_t choose_first(struct pick *p, const struct offer *offer)
{
    (void)p;
    return offer->among[0];
}

static uint32_t choose_random(struct pick *p, const struct offer *offer)
{
    return offer->among[prng_below(&p->prng, offer->count)];
}

const struct strategy strategy_first = {.choose = choose_first};
const struct strategy strategy_random = {.choose = choose_random};
