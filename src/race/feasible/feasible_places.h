/* Data races under the model feasible, decided per pair of places: once one pair of accesses at two
 * places of a variable is shown, the other pairs there are skipped. So pairs of places are counted
 * exactly, and of pairs of accesses only those shown. */
#ifndef CLEW_RACE_FEASIBLE_FEASIBLE_PLACES_H
#define CLEW_RACE_FEASIBLE_FEASIBLE_PLACES_H

#include "order/hb.h"
#include "race/access_classes.h"
#include "race/feasible/feasible.h"
#include "race/groups.h"

/* Adds the pairs of places that sync-preserving reordering shows, which is near-linear. */
void feasible_places_find(struct race_groups *y, const struct hb *hb, const struct accesses *a);

/* The candidates in question. */
struct feasible_input {
    const struct hb *hb;
    const struct accesses *accesses;
};

/* Decides the pairs of places that neither groups has: y, and `found`, which may be y and is the
 * one that feasible_places_find filled. A candidate is unknown when it could not be decided and no
 * other at its places is shown. Without handlers, O(accesses * tasks + candidates that nothing
 * needed puts in order); with them, O(candidates). */
void feasible_places_judge(struct race_groups *y, struct race_groups *found,
                           const struct feasible_input *in, struct feasible *f);

#endif
