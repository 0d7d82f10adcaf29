/* Formulas about how states follow each other, decided over a finished run.
 *
 * Truths come in three: of what is absent or still to come, nobody knows. They are ordered, so that
 * `and` is the smaller and `or` the larger. */
#ifndef CLEW_SPEC_TEMPORAL_H
#define CLEW_SPEC_TEMPORAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

enum { TRUTH_NO = 0, TRUTH_UNKNOWN = 1, TRUTH_YES = 2 };

enum part_op {
    PART_ATOM, /* left: which */
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

/* A run: what the atoms were at each of `count` steps, and when. Behind the last step comes step
 * `loop`, its times later by `loop_ns`; or, with TRACK_OPEN, nobody knows what. */
struct track {
    size_t count;
    size_t loop;
    uint64_t loop_ns;
    const uint64_t *times;
    const uint8_t *atoms; /* atom_count truths per step */
    size_t atom_count;
};

#define TRACK_OPEN SIZE_MAX

/* What the part `root` is at each step, in memory of the arena; O(steps * parts). */
const uint8_t *temporal_decide(const struct parts *p, uint32_t root, const struct track *t,
                               struct arena *arena);

/* How often a loop has to be gone through before formulas that look back see the same in each turn:
 * 0 when none looks back, SIZE_MAX when it would be too often. before_ns is how long the run
 * was before the loop. */
size_t temporal_turns(const struct parts *p, uint32_t root, uint64_t loop_ns, uint64_t before_ns);

#endif
