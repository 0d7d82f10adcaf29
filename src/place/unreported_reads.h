/* Whether the code of a function may read a variable where no report tells of it: by an instruction
 * of its own (inline assembly, a load that the compiler knows to find what was just stored), or by
 * a function that gets the variable's address and need not be built by `clew cc`. */
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
