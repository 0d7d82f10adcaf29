/* Data races: the candidates, decided one by one or counted. */
#ifndef CLEW_RACE_DATA_H
#define CLEW_RACE_DATA_H

#include "order/hb.h"
#include "race/access.h"
#include "race/judge.h"
#include "race/tally.h"

typedef void (*conflict_fn)(void *context, const struct access_class *first,
                            const struct access_class *second);

/* Calls `each` for every two classes of a variable that can race. */
void data_each_conflict(const struct accesses *a, conflict_fn each, void *context);

/* Decides every candidate by the judge. */
void data_judge(struct tally *y, const struct accesses *a, const struct judge *judge);

/* Counts in a plain relation (plain.h); enumerates only when somebody wants to hear of each. */
void data_count(struct tally *y, const struct accesses *a, const struct hb *hb);

#endif
