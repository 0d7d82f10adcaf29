/* Races of the observed order in words. */
#ifndef CLEW_RACE_OBSERVED_OBSERVED_REPORT_H
#define CLEW_RACE_OBSERVED_OBSERVED_REPORT_H

#include "race/observed/observed.h"
#include "trace/finding.h"

/* Adds the race as a finding about events of this input, counted through the stream. */
void observed_tell(struct findings *f, const struct tables *tables,
                   const struct observed_race *race, uint32_t input);

#endif
