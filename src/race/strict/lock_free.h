/* Counts data races where locks leave no choice: no lock is contended, no wait needs a notify, and
 * edges lead into handlers only at their first events. There two accesses can be side by side
 * exactly when neither must come before the other (docs/theory/races.md proves it). Let a stand on
 * its task's main chain. The events of that chain before b, and those after b, are
 *
 *     main chain of a   . . . . | . . . . . | . . .
 *                        before b    free     after b
 *
 * so the accesses of a class that race with b are neighbours, and races are counted, not
 * enumerated. Only pairs of accesses that are both in handlers are decided one by one. */
#ifndef CLEW_RACE_STRICT_LOCK_FREE_H
#define CLEW_RACE_STRICT_LOCK_FREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "order/ancestors.h"
#include "order/hb.h"
#include "race/access_classes.h"

/* Whether the relation is of this kind. */
bool plain_applies(const struct hb *hb);

/* Two classes of accesses by different tasks, and which of them race. */
struct plain_pair {
    const struct hb *hb; /* plain, saturated, with both sides */
    const event_id *first, *second;
    uint32_t first_count, second_count;
    uint32_t first_task, second_task;
    bool has_handled;    /* both have accesses in handlers */
    struct bits ordered; /* of those: a bit for each pair that must not race */
};

/* Makes ready to ask about two classes. The ancestors are of hb. O(n), and where both have accesses
 * in handlers the product of those, with a sweep over all edges for each 64. */
struct plain_pair plain_pair_of(const struct hb *hb, struct ancestors *x, const struct accesses *a,
                                const struct access_class *const classes[2], struct arena *arena);

/* Whether access i of the first and access k of the second class race. */
bool plain_races(const struct plain_pair *p, uint32_t i, uint32_t k);

/* How many pairs race; sets *a and *b, of the first and the second class, to the pair whose later
 * access is listed first. O(n log n), and the product of the accesses in handlers of both. */
uint64_t plain_count(const struct plain_pair *p, event_id *a, event_id *b);

#endif
