/* Data races: the candidates, decided one by one or counted. */
#ifndef CLEW_RACE_DATA_RACES_H
#define CLEW_RACE_DATA_RACES_H

#include "order/hb.h"
#include "race/access_classes.h"
#include "race/decider.h"
#include "race/groups.h"

typedef void (*conflict_fn)(void *context, const struct access_class *first,
                            const struct access_class *second);

/* Calls `each` for every two classes of a variable that can race. */
void data_each_conflict(const struct accesses *a, conflict_fn each, void *context);

enum data_part {
    DATA_ALL,
    DATA_FEW, /* none, where places are graded and there are many: they are for data_search */
};

/* Decides every candidate by the judge. */
void data_judge(struct race_groups *y, const struct accesses *a, const struct judge *judge,
                enum data_part part);

/* The rest of data_judge (DATA_FEW): where places are graded and there are more than
 * race_options.pairs_max candidates, decides pairs of two classes until one may race, or that is
 * left to grading; none where the places of the classes have a candidate already. Its result
 * depends on earlier results, so the work is not shared among processes. O(accesses) for two
 * classes, and deciding. */
void data_search(struct race_groups *y, const struct accesses *a, const struct judge *judge);

/* Counts in a plain relation (plain.h); enumerates only when somebody wants to hear of each. */
void data_count(struct race_groups *y, const struct accesses *a, const struct hb *hb);

#endif
