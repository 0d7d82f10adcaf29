/* yajl with the project's own heap, so that the end of memory is handled where it always is. */
#ifndef CLEW_IMPORT_YAJL_MEMORY_H
#define CLEW_IMPORT_YAJL_MEMORY_H

#include <yajl/yajl_parse.h>

#include "base/mem.h"

static inline void *yajl_memory_take(void *context, size_t size)
{
    (void)context;
    return mem_resize(NULL, size > 0 ? size : 1);
}

static inline void *yajl_memory_resize(void *context, void *block, size_t size)
{
    (void)context;
    return mem_resize(block, size > 0 ? size : 1);
}

static inline void yajl_memory_give_back(void *context, void *block)
{
    (void)context;
    mem_free(block);
}

/* A new parser; never NULL. yajl_free releases it. */
static inline yajl_handle yajl_memory_parser(const yajl_callbacks *callbacks, void *context)
{
    yajl_alloc_funcs memory = {
        .malloc = yajl_memory_take, .realloc = yajl_memory_resize, .free = yajl_memory_give_back};
    yajl_handle parser = yajl_alloc(callbacks, &memory, context);
    must(parser != NULL);
    return parser;
}

#endif
