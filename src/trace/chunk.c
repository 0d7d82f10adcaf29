#include "trace/chunk.h"

#include <xxhash.h>

/* The first byte is no text and no UTF-8, so that no text file is taken for a trace. */
static const uint8_t magic[4] = {0x89, 'C', 'L', 'W'};

enum { PAYLOAD_HASH_AT = 16, HEADER_HASH_AT = 24 };

bool chunk_has_magic(const void *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

void chunk_seal(struct chunk *c, const void *payload, uint8_t header[CHUNK_HEADER_SIZE])
{
    memcpy(header, magic, sizeof magic);
    memcpy(header + 4, &c->version, sizeof c->version);
    header[6] = c->type;
    header[7] = c->packing;
    save_u32(header + 8, c->size);
    save_u32(header + 12, c->size_unpacked);
    c->payload_hash = XXH3_64bits(payload, c->size);
    save_u64(header + PAYLOAD_HASH_AT, c->payload_hash);
    c->header_hash = XXH3_64bits_withSeed(header, HEADER_HASH_AT, c->header_hash);
    save_u64(header + HEADER_HASH_AT, c->header_hash);
}

bool chunk_open(struct chunk *c, const uint8_t header[CHUNK_HEADER_SIZE], uint64_t hash_before)
{
    memcpy(&c->version, header + 4, sizeof c->version);
    c->type = header[6];
    c->packing = header[7];
    c->size = load_u32(header + 8);
    c->size_unpacked = load_u32(header + 12);
    c->payload_hash = load_u64(header + PAYLOAD_HASH_AT);
    c->header_hash = load_u64(header + HEADER_HASH_AT);
    return chunk_has_magic(header, CHUNK_HEADER_SIZE) &&
           XXH3_64bits_withSeed(header, HEADER_HASH_AT, hash_before) == c->header_hash;
}

bool chunk_has_payload(const struct chunk *c, const void *payload)
{
    return XXH3_64bits(payload, c->size) == c->payload_hash;
}
