/* Grades by pairs of places: each one that strict allows becomes
 *
 *     sound      a prefix of a real execution shows it
 *     observed   the run itself leaves two accesses there unordered by happens-before
 *     refuted    no prefix in which reads see what they saw shows any of its pairs of events
 *     open       neither is known, for a reason (enum race_open)
 *
 * In a recording, where order/reads_from.h finds the write of each read, sound are pairs that a
 * closed cut shows (closure.h) and first races (first_race.h); refuted are those that the relaxed
 * question of feasible.h denies for each pair of events. In an exact trace feasible.h decides both
 * ways. */
#ifndef CLEW_RACE_GRADE_PLACES_H
#define CLEW_RACE_GRADE_PLACES_H

#include "base/err.h"
#include "base/notes.h"
#include "race/access_classes.h"
#include "race/decider.h"
#include "race/groups.h"

struct place_input {
    struct hb *hb; /* strict, as the groups were found with */
    const struct accesses *accesses;
    const struct judge *strict; /* the judge of the groups; NULL: order alone */
};

/* Whether the clocks of a recording's observed order fit into memory; else all of it stays open. */
bool place_grade_fits(const struct trace *t);

/* Grades the groups and counts them in its stats; drops those that are not sound unless the options
 * want all. Fails if a user-supplied order names an event that does not exist. */
MUST_USE int place_grade(struct race_groups *y, const struct place_input *in, struct notes *n,
                         struct err *e);

#endif
