#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fault_injection.h"

static void fail_by_default(size_t size)
{
    (void)size;
    bug("out of memory and nobody handles it");
}

static void (*on_failure)(size_t size) = fail_by_default;

void mem_on_failure(void (*handler)(size_t size))
{
    on_failure = handler;
}

static void *checked(void *block, size_t size)
{
    if (block == NULL) {
        on_failure(size);
        bug("the handler of memory's end came back");
    }
    return block;
}

size_t mem_product(size_t count, size_t size)
{
    size_t product = 0;
    if (__builtin_mul_overflow(count, size, &product)) {
        (void)checked(NULL, SIZE_MAX);
    }
    return product;
}

void *mem_resize(void *block, size_t size)
{
    must(size > 0);
    return checked(seam_fails() ? NULL : realloc(block, size), size);
}

void *mem_zero(size_t count, size_t size)
{
    const size_t total = mem_product(count, size);
    return checked(seam_fails() ? NULL : calloc(total > 0 ? total : 1, 1), total);
}

char *mem_text(const char *text, size_t size)
{
    char *copy = mem_resize(NULL, size + 1);
    if (size > 0) {
        memcpy(copy, text, size);
    }
    copy[size] = '\0';
    return copy;
}

void *mem_large(size_t size)
{
    must(size <= SIZE_MAX - MEM_LARGE_PAGE);
    const size_t whole = (size + MEM_LARGE_PAGE - 1) / MEM_LARGE_PAGE * MEM_LARGE_PAGE;
    void *block = checked(seam_fails() ? NULL : aligned_alloc(MEM_LARGE_PAGE, whole), whole);
    (void)madvise(block, whole, MADV_HUGEPAGE); /* advice that the kernel may ignore */
    return block;
}

void mem_free(void *block)
{
    free(block);
}
