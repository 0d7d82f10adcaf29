/* Decides whether a function may read a variable without a report. It may do so by an instruction
 * of its own: inline assembly, or a load of a value just stored, which the compiler does not
 * instrument. Or it passes the variable's address to a function that `clew cc` may not have built.
 */
#ifndef CLEW_PLACE_UNREPORTED_READS_H
#define CLEW_PLACE_UNREPORTED_READS_H

#include "place/value_use.h"

/* Looks through the walk's function for uses of the static variable at the address. Pointers to it
 * that are made elsewhere are not followed. O(size of the function). */
bool unseen_reads(struct value_walk *w, uint64_t variable);

/* The static variable that the first argument of the call at the address is the address of; 0: not
 * known. */
uint64_t unseen_argument(struct value_walk *w, uint64_t call);

/* The address of an operand in memory that does not depend on registers; 0: it does. `end` is that
 * of the instruction. */
uint64_t unseen_static(const cs_x86_op *op, uint64_t end);

#endif
