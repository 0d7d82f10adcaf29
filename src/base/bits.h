/* A set of small numbers, one bit each, over words from the caller's arena. */
#ifndef CLEW_BASE_BITS_H
#define CLEW_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct bits {
    uint64_t *words;
    size_t count; /* numbers 0 .. count-1 fit */
};

static inline struct bits bits_take(struct arena *a, size_t count)
{
    return (struct bits){.words = arena_array(a, uint64_t, (count + 63) / 64), .count = count};
}

static inline bool bits_has(struct bits b, size_t i)
{
    must(i < b.count);
    return (b.words[i / 64] >> (i % 64) & 1) != 0;
}

static inline void bits_add(struct bits b, size_t i)
{
    must(i < b.count);
    b.words[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void bits_remove(struct bits b, size_t i)
{
    must(i < b.count);
    b.words[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

#endif
