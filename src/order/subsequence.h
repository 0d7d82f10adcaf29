/* What two sequences have in common, in one order: a longest common subsequence. */
#ifndef CLEW_ORDER_SUBSEQUENCE_H
#define CLEW_ORDER_SUBSEQUENCE_H

#include <stdint.h>

struct sequence {
    const uint64_t *at;
    uint32_t count;
};

#define SUBSEQUENCE_NONE UINT32_MAX

/* For each element of the first, which of the second it is paired with, or SUBSEQUENCE_NONE. It is
 * a longest one where there are at most some thousands of differences, beyond that a long one: from
 * where most was paired by then it is gone on. Of equally long ones it is one that begins early.
 * O(elements + differences^2) expected, O(elements * differences) at worst, at most some thousand
 * for each element. */
void subsequence_find(struct sequence first, struct sequence second, uint32_t *partner_of);

#endif
