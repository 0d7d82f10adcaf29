/* Memory that the program maps and unmaps. Each private mapping is an object of its own, like a
 * block of malloc, even if another one was at the same addresses before. Unmapping writes to the
 * words that other tasks have used. Only processes with instrumented code record either. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_MAPPING_H
#define CLEW_RUNTIME_RECORD_HOOKS_MAPPING_H

#include <stddef.h>

/* Called around mmap: before it, because it may replace another mapping; after it, with its result,
 * which the function returns. */
void memory_maps(const void *wanted, size_t size, int flags, const void *place);
void *memory_mapped(void *start, size_t size, int flags, const void *place);

/* Before a call of munmap. */
void memory_unmaps(const void *start, size_t size, const void *place);

/* As mremap, of memory that no other process shares. */
void *memory_remap(void *start, size_t size, size_t size_new, int flags, void *wanted,
                   const void *place);

#endif
