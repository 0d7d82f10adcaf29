/* A longest common subsequence of two sequences. */
#ifndef CLEW_ORDER_SUBSEQUENCE_H
#define CLEW_ORDER_SUBSEQUENCE_H

#include <stdint.h>

struct sequence {
    const uint64_t *at;
    uint32_t count;
};

#define SUBSEQUENCE_NONE UINT32_MAX

/* For each element of the first, its partner in the second, or SUBSEQUENCE_NONE. The result is a
 * longest one for at most some thousands of differences. Beyond that it is a long one: the search
 * then continues from the furthest point. Among equally long ones it begins early. O(elements +
 * differences^2) expected, O(elements * differences) at worst, at most some thousand for each
 * element. */
void subsequence_find(struct sequence first, struct sequence second, uint32_t *partner_of);

#endif
