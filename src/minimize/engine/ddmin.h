/* Delta debugging (Zeller, ESEC/FSE 1999): the parts of a whole that are needed for a failure. It
 * halves; where neither half fails it keeps one whole while it reduces the other, for the two
 * interfere. The result is 1-minimal if the test is consistent. */
#ifndef CLEW_MINIMIZE_ENGINE_DDMIN_H
#define CLEW_MINIMIZE_ENGINE_DDMIN_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the parts that are in still fail. */
typedef bool (*ddmin_test)(void *context, const bool *is_in, uint32_t count);

/* is_in begins with a selection that is known to fail, and ends with the reduced one. */
void ddmin(bool *is_in, uint32_t count, ddmin_test fails, void *context);

/* The same where parts need others, so that many selections make no sense and do not fail: the
 * complement of each of ever smaller chunks is tested too (Zeller and Hildebrandt, IEEE TSE 2002).
 * The result is 1-minimal for any test, after at most O(count^2) tests. */
void ddmin_dependent(bool *is_in, uint32_t count, ddmin_test fails, void *context);

#endif
