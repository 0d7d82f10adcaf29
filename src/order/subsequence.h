/* What two sequences have in common, in one order: a longest common subsequence. */
#ifndef CLEW_ORDER_SUBSEQUENCE_H
#define CLEW_ORDER_SUBSEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

struct sequence {
    const uint64_t *at;
    uint32_t count;
};

#define SUBSEQUENCE_NONE UINT32_MAX

/* For each element of the first, which of the second it is paired with, or SUBSEQUENCE_NONE. False,
 * and none is, where they have more than some thousands of differences. Of equally long ones it is
 * one that begins early. O(elements + differences^2) expected, O(elements * differences) at worst.
 */
bool subsequence_find(struct sequence first, struct sequence second, uint32_t *partner_of);

#endif
