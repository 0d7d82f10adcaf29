/* Memory that the program maps and unmaps. Each mapping that no other process shares is an object
 * of its own, like a block of malloc's, also where another lay at the same addresses before.
 * Unmapping writes to what other tasks have used of it. Only processes with instrumented code
 * record either. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_MAPPING_H
#define CLEW_RUNTIME_RECORD_HOOKS_MAPPING_H

#include <stddef.h>

/* Around a call of mmap: before it, because it may take the place of another mapping; after it,
 * with what it returned, which is returned. */
void memory_maps(const void *wanted, size_t size, int flags, const void *place);
void *memory_mapped(void *start, size_t size, int flags, const void *place);

/* Before a call of munmap. */
void memory_unmaps(const void *start, size_t size, const void *place);

/* As mremap, of memory that no other process shares. */
void *memory_remap(void *start, size_t size, size_t size_new, int flags, void *wanted,
                   const void *place);

#endif
