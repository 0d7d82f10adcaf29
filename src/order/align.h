/* Two executions side by side, by what came of what. Acts of the two sides are paired, so that
 *
 *  1. both acts of a pair do the same on the same strand (a task, or a node that handles messages),
 *     and the pairs of a strand come in one order;
 *  2. where an act came of another, as a receive of its send, those two are a pair as well;
 *  3. no pair is before another on one side and behind it on the other, by strands and causes.
 *
 * How independent strands were interleaved makes no difference. Pairs that touch the same object
 * in another order are pairs, and that is told of them.
 *
 *     struct alignment a;
 *     alignment_init(&a);
 *     alignment_add(&a, ALIGN_FIRST, &(struct act_made){.strand = "n1", .what = "write x", ...});
 *     alignment_find(&a);
 *     vec_each (&a.differences, d) { ... }
 *     alignment_release(&a);
 *
 * There are as many pairs as can be found by a few ways to begin; where no causes are known, or
 * none of them is in the way, and a strand has at most some thousands of differences, as many as
 * there can be. */
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

/* Something that one strand did, as whoever tells of it knows it. */
struct act_made {
    const char *strand, *what;
    const char *shown; /* what it is called to people; NULL: as what it does */
    uint64_t content;  /* what it brings: pairs bring the same; 0: nothing, or it does not matter */
    uint32_t index;    /* in its execution, as whoever adds it counts */
    bool has_cause;    /* it came of another ... */
    uint32_t cause;    /* ... which is, or will be, the one added as so many-th, from 0 */
    const char *object; /* whose order of acts matters; NULL: none */
    bool is_read;       /* the order of two of them does not */
};

struct act {
    uint32_t strand, shown, object; /* names of the alignment; object 0: none */
    uint32_t kind;                  /* what it does, and brings: a number */
    uint32_t index;
    uint32_t cause; /* number of the act; ALIGN_NONE: it came of nothing that is known */
    bool is_read;
};

/* Something that both sides did: its index on either side. */
struct meeting {
    uint32_t index[2]; /* ALIGN_NONE: there is none */
};

/* What only one side has, and where on its strand that is: between two meetings.
 *
 *     first    a  b  c           b: after {0, 0}, before {2, 2}
 *     second   a  x  c           x: likewise */
struct difference {
    enum align_side side;
    struct act act;
    struct meeting after;  /* the last before it; none: it is at the strand's beginning */
    struct meeting before; /* the first behind it; none: it is at the strand's end */
};

/* Two pairs that touch one object: the first side has `earlier` before `later`, the second has them
 * the other way round. */
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
    uint32_t *effect;     /* the first that came of it; ALIGN_NONE: nothing did ... */
    uint32_t *next;       /* ... and the next that came of the same */
};

struct alignment {
    struct names names;
    struct map number_of; /* strand to its number */
    struct map contents;  /* likewise */
    struct map kinds;     /* what is done, and which content */
    struct align_acts sides[2];
    /* In an order that both sides allow: what is before a meeting on either side comes first. */
    VEC(struct difference) differences;
    VEC(struct reordering) reorderings; /* as the first side has them */
    uint64_t common;                    /* acts that both have */
    uint32_t shared;                    /* strands that both have */
};

void alignment_init(struct alignment *a);
void alignment_release(struct alignment *a);

/* Adds what comes next on a side. */
void alignment_add(struct alignment *a, enum align_side side, const struct act_made *made);

/* Compares, once all is added. Some passes of O(acts * differences) for each strand. */
void alignment_find(struct alignment *a);

#endif
