/* The heap, and the one place that handles its exhaustion. No function here returns NULL: on
 * failure mem_on_failure's handler runs and does not return. */
#ifndef CLEW_BASE_MEM_H
#define CLEW_BASE_MEM_H

#include <stddef.h>

#include "wire/must.h"

/* Sets the handler for out of memory, which must not return. The default reports a bug: cli/ and
 * tests set their own. */
void mem_on_failure(void (*handler)(size_t size));

/* Resizes to `size` bytes, not cleared. A large block (from 128 KiB on) grows by remapping, without
 * a copy. */
MUST_USE void *mem_resize(void *block, size_t size);
MUST_USE void *mem_zero(size_t count, size_t size);
/* The text's first `size` bytes, with a NUL behind. */
MUST_USE char *mem_text(const char *text, size_t size);
void mem_free(void *block);

/* At least `size` bytes, not cleared, as huge pages where the system has them: for random access.
 */
enum { MEM_LARGE_PAGE = 2 << 20 };
MUST_USE void *mem_large(size_t size);

/* count * size; out of memory when that overflows. */
size_t mem_product(size_t count, size_t size);

#endif
