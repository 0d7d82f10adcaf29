/* Temporal formulas, decided over a finished run.
 *
 * Truth is three-valued: an absent or future value is unknown. Truths are ordered, so that `and` is
 * the minimum and `or` the maximum. */
#ifndef CLEW_SPEC_TEMPORAL_H
#define CLEW_SPEC_TEMPORAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

enum { TRUTH_NO = 0, TRUTH_UNKNOWN = 1, TRUTH_YES = 2 };

enum part_op {
    PART_ATOM, /* left: the atom */
    PART_NOT,  /* left */
    PART_AND,
    PART_OR,
    PART_NEXT,       /* left */
    PART_UNTIL,      /* left until right */
    PART_EVENTUALLY, /* left, within bound ns */
    PART_ONCE,       /* left, not longer ago than bound ns */
    PART_SINCE,      /* left since right */
};

#define PART_UNBOUNDED UINT64_MAX

/* Operands are earlier parts. */
struct part {
    uint8_t op; /* enum part_op */
    uint32_t left, right;
    uint64_t bound;
};

struct parts {
    VEC(struct part) list;
};

/* A run: the truths of the atoms at each of `count` steps, and their times. Step `loop` follows the
 * last step, its times later by `loop_ns`; with TRACK_OPEN the continuation is unknown. */
struct track {
    size_t count;
    size_t loop;
    uint64_t loop_ns;
    const uint64_t *times;
    const uint8_t *atoms; /* atom_count truths per step */
    size_t atom_count;
};

#define TRACK_OPEN SIZE_MAX

/* The truth of the part `root` at each step, in memory of the arena; O(steps * parts). */
const uint8_t *temporal_decide(const struct parts *p, uint32_t root, const struct track *t,
                               struct arena *arena);

/* The number of turns of a loop until past operators see the same in each turn: 0 when there are
 * none, SIZE_MAX when it is too large. before_ns is the duration of the run before the loop. */
size_t temporal_turns(const struct parts *p, uint32_t root, uint64_t loop_ns, uint64_t before_ns);

#endif
