/* The internal interface between the parts of the alignment. */
#ifndef CLEW_ORDER_ALIGN_PARTS_H
#define CLEW_ORDER_ALIGN_PARTS_H

#include "order/align.h"

/* align.c: separates the pair of this act of the first side, and the pairs that it caused. */
void alignment_part(struct alignment *a, uint32_t first);

/* align_merge.c: separates pairs that violate rule 3, and lists the differences in an order that
 * both sides allow. O(acts) for each strand that has to be separated. */
void alignment_merge(struct alignment *a);

/* align_objects.c: lists pairs that touch an object in different orders. O(acts), times the strands
 * that touch one object. */
void alignment_compare_objects(struct alignment *a);

#endif
