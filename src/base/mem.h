/* The heap, and the one place where its end is handled. Nothing here returns NULL: when memory
 * ends, mem_on_failure's handler runs and does not come back. */
#ifndef CLEW_BASE_MEM_H
#define CLEW_BASE_MEM_H

#include <stddef.h>

#include "wire/must.h"

/* Who is told that memory has ended; must not return. The default reports a bug: cli/ and tests set
 * their own. */
void mem_on_failure(void (*handler)(size_t size));

/* `size` bytes, not cleared. A large block (from 128 KiB on) is grown without copying or touching.
 */
MUST_USE void *mem_resize(void *block, size_t size);
MUST_USE void *mem_zero(size_t count, size_t size);
/* The text's first `size` bytes, with a NUL behind. */
MUST_USE char *mem_text(const char *text, size_t size);
void mem_free(void *block);

/* At least `size` bytes, not cleared, as large pages where the system has them: for what is read
 * and written here and there. */
enum { MEM_LARGE_PAGE = 2 << 20 };
MUST_USE void *mem_large(size_t size);

/* count * size; memory's end when that overflows. */
size_t mem_product(size_t count, size_t size);

#endif
