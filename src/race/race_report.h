/* Races in words: each group of the groups as a finding. */
#ifndef CLEW_RACE_RACE_REPORT_H
#define CLEW_RACE_RACE_REPORT_H

#include "order/hb.h"
#include "race/groups.h"
#include "trace/finding.h"

/* Adds a finding for each group, in listed order, as many as the options want. */
void tell_findings(struct race_groups *y, const struct hb *hb, struct findings *f);

#endif
