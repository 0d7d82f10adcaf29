/* Two executions side by side. What matters is what each strand (a task, or a node that handles
 * messages) did and in which order, and not how independent strands were interleaved: so strands
 * are compared one by one, each by its longest common subsequence.
 *
 *     struct alignment a;
 *     alignment_init(&a);
 *     alignment_add(&a, ALIGN_FIRST, "main@n1", "write x", 7);     ...
 *     alignment_find(&a);
 *     vec_each (&a.differences, d) { ... }
 *     alignment_release(&a);
 */
#ifndef CLEW_TRACE_ALIGN_H
#define CLEW_TRACE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/names.h"
#include "base/vec.h"

enum align_side { ALIGN_FIRST, ALIGN_SECOND };

/* Something that one strand did. */
struct act {
    uint32_t strand; /* names of the alignment */
    uint32_t what;
    uint32_t index; /* in its execution, as whoever adds it counts */
};

/* Something that both sides did: its index on either side. */
struct meeting {
    uint32_t index[2]; /* ALIGN_NONE: there is none */
};
#define ALIGN_NONE UINT32_MAX

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

struct acts {
    VEC(struct act) list;
};

struct alignment {
    struct names names;
    struct map number_of; /* strand to its number */
    VEC(struct acts) strands[2];
    VEC(struct difference) differences; /* strand by strand, in the order of the strand */
    uint64_t common;                    /* acts that both have */
    uint32_t shared;                    /* strands that both have */
    uint32_t unaligned;                 /* strands that differ too much to be compared */
};

void alignment_init(struct alignment *a);
void alignment_release(struct alignment *a);

/* Adds what comes next on a side. */
void alignment_add(struct alignment *a, enum align_side side, const char *strand, const char *what,
                   uint32_t index);

/* Compares. O(acts * differences) time for a strand; one with more than some thousands of
 * differences is unaligned: all of it counts as different. */
void alignment_find(struct alignment *a);

#endif
