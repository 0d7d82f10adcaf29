/* The outermost loops of a function, and where their rounds begin.
 *
 *     void *sell(void *u)
 *     {
 *         while (available() > 0)      a round begins where the loop's first line is entered
 *             take();
 *     }
 *
 * What the compiler has inlined into the function is not its own: a loop that lies wholly in one
 * inlined call is not looked at, and code of an inlined call stands at the line of the call. So the
 * answers are those of the source, whatever the compiler made of it: a loop's first line is the
 * same before and after its test was moved to its end, and calls of one place that follow each
 * other in copies are a loop that was unrolled.
 *
 * Positions are the addresses that calls return to; accesses are calls, too, in code built by `clew
 * cc`. */
#ifndef CLEW_PLACE_ROUNDS_H
#define CLEW_PLACE_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "place/place.h"

struct rounds;

/* Looks into the function of a position. One that a header of the system defines, as libstdc++ does
 * for std::thread, gives way to the outermost function of the program that was inlined there. NULL:
 * nothing is known of it. O(n log n) in the function's instructions. */
struct rounds *rounds_new(struct places *p, uint64_t position);
void rounds_free(struct rounds *r);

/* True when the function is of a header of the system, with nothing of the program inlined. */
bool rounds_is_system(const struct rounds *r);

/* Whether the position lies in the function. */
bool rounds_has(const struct rounds *r, uint64_t position);

/* True when `to` cannot follow `from`, both positions of the function, without a loop's beginning
 * between them. False for what code that is not understood may allow. O(instructions) when asked
 * first, then O(1). */
bool rounds_divide(struct rounds *r, uint64_t from, uint64_t to);

#endif
