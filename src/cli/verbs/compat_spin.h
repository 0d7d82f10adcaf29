/* clew atomicity --compat spin: the claims about a pair of variables, judged by SPIN and by a walk
 * of our own over all states; where the two differ, one of them is wrong. */
#ifndef CLEW_CLI_VERBS_COMPAT_SPIN_H
#define CLEW_CLI_VERBS_COMPAT_SPIN_H

#include "cli/verbs/atomicity_run.h"

/* Compares them for one run, and prints a line per pattern; enum exit_status or -1. */
MUST_USE int compat_spin(struct session *s, const struct atomicity_command *c, struct reading *r,
                         struct err *e);

#endif
