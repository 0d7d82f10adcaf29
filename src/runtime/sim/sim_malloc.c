/* malloc, free and the like for simulated systems: memory of the calling node. */
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sim/sim_calls.h"

enum { ALIGNMENT = 16 };

static void *take(size_t size, size_t alignment)
{
    void *block = sim_calls()->take(size, alignment);
    if (block == NULL) {
        errno = ENOMEM;
    }
    return block;
}

SIM_LIBC void *malloc(size_t size)
{
    return take(size, ALIGNMENT);
}

SIM_LIBC void *calloc(size_t count, size_t size)
{
    size_t product = 0;
    if (__builtin_mul_overflow(count, size, &product)) {
        errno = ENOMEM;
        return NULL;
    }
    return take(product, ALIGNMENT); /* which the simulator clears */
}

static void give(void *block)
{
    if (block != NULL) {
        sim_calls()->give(block);
    }
}

static void *resize(void *block, size_t size)
{
    if (block == NULL) {
        return take(size, ALIGNMENT);
    }
    if (size == 0) {
        sim_calls()->give(block);
        return NULL;
    }
    void *resized = sim_calls()->resize(block, size);
    if (resized == NULL) {
        errno = ENOMEM;
    }
    return resized;
}

SIM_LIBC void *realloc(void *block, size_t size)
{
    return resize(block, size);
}

SIM_LIBC void *reallocarray(void *block, size_t count, size_t size)
{
    size_t product = 0;
    if (__builtin_mul_overflow(count, size, &product)) {
        errno = ENOMEM;
        return NULL;
    }
    return resize(block, product);
}

SIM_LIBC void free(void *block)
{
    give(block);
}

SIM_LIBC void free_sized(void *block, size_t size);
SIM_LIBC void free_sized(void *block, size_t size)
{
    (void)size;
    give(block);
}

static void *take_aligned(size_t alignment, size_t size)
{
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        errno = EINVAL;
        return NULL;
    }
    return take(size, alignment);
}

SIM_LIBC void *aligned_alloc(size_t alignment, size_t size)
{
    return take_aligned(alignment, size);
}

SIM_LIBC void *memalign(size_t alignment, size_t size)
{
    return take_aligned(alignment, size);
}

SIM_LIBC void *valloc(size_t size)
{
    enum { PAGE_SIZE = 4096 };
    return take(size, PAGE_SIZE);
}

SIM_LIBC int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    void *taken = sim_calls()->take(size, alignment);
    if (taken == NULL) {
        return ENOMEM;
    }
    *block = taken;
    return 0;
}

SIM_LIBC size_t malloc_usable_size(void *block)
{
    return block == NULL ? 0 : sim_calls()->size(block);
}

/* Texts. The system may define a public function itself, so nothing here calls one. */

static char *copy(const char *text, size_t size_max)
{
    const size_t size = strnlen(text, size_max);
    char *copied = take(size + 1, ALIGNMENT);
    if (copied != NULL) {
        memcpy(copied, text, size);
        copied[size] = '\0';
    }
    return copied;
}

SIM_LIBC char *strndup(const char *text, size_t size_max)
{
    return copy(text, size_max);
}

SIM_LIBC char *strdup(const char *text)
{
    return copy(text, SIZE_MAX - 1);
}

SIM_LIBC char *__strdup(const char *text);
SIM_LIBC char *__strdup(const char *text)
{
    return copy(text, SIZE_MAX - 1);
}

SIM_LIBC char *__strndup(const char *text, size_t size_max);
SIM_LIBC char *__strndup(const char *text, size_t size_max)
{
    return copy(text, size_max);
}

__attribute__((format(printf, 2, 0))) static int print(char **text, const char *format,
                                                       va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *taken = size < 0 ? NULL : take((size_t)size + 1, ALIGNMENT);
    if (taken == NULL) {
        return -1;
    }
    *text = taken;
    return vsnprintf(taken, (size_t)size + 1, format, arguments);
}

SIM_LIBC int vasprintf(char **text, const char *format, va_list arguments)
{
    return print(text, format, arguments);
}

SIM_LIBC int asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = print(text, format, arguments);
    va_end(arguments);
    return size;
}

SIM_LIBC __attribute__((format(printf, 3, 0))) int
__vasprintf_chk(char **text, int flag, const char *format, va_list arguments);
SIM_LIBC int __vasprintf_chk(char **text, int flag, const char *format, va_list arguments)
{
    (void)flag;
    return print(text, format, arguments);
}

SIM_LIBC __attribute__((format(printf, 3, 4))) int __asprintf_chk(char **text, int flag,
                                                                  const char *format, ...);
SIM_LIBC int __asprintf_chk(char **text, int flag, const char *format, ...)
{
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    const int size = print(text, format, arguments);
    va_end(arguments);
    return size;
}
