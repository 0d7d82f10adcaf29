/* Sorting that keeps equal elements in their order, so that the result is the same everywhere. */
#ifndef CLEW_BASE_SORT_H
#define CLEW_BASE_SORT_H

#include <stddef.h>

typedef int (*sort_compare)(const void *left, const void *right, const void *context);

/* Sorts `count` elements of `size` bytes by merging; O(n log n), with n elements of memory beside.
 * `context` is handed to compare. */
void sort_stable(void *elements, size_t count, size_t size, sort_compare compare,
                 const void *context);

#endif
