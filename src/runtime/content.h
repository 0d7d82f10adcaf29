/* What is sent, as a number: equal bytes have equal numbers. FNV-1a. */
#ifndef CLEW_RUNTIME_CONTENT_H
#define CLEW_RUNTIME_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#define CONTENT_NONE 0xcbf29ce484222325u /* the number of no bytes */

/* The number of what has the number `hash`, and these bytes behind it. */
static inline uint64_t content_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ b[i]) * 0x100000001b3u;
    }
    return hash;
}

#endif
