/* Delta debugging (Zeller, ESEC/FSE 1999): the parts of a whole that are needed for a failure. It
 * halves; where neither half fails it keeps one whole while it reduces the other, for the two
 * interfere. What comes out is 1-minimal if the test is consistent. */
#ifndef CLEW_MINIMIZE_DDMIN_H
#define CLEW_MINIMIZE_DDMIN_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the parts that are in still fail. */
typedef bool (*ddmin_test)(void *context, const bool *is_in, uint32_t count);

/* is_in begins with all that is known to fail, and ends with what is left of it. */
void ddmin(bool *is_in, uint32_t count, ddmin_test fails, void *context);

#endif
