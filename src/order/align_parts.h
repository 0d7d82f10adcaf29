/* What the parts of the alignment share. */
#ifndef CLEW_ORDER_ALIGN_PARTS_H
#define CLEW_ORDER_ALIGN_PARTS_H

#include "order/align.h"

/* align.c: the pair of this act of the first side is none any more, nor is what came of it. */
void alignment_part(struct alignment *a, uint32_t first);

/* align_merge.c: parts what stands in the way of rule 3, and lists the differences in an order that
 * both sides allow. O(acts) for each strand that has to be parted. */
void alignment_merge(struct alignment *a);

/* align_objects.c: lists pairs that touch an object in another order. O(acts), times the
 * strands that touch one object. */
void alignment_compare_objects(struct alignment *a);

#endif
