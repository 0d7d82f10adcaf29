/* Hashes of memory that changes little between one look and the next. The hashed bytes are kept as
 * an image, page by page and in each page block by block: only blocks that differ from the image
 * are hashed again. Comparing is several times faster than hashing, and needs no record of writes.
 */
#ifndef CLEW_SIM_MEMORY_HASH_H
#define CLEW_SIM_MEMORY_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* {0} is of nothing. */
struct image {
    VEC(char) bytes;
    VEC(uint64_t) hashes; /* a block each */
    uint64_t sum;         /* of them */
};

/* Of these bytes, whatever the image was of before; 0 when there are none. Where `fresh` is not
 * NULL, words that are as there do not count; it must be the same each time. */
uint64_t image_hash(struct image *m, const char *bytes, size_t size, const char *fresh);
/* The difference of memory from an earlier copy of it, as a number: 0 when they are the same.
 * Differences of successive changes add up. `whose` sets those of one memory apart from those of
 * others. */
struct image_bytes {
    const char *at;
    size_t size;
};
uint64_t image_change(const struct image_bytes *before, const struct image_bytes *now,
                      uint32_t whose);

void image_release(struct image *m);

#endif
