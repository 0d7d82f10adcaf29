/* Whether an order of a recording's events, in which critical sections have changed places, proves
 * anything although the recorder left accesses out.
 *
 *     struct reordered o;
 *     reordered_init(&o, &observed, &reads);
 *     if (reordered_is_proof(&o, order->at, order->count)) { ... }
 *     reordered_release(&o);
 *
 * An access that was left out has a recorded one of its task, kind and variable. So no read that
 * was left out sees another value when no write is moved before events, of a task that reads its
 * variable, which it did not come before in the run; and no recorded one does when the same holds
 * for tasks that write a variable that the order reads. */
#ifndef CLEW_RACE_SOUND_REORDERED_H
#define CLEW_RACE_SOUND_REORDERED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bits.h"
#include "base/map.h"
#include "order/hb.h"
#include "order/reads_from.h"

struct reordered {
    const struct hb *observed;
    const struct reads_from *reads;
    const struct bits *ignored; /* writes that may pass anything; NULL: none may */
    struct map variable_of;     /* scoped name to a number */
    struct map uses;            /* (number of a variable, task): whether it reads there */
    struct map is_read;         /* variables that the order reads */
    uint32_t *place;            /* per event: 1 + its place in the order; 0: not in it */
    uint32_t *next;             /* per task: 1 + the place of its next event; 0: none */
};

/* Both outlive o. O(events). */
void reordered_init(struct reordered *o, const struct hb *observed, const struct reads_from *reads);
void reordered_release(struct reordered *o);

/* Whether no read of the order is in doubt, each has the whole epoch of its writer before it, and
 * no write passes events of a task that uses its variable. O(events of the order * tasks). */
bool reordered_is_proof(struct reordered *o, const event_id *order, size_t count);

#endif
