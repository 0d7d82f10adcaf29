/* The outermost loops of a function, and the instructions at which their iterations (rounds) begin.
 *
 *     void *sell(void *u)
 *     {
 *         while (available() > 0)      a round begins where the loop's first line is entered
 *             take();
 *     }
 *
 * The answers follow the source, not the compiler's transformations. A loop wholly inside an
 * inlined call belongs to the callee and is ignored; code of an inlined call counts as the line of
 * the call. A loop's first line stays the same if the compiler moves the test to the loop's end.
 * Copies of one call that follow each other are an unrolled loop.
 *
 * Positions are the addresses that calls return to; accesses are calls, too, in code built by `clew
 * cc`. */
#ifndef CLEW_PLACE_LOOP_ROUNDS_H
#define CLEW_PLACE_LOOP_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "place/place.h"

struct rounds;

/* Looks into a function that a position is in: the outermost one of the program at depth 0, the one
 * that was inlined into it at depth 1, and so on. Functions that a header of the system defines, as
 * libstdc++ does for std::thread, do not count. NULL: nothing is known of the code there. O(n log
 * n) in the function's instructions. */
struct rounds *rounds_new(struct places *p, uint64_t position, uint32_t depth);
void rounds_free(struct rounds *r);

/* True when there is no function of the program at that depth. */
bool rounds_is_system(const struct rounds *r);

/* Whether the position lies in the code of the function, or in that of the one it was inlined into.
 */
bool rounds_has(const struct rounds *r, uint64_t position);

/* Whether the position lies in the function itself, with all that was inlined into it. */
bool rounds_covers(const struct rounds *r, uint64_t position);

/* How many functions of the program the position is in, which rounds_has. O(depth of scopes). */
uint32_t rounds_depth(const struct rounds *r, uint64_t position);

/* The outermost loop of the function that the position is in, from 1; 0: in none. */
uint32_t rounds_loop(const struct rounds *r, uint64_t position);

/* Whether the code of the function, with all that was inlined into it, leads from the one position
 * to the other without leaving it, so that both may be in one call. O(instructions) when asked
 * first, then O(1). */
bool rounds_lead(struct rounds *r, uint64_t from, uint64_t to);

/* True if every path from `from` to `to`, two positions of the function, passes the beginning of a
 * round. False if unknown control flow may avoid it. O(instructions) for the first question, then
 * O(1). */
bool rounds_divide(struct rounds *r, uint64_t from, uint64_t to);

#endif
