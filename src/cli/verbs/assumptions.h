/* Assumptions of the answer of a search over a program, besides the explored schedules:
 * sequential consistency, no spurious wake-ups, the random numbers of one seed. */
#ifndef CLEW_CLI_VERBS_ASSUMPTIONS_H
#define CLEW_CLI_VERBS_ASSUMPTIONS_H

#include "cli/verbs/explore_run.h"
#include "report/findings_file.h"

/* Whether an execution that the search leaves out could go otherwise: a search that ended then
 * answers `unknown`, not `clean`. */
bool assumptions_are_made(const struct exploration *x);

/* Adds each to the list of the result, with its remedy if there is one. */
void assumptions_add(const struct exploration *x, struct finding_file *f);

/* Writes them behind "all N executions explored": " under sequential consistency". */
void assumptions_print(const struct exploration *x, struct out *out);

#endif
