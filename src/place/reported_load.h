/* Reads that the compiler reports by a call, and the load behind it:
 *
 *     call  __tsan_read8
 *     mov   rax, [rip + sum]
 */
#ifndef CLEW_PLACE_REPORTED_LOAD_H
#define CLEW_PLACE_REPORTED_LOAD_H

#include "place/value_use.h"

enum { REPORT_CALL_SIZE = 5 };

struct reported_load {
    cs_x86_op from;       /* where the value was loaded ... */
    uint64_t start;       /* ... the address of that instruction ... */
    uint64_t from_end;    /* ... and the one behind it */
    unsigned instruction; /* its kind */
    uint8_t operand;      /* which of its operands the place is */
    uint32_t marks;       /* the register that has the value then; 0: none */
};

/* How many bytes the call at the address reports, for a function of this name ("read", "write"); 0:
 * it does not. */
uint32_t reported_by(struct value_walk *w, uint64_t call, const char *what);

/* Finds the load of this size behind the call that returns to `address`, in the same block; false
 * when there is none. */
bool reported_load(struct value_walk *w, uint64_t address, uint32_t size, struct reported_load *l);

/* Whether the operand is in the frame of the walk's function. */
bool reported_in_frame(const struct value_walk *w, const cs_x86_op *op);

/* Whether an operand of an instruction that ends at `to_end` may be the place of the load: the same
 * address, or the same part of what a register points to. */
bool reported_is_same(const struct reported_load *l, const cs_x86_op *to, uint64_t to_end);

#endif
