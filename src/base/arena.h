/* An arena: memory with one lifetime. Allocations are bumped from blocks and released together.
 *
 *     struct arena scratch = {0};
 *     uint32_t *rank = arena_array(&scratch, uint32_t, n);      cleared to zero
 *     arena_release(&scratch);
 */
#ifndef CLEW_BASE_ARENA_H
#define CLEW_BASE_ARENA_H

#include <stdalign.h>
#include <stddef.h>

#include "wire/must.h"

struct arena_block;

/* {0} is an empty arena. */
struct arena {
    struct arena_block *last;
    size_t size_total; /* bytes taken from the heap */
};

/* A mark to return to: arena_reset releases everything allocated after it. */
struct arena_mark {
    struct arena_block *block;
    size_t used;
};

/* `size` bytes cleared to zero, aligned for any type up to 64 bytes alignment. */
MUST_USE void *arena_take(struct arena *a, size_t size, size_t align);

/* A copy of size bytes with a 0 byte behind. */
MUST_USE char *arena_text(struct arena *a, const char *text, size_t size);

struct arena_mark arena_mark(const struct arena *a);
void arena_reset(struct arena *a, struct arena_mark mark);
void arena_release(struct arena *a);

size_t arena_product(size_t count, size_t size);

#define arena_array(a, type, count) \
    ((type *)arena_take((a), arena_product((count), sizeof(type)), alignof(type)))
#define arena_new(a, type) arena_array(a, type, 1)

#endif
