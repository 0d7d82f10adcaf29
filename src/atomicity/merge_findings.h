/* One finding per bug: findings about the same variables, or at the same places, mostly have one
 * cause and one fix. */
#ifndef CLEW_ATOMICITY_MERGE_FINDINGS_H
#define CLEW_ATOMICITY_MERGE_FINDINGS_H

#include "trace/finding.h"

/* Keeps, of all findings about accesses to the same variables (by class, see variable.h) or at the
 * same places of the interrupted task, and so on from one to the next, the one that says most: the
 * most severe, then the one with the better grade, then the one that takes less for granted (a lost
 * update, another pattern of one variable, one of two), then the one with more writes, then the
 * first. Its pair_count is the sum of theirs, and its `why` names their patterns. Regions are left
 * alone. The findings kept are sorted by severity, then by their number of assumptions. */
void fold_findings(struct findings *f);

#endif
