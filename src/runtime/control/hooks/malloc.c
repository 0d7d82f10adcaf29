/* malloc and its kin, from runtime/control/model/heap.h. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/model/heap.h"
#include "runtime/control/sched/watched_variables.h"

enum { ALIGNMENT = 16 };

/* Who asked for what malloc is about to give, when that is not its caller. */
static __thread const void *outer_place;

#define PLACE_ASKED (outer_place != NULL ? outer_place : RT_PLACE)

/* Freeing what others have used before is a step of its own: they could have come later, and found
 * it gone. */
static void take_free(const void *block, const void *place)
{
    if (control_is_on && control_is_mine() && task_has_others() &&
        heap_is_shared((uintptr_t)block, control_self->number)) {
        (void)sched_take(&(struct act){.kind = EVENT_FREE,
                                       .object = block,
                                       .writes = true,
                                       .is_of_block = true,
                                       .place = place});
    }
}

static void put(void *block, const void *place)
{
    if (block == NULL) {
        return;
    }
    if (control_is_on) {
        bulk_settle();
        place = (const void *)frames_call(&control_self->frames, (uintptr_t)place);
    }
    if (control != NULL) {
        watch_look(place);
        take_free(block, place);
    }
    switch (heap_put(block, place)) {
    case HEAP_FREED_NOW: break;
    case HEAP_FREED_BEFORE:
        if (control_is_on) {
            control_end(&(struct ending){.end = CONTROL_MISUSED,
                                         .value = CONTROL_DOUBLE_FREE,
                                         .address = (uintptr_t)block,
                                         .text = "memory is freed twice"});
        }
        break;
    case HEAP_FOREIGN:
        if (control_is_on) {
            control_end(&(struct ending){.end = CONTROL_MISUSED,
                                         .value = CONTROL_DOUBLE_FREE,
                                         .address = (uintptr_t)block,
                                         .text = "what is freed is no block of memory"});
        }
        break;
    }
}

static void *moved(void *block, size_t size, const void *place)
{
    if (control_is_on) {
        bulk_settle();
    }
    void *fresh = heap_take(size, ALIGNMENT, place);
    if (fresh != NULL && block != NULL) {
        const size_t before = heap_size(block);
        memcpy(fresh, block, before < size ? before : size);
        put(block, place);
    }
    return fresh;
}

RT_EXPORT void *malloc(size_t size)
{
    return heap_take(size, ALIGNMENT, PLACE_ASKED);
}

/* The hook itself, which no other malloc replaces. */
extern void *own_malloc(size_t size)
    __attribute__((alias("malloc"), visibility("hidden"), malloc, nothrow, leaf, alloc_size(1)));

RT_EXPORT void *calloc(size_t count, size_t size)
{
    size_t whole = 0;
    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return heap_take(whole, ALIGNMENT, RT_PLACE);
}

RT_EXPORT void *realloc(void *block, size_t size)
{
    if (block != NULL && size == 0) {
        put(block, RT_PLACE);
        return NULL;
    }
    return moved(block, size, RT_PLACE);
}

RT_EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
    size_t whole = 0;
    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    /* A program with a malloc of its own gets its blocks from there, and frees them there. */
    void *(*volatile resolved)(size_t) = malloc; /* compilers take two names for two functions */
    return resolved == own_malloc ? moved(block, whole, RT_PLACE) : realloc(block, whole);
}

RT_EXPORT void free(void *block)
{
    put(block, RT_PLACE);
}

static bool is_power(size_t alignment)
{
    return alignment != 0 && (alignment & (alignment - 1)) == 0;
}

RT_EXPORT int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (!is_power(alignment) || alignment % sizeof(void *) != 0) {
        return EINVAL;
    }
    const int saved = errno;
    void *made = heap_take(size, alignment, RT_PLACE);
    errno = saved;
    if (made == NULL) {
        return ENOMEM;
    }
    *block = made;
    return 0;
}

static void *aligned(size_t alignment, size_t size, const void *place)
{
    if (!is_power(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    return heap_take(size, alignment, place);
}

RT_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return aligned(alignment, size, PLACE_ASKED);
}

RT_EXPORT void *memalign(size_t alignment, size_t size)
{
    return aligned(alignment, size, RT_PLACE);
}

RT_EXPORT void *valloc(size_t size)
{
    return heap_take(size, 4096, RT_PLACE);
}

RT_EXPORT size_t malloc_usable_size(void *block)
{
    return block == NULL ? 0 : heap_size(block);
}

static void outer_end(const void *const *before)
{
    outer_place = *before;
}

#define NEW_REAL(name) libc.name

NEW_HOOK(_Znwm, (size_t size), (size), abort())
NEW_HOOK(_Znam, (size_t size), (size), abort())
NEW_HOOK(_ZnwmSt11align_val_t, (size_t size, size_t alignment), (size, alignment), abort())
NEW_HOOK(_ZnamSt11align_val_t, (size_t size, size_t alignment), (size, alignment), abort())
NEW_HOOK(_ZnwmRKSt9nothrow_t, (size_t size, const void *tag), (size, tag), return NULL)
NEW_HOOK(_ZnamRKSt9nothrow_t, (size_t size, const void *tag), (size, tag), return NULL)
