/* An alignment of two executions by causality. It pairs acts of the two sides, so that
 *
 *     1. both acts of a pair do the same on the same strand (a task, or a node that handles
 *        messages), and the pairs of a strand are in one order;
 *     2. where another act caused one, as a send its receive, those two are a pair as well;
 *     3. no pair precedes another on one side and follows it on the other, by strands and causes.
 *
 * The interleaving of independent strands makes no difference. Pairs that touch the same object in
 * another order stay pairs and are reported as reordered.
 *
 *     struct alignment a;
 *     alignment_init(&a);
 *     alignment_add(&a, ALIGN_FIRST, &(struct act_made){.strand = "n1", .what = "write x", ...});
 *     alignment_find(&a);
 *     vec_each (&a.differences, d) { ... }
 *     alignment_release(&a);
 *
 * The number of pairs is the best of a few heuristic starts. It is maximal where no causes are
 * known, or none conflicts, and a strand has at most some thousands of differences. */
#ifndef CLEW_ORDER_ALIGN_H
#define CLEW_ORDER_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/names.h"
#include "base/vec.h"

enum align_side { ALIGN_FIRST, ALIGN_SECOND };
#define ALIGN_NONE UINT32_MAX

/* An act of one strand, in the terms of the caller. */
struct act_made {
    const char *strand, *what;
    const char *shown;  /* its name for the user; NULL: its action */
    uint64_t content;   /* its payload: pairs have the same; 0: none, or irrelevant */
    uint32_t index;     /* in its execution, as the caller counts */
    bool has_cause;     /* another act caused it ... */
    uint32_t cause;     /* ... namely the act added at this index, from 0, before or later */
    const char *object; /* the object whose order of acts matters; NULL: none */
    bool is_read;       /* the order of two reads does not matter */
};

struct act {
    uint32_t strand, shown, object; /* names of the alignment; object 0: none */
    uint32_t kind;                  /* the number of its action and payload */
    uint32_t index;
    uint32_t cause; /* number of the act; ALIGN_NONE: unknown */
    bool is_read;
};

/* An act of both sides: its index on either side. */
struct meeting {
    uint32_t index[2]; /* ALIGN_NONE: there is none */
};

/* An act that only one side has, and its place on its strand: between two meetings.
 *
 *     first    a  b  c           b: after {0, 0}, before {2, 2}
 *     second   a  x  c           x: likewise
 */
struct difference {
    enum align_side side;
    struct act act;
    struct meeting after;  /* the last before it; none: it is at the strand's beginning */
    struct meeting before; /* the first behind it; none: it is at the strand's end */
};

/* Two pairs that touch one object: the first side has `earlier` before `later`, the second has them
 * reversed. */
struct reordering {
    struct act earlier, later; /* of the first side ... */
    uint32_t earlier_index;    /* ... and of the second */
    uint32_t later_index;
};

/* Numbers of acts of one strand. */
struct strand {
    VEC(uint32_t) list;
};

struct align_acts {
    VEC(struct act) list; /* in the order they were added */
    VEC(struct strand) strands;
    uint32_t *partner_of; /* of each act on the other side; ALIGN_NONE: there is none */
    uint32_t *previous;   /* of each act on its strand; ALIGN_NONE: it is the first */
    uint32_t *effect;     /* the first act it caused; ALIGN_NONE: none ... */
    uint32_t *next;       /* ... and the next act with the same cause */
};

struct alignment {
    struct names names;
    struct map number_of; /* strand to its number */
    struct map contents;  /* likewise */
    struct map kinds;     /* action and payload */
    struct align_acts sides[2];
    /* In an order that both sides allow: acts before a meeting on either side come first. */
    VEC(struct difference) differences;
    VEC(struct reordering) reorderings; /* as the first side has them */
    uint64_t common;                    /* acts on both sides */
    uint32_t shared;                    /* strands on both sides */
};

void alignment_init(struct alignment *a);
void alignment_release(struct alignment *a);

/* Adds the next act of a side. */
void alignment_add(struct alignment *a, enum align_side side, const struct act_made *made);

/* Compares both sides, after all acts were added. Some passes of O(acts * differences) for each
 * strand. */
void alignment_find(struct alignment *a);

#endif
