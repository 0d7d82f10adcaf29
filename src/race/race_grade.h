/* Grades: a race is *sound* when a prefix of a real execution shows it, as a checked witness says,
 * else *may*. */
#ifndef CLEW_RACE_RACE_GRADE_H
#define CLEW_RACE_RACE_GRADE_H

#include "base/bits.h"
#include "base/notes.h"
#include "order/hb.h"
#include "race/groups.h"
#include "race/sound/sync_preserving.h"
#include "race/witness/witness.h"

/* Grades the groups, first by sync-preserving reordering, for any pair of the group, then by
 * read-from consistency for the pair that stands for it. If another pair than the first of a group
 * is shown, that one represents the group from then on. Keeps witnesses if the options want them.
 */
void grade_groups(struct race_groups *y, const struct hb *hb, struct notes *n);

/* The same by sync-preserving reordering alone, for groups that have no grade yet. */
void grade_by_cuts(struct race_groups *y, const struct hb *hb, struct notes *n);

/* The same where every group is known to be feasible. */
void grade_shown(struct race_groups *y, const struct hb *hb);

/* Whether the order, which feasible.h found for the pair, holds. */
bool grade_holds(struct witness_checker *c, const struct sound_pair *pair,
                 const sound_order *order);

/* The group is shown by this pair, in this order. */
void grade_keep_order(struct race_groups *y, struct race_group *group,
                      const struct sound_pair *pair, const sound_order *order);

/* Drops the groups that are not sound. */
void grade_keep_sound(struct race_groups *y);

/* Adds the races that sync-preserving reordering shows, graded, without deciding every candidate:
 * for traces with too many of them. Reports only accesses among the wanted events. */
void grade_find(struct race_groups *y, const struct hb *hb, const struct bits *wanted);

#endif
