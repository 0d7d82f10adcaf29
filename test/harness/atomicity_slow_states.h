/* Whether an order of events can happen in a small trace: a walk over all states that an execution
 * can reach, one event at a time. */
#ifndef CLEW_TEST_ATOMICITY_SLOW_STATES_H
#define CLEW_TEST_ATOMICITY_SLOW_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/names.h"
#include "base/out.h"
#include "race_rules.h"

enum { SLOW_EVENTS_MAX = 64 };

struct order {
    event_id before, after;
};

struct slow {
    bool wants_rounds;
    const struct rules *r;
    const struct trace *t;
    uint64_t needs[SLOW_EVENTS_MAX];   /* per event: what must have happened */
    uint64_t always[SLOW_EVENTS_MAX];  /* per event: what then has in any case */
    uint64_t created[SLOW_EVENTS_MAX]; /* the same by creating and joining tasks alone */
    bool is_atomic[SLOW_EVENTS_MAX];   /* per event: an access to an atomic variable */
    bool *is_open;                     /* per section: it never ends */
    struct names seen;
    uint64_t wanted;
    const struct order *orders;
    size_t order_count;
    bool is_too_large;
    struct out *out;
    struct arena arena;
};

static inline uint64_t slow_bit(event_id id)
{
    return UINT64_C(1) << id;
}

/* Fills what s tells of orders and sections from its rules. */
void slow_read_rules(struct slow *s);

/* Whether a comes before b in every execution. */
static inline bool slow_is_always_before(const struct slow *s, event_id a, event_id b)
{
    return (s->always[b] & slow_bit(a)) != 0;
}

/* Whether some execution has all the wanted events, in these orders. */
bool slow_is_possible(struct slow *s, uint64_t wanted, const struct order *orders, size_t count);

#endif
