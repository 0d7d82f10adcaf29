#include "base/mem.h"
#include "formats.h"
#include "fuzz.h"
#include "trace/chunk.h"

/* Makes the sizes and hashes of every chunk right again, so that what was changed in a payload gets
 * past them. */
static void seal_again(uint8_t *bytes, size_t size)
{
    uint64_t hash = 0;
    for (size_t at = 0; size - at >= CHUNK_HEADER_SIZE;) {
        struct chunk c;
        (void)chunk_open(&c, bytes + at, hash);
        const size_t rest = size - at - CHUNK_HEADER_SIZE;
        c.size = c.size < rest ? c.size : (uint32_t)rest;
        c.header_hash = hash;
        chunk_seal(&c, bytes + at + CHUNK_HEADER_SIZE, bytes + at);
        hash = c.header_hash;
        at += CHUNK_HEADER_SIZE + c.size;
    }
}

FUZZ_ENTRY(native)
{
    fuzz_format(&format_native, bytes, size);
    uint8_t *copy = mem_resize(NULL, size + 1);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    seal_again(copy, size);
    fuzz_format(&format_native, copy, size);
    mem_free(copy);
}
