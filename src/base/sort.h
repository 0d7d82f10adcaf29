/* A stable sort, so that the result is the same everywhere. */
#ifndef CLEW_BASE_SORT_H
#define CLEW_BASE_SORT_H

#include <stddef.h>

typedef int (*sort_compare)(const void *left, const void *right, const void *context);

/* Merge sort of `count` elements of `size` bytes; O(n log n), with memory for n more elements.
 * `context` is passed to compare. */
void sort_stable(void *elements, size_t count, size_t size, sort_compare compare,
                 const void *context);

#endif
