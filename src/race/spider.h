/* Races as SPIDER finds them (--compat spider, spider-paper): its verdicts, errors included, so
 * that the two can be compared. */
#ifndef CLEW_RACE_SPIDER_H
#define CLEW_RACE_SPIDER_H

#include "base/notes.h"
#include "race/tally.h"

/* Decides every candidate of SPIDER's: data races over accesses to one variable of one node by
 * different tasks; message races over messages to one destination. */
void spider_find(struct tally *y, struct findings *f);

#endif
