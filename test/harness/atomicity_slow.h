/* Which atomicity patterns a small trace allows, decided slowly: every candidate by a walk over all
 * states that an execution can reach, one event at a time. Shares nothing with the engine: orders
 * and sections are those of race_rules.h, candidates are found by trying all.
 *
 * The trace has no handlers. */
#ifndef CLEW_TEST_ATOMICITY_SLOW_H
#define CLEW_TEST_ATOMICITY_SLOW_H

#include <stdbool.h>

#include "base/out.h"
#include "race_rules.h"

/* Prints a line for each pattern that some execution shows: its key, the two accesses of the task
 * that is interrupted, and those of the other in its order ("RWW 3 7 | 5"). False when there are
 * too many events (64) or states. Accesses of two operations, as docs/theory/atomicity.md says, are
 * left out unless they are wanted; where the order of a conflict is settled, they always are. */
MUST_USE bool slow_atomicity(const struct rules *r, bool wants_rounds, struct out *out);

#endif
