/* The chunk: native files are a sequence of chunks without gaps.
 *
 *      0  magic    89 43 4c 57
 *      4  version  1                                  a reader refuses a larger one
 *      6  type     enum chunk_type                    a reader skips an unknown one
 *      7  packing  0: none, 1: zstd
 *      8  size of the payload here
 *     12  size of the payload unpacked
 *     16  XXH3-64 of the payload here
 *     24  XXH3-64 of bytes 0 to 23, seeded with this field of the chunk before (the first: 0)
 *     32  payload
 *
 * All numbers are little-endian. The seed chains the chunks: a reader detects a missing, repeated,
 * moved or foreign chunk, and every changed bit. */
#ifndef CLEW_TRACE_CHUNK_H
#define CLEW_TRACE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    CHUNK_VERSION = 1,
    CHUNK_HEADER_SIZE = 32,
    CHUNK_SIZE_MAX =
        4 << 20, /* of a payload, packed or not, so that reading takes bounded memory */
};

enum chunk_type {
    CHUNK_META = 1,   /* properties of the trace; the first chunk, once */
    CHUNK_NAMES = 2,  /* names since the last */
    CHUNK_TASKS = 3,  /* tasks since the last */
    CHUNK_EVENTS = 4, /* events, column by column */
    CHUNK_END = 5,    /* the totals; the last chunk, missing in an unfinished recording */
};

enum chunk_packing { PACKING_NONE = 0, PACKING_ZSTD = 1 };

struct chunk {
    uint16_t version;
    uint8_t type;
    uint8_t packing;
    uint32_t size;
    uint32_t size_unpacked;
    uint64_t payload_hash;
    uint64_t header_hash;
};

/* True when the bytes begin with the magic of a chunk. */
bool chunk_has_magic(const void *bytes, size_t size);

/* Writes the header of a chunk with this payload, filling in both hashes of c; header_hash must be
 * that of the chunk before. */
void chunk_seal(struct chunk *c, const void *payload, uint8_t header[CHUNK_HEADER_SIZE]);

/* Reads a header. False when it was changed after writing or does not follow the chunk with the
 * header hash hash_before; c is then undefined. */
bool chunk_open(struct chunk *c, const uint8_t header[CHUNK_HEADER_SIZE], uint64_t hash_before);

/* Whether the payload is the one that was written. */
bool chunk_has_payload(const struct chunk *c, const void *payload);

static inline uint32_t load_u32(const uint8_t *from)
{
    uint32_t number;
    memcpy(&number, from, sizeof number);
    return number;
}

static inline uint64_t load_u64(const uint8_t *from)
{
    uint64_t number;
    memcpy(&number, from, sizeof number);
    return number;
}

static inline void save_u32(uint8_t *to, uint32_t number)
{
    memcpy(to, &number, sizeof number);
}

static inline void save_u64(uint8_t *to, uint64_t number)
{
    memcpy(to, &number, sizeof number);
}

#endif
