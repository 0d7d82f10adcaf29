/* Races as SPIDER finds them (--compat spider, spider-paper): its verdicts, errors included, so
 * that the two can be compared. */
#ifndef CLEW_RACE_COMPAT_SPIDER_H
#define CLEW_RACE_COMPAT_SPIDER_H

#include "base/notes.h"
#include "race/groups.h"

/* Decides every candidate of SPIDER's: data races over accesses to one variable of one node by
 * different tasks; message races as published over messages to one destination, where the one
 * received later can be sent before the other is received, and as in the dissertation (section
 * 3.3.2) over messages to one task, whose sends can be at one time. */
void spider_find(struct race_groups *y, struct findings *f);

#endif
