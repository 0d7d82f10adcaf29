/* Data races counted, not listed, where the list is an allowed order and no handler takes part.
 *
 * Walks the accesses to a variable as listed. An earlier access `a` and the present one `b` are
 * concurrent exactly if b's vector clock does not include a, since a is listed first. Of the
 * accesses of one task with the same place and signature (lock_spans.h) those concurrent with b are
 * therefore the last ones:
 *
 *     class   a1 a2 a3 | a4 a5          b knows 3: a4 and a5 race with it, or are excluded, alike
 *
 * So a class costs one comparison, or a binary search; only a pair whose signatures do not decide
 * it is decided by itself. */
#ifndef CLEW_RACE_STRICT_PAIR_COUNT_H
#define CLEW_RACE_STRICT_PAIR_COUNT_H

#include "order/hb.h"
#include "race/access_classes.h"
#include "race/decider.h"
#include "race/groups.h"
#include "race/strict/lock_spans.h"

struct pair_count_input {
    const struct hb *hb; /* has `before` for the tasks of each variable */
    const struct accesses *accesses;
    const struct lock_spans *spans; /* NULL: concurrent accesses race */
    const struct judge *judge;      /* for pairs that spans do not decide */
};

/* Counts the races, and adds the first pair of each pair of places, to the groups, which does not
 * want each pair. O(accesses * classes of a variable), and the pairs left open. */
void pair_count(struct race_groups *y, const struct pair_count_input *in);

#endif
