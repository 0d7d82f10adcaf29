/* Accesses that a task may have repeated without a record.
 *
 * Of a shared word, the recorder keeps two accesses of one place and epoch, and beyond that the
 * first ones of each place (docs/theory/record.md). Those two stand for all others of the same
 * operation, call and round. So something may be lost only where another of these begins in the
 * epoch:
 *
 *     round 1:  R n (recorded)
 *     round 2:  R n (recorded)
 *     round 9:  R n (not recorded)  W n        and between them another task's W n
 */
#ifndef CLEW_PROC_RECORD_REPEATED_ACCESSES_H
#define CLEW_PROC_RECORD_REPEATED_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire/segment.h"

struct repeated_access {
    uint64_t address, place;
    uint32_t part;  /* of the epoch, in which the last was made */
    uint8_t count;  /* in the epoch, up to 2 ... */
    uint8_t recent; /* ... and in this part of it */
    uint8_t size, kind;
};

/* The accesses of one task in its present epoch. {0} is empty. */
struct repeated {
    VEC(struct repeated_access) list;
    size_t merged; /* the first of the list have been merged */
    uint32_t part; /* how often another operation, call or round has begun in the epoch */
};

void repeated_release(struct repeated *r);

/* Takes an access that the task has recorded. O(log n), amortized. */
void repeated_take(struct repeated *r, const struct record *access);

/* The task has begun another operation, call or round. O(1). */
void repeated_divide(struct repeated *r);

/* The epoch is over: keeps those accesses of which one may be lost, for the caller to read, and
 * returns their number. The next epoch begins with repeated_begin. O(n log n) where something else
 * has begun in it, else O(1). */
size_t repeated_end(struct repeated *r);
void repeated_begin(struct repeated *r);

#endif
