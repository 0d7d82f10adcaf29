/* zstd with memory from base/mem, so that its exhaustion is handled, and tested, as everywhere. */
#ifndef CLEW_TRACE_ZSTD_MEM_H
#define CLEW_TRACE_ZSTD_MEM_H

#define ZSTD_STATIC_LINKING_ONLY /* for custom allocators */
#include <zstd.h>

#include "base/mem.h"

static inline void *zstd_mem_new(void *context, size_t size)
{
    (void)context;
    return mem_resize(NULL, size);
}

static inline void zstd_mem_free(void *context, void *block)
{
    (void)context;
    mem_free(block);
}

static inline ZSTD_customMem zstd_mem(void)
{
    return (ZSTD_customMem){zstd_mem_new, zstd_mem_free, NULL};
}

#endif
