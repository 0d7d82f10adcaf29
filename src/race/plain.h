/* Data races where nothing is left to choose: no lock is contended, no wait needs a notify, and
 * edges lead into handlers only from their receives. There two accesses can be side by side exactly
 * when neither must come before the other (docs/theory/races.md proves it), and
 *
 *     a must come before b   iff   b stands at or behind the first event
 *                                  of its task's main chain that a comes before
 *
 * where a handler's event stands where its receive does. So an access has two numbers per other
 * task, where it stands and what it reaches, and races are counted, not enumerated. */
#ifndef CLEW_RACE_PLAIN_H
#define CLEW_RACE_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "order/hb.h"
#include "race/access.h"

/* Whether the relation is of this kind. */
bool plain_applies(const struct hb *hb);

/* One class of accesses as seen by another task. */
struct plain_line {
    uint32_t count;
    const event_id *events;
    uint32_t *at;      /* where each stands on its own task's main chain; never falls */
    uint32_t *reaches; /* the first position of the other task's main chain that it comes before */
    bool is_rising;    /* reaches never falls either */
};

/* The relation is plain, saturated and has `after`. */
struct plain_line plain_line_of(const struct hb *hb, const struct accesses *a,
                                const struct access_class *class, uint32_t other_task,
                                struct arena *arena);

static inline bool plain_races(const struct plain_line *a, uint32_t i, const struct plain_line *b,
                               uint32_t k)
{
    return a->at[i] < b->reaches[k] && b->at[k] < a->reaches[i];
}

/* How many pairs of the two race; sets *first and *second to the one whose second access is listed
 * first. O(n log n). */
uint64_t plain_count(const struct plain_line *a, const struct plain_line *b, event_id *first,
                     event_id *second, struct arena *scratch);

#endif
