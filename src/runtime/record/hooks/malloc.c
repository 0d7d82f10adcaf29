/* Hooks of allocation and release: the malloc family, and C++'s operators new, which call it.
 *
 * In a process without instrumented code they only call the real function. An
 * allocation is recorded after the real call and a release before it, so that the lives of two
 * blocks at one address never overlap in the trace.
 *
 * The functions behind these are not in real.h's list: finding those may itself allocate. Requests
 * during the lookup are served from a small static store, which is never freed. */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/record/hooks/mapping.h"
#include "runtime/record/hooks/shared_memory_ids.h"
#include "runtime/record/log/call_paths.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/access.h"
#include "runtime/shared/frames.h"
#include "runtime/shared/operator_new.h"
#include "runtime/shared/real.h"

enum { STORE_SIZE = 1 << 16, ALIGNMENT = 16 };

#define MEMORY_LIST(FUNCTION)                                \
    FUNCTION(void *, malloc, (size_t))                       \
    FUNCTION(void *, calloc, (size_t, size_t))               \
    FUNCTION(void *, realloc, (void *, size_t))              \
    FUNCTION(void, free, (void *))                           \
    FUNCTION(int, posix_memalign, (void **, size_t, size_t)) \
    FUNCTION(void *, aligned_alloc, (size_t, size_t))        \
    FUNCTION(void *, memalign, (size_t, size_t))             \
    FUNCTION(size_t, malloc_usable_size, (void *))           \
    NEW_LIST(FUNCTION)

static struct {
#define FUNCTION(result, name, parameters) result(*name) parameters;
    MEMORY_LIST(FUNCTION)
#undef FUNCTION
} real;

static _Atomic int finding; /* 0 not yet, 1 under way, 2 done */
static _Alignas(ALIGNMENT) unsigned char store[STORE_SIZE];
static _Atomic size_t store_used;

/* POSIX lets dlsym's object pointer be a function pointer; ISO C does not, hence the union. */
static void find_one(void (**slot)(void), const char *name)
{
    union {
        void *object;
        void (*function)(void);
    } found = {.object = dlsym(RTLD_NEXT, name)};
    *slot = found.function;
}

/* False while these functions, or those of real.h, are being found: the caller must do without
 * them. */
static bool is_ready(void)
{
    if (__builtin_expect(atomic_load_explicit(&finding, memory_order_acquire) == 2, 1)) {
        return real_lookups == 0;
    }
    int before = 0;
    if (!atomic_compare_exchange_strong(&finding, &before, 1)) {
        return before == 2;
    }
#define FUNCTION(result, name, parameters) find_one((void (**)(void)) & real.name, #name);
    MEMORY_LIST(FUNCTION)
#undef FUNCTION
    atomic_store_explicit(&finding, 2, memory_order_release);
    return true;
}

static void *store_take(size_t size)
{
    const size_t room = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t at = atomic_fetch_add_explicit(&store_used, room, memory_order_relaxed);
    if (room < size || at > STORE_SIZE || room > STORE_SIZE - at) {
        errno = ENOMEM;
        return NULL;
    }
    return store + at;
}

static bool is_of_store(const void *block)
{
    return (const unsigned char *)block >= store &&
           (const unsigned char *)block < store + STORE_SIZE;
}

/* Where the program asked, while a function between it and malloc is at work. */
static __thread const void *outer_place;

/* The loader allocates in the middle of a dlopen: its modules are recorded after it has returned.
 */
static void record(enum event_kind kind, const void *block, size_t size, const void *place)
{
    const bool has_loaded = rt_self.has_loaded;
    const uint64_t origin = calls_origin(outer_place != NULL ? outer_place : place, FRAMES_LISTED);
    rt_self.has_loaded = false;
    (void)rt_record((struct rt_event){.kind = kind,
                                      .has_size = kind == EVENT_ALLOC,
                                      .size = size,
                                      .object = block,
                                      .place = (const void *)(uintptr_t)origin});
    rt_self.has_loaded = has_loaded;
}

static bool is_wanted(void)
{
    return access_is_told() && rt_is_recording() && rt_self.ignore == 0;
}

/* Memory of `size` bytes that the program requested. `room` is the usable size of the block. */
static void *handed_out(void *start, size_t size, size_t room, const void *place)
{
    const int saved = errno;
    access_clear(start, room);
    record(EVENT_ALLOC, start, size, place);
    errno = saved;
    return start;
}

/* The padding behind a block belongs to it: an earlier, longer block there has ended. Recorded
 * where the program ignores accesses too, or later uses would be uses of the block that lay there
 * before.
 */
static void *allocated(void *block, size_t size, const void *place)
{
    return block != NULL && access_is_told() && rt_is_recording() && !rt_self.is_at_own_work
               ? handed_out(block, size, real.malloc_usable_size(block), place)
               : block;
}

static void freed(void *block, const void *place)
{
    if (block != NULL && is_wanted()) {
        access_end(block, real.malloc_usable_size(block), calls_of_program(place));
        record(EVENT_FREE, block, 0, place);
        access_freed(block, real.malloc_usable_size(block));
    }
}

/* ---- mappings ---- */

/* The kernel maps whole pages. */
static size_t pages(size_t size)
{
    return (size + 4095) & ~(size_t)4095;
}

static void *mapped(void *start, size_t size, const void *place)
{
    return is_wanted() ? handed_out(start, size, size, place) : start;
}

/* Memory that processes share stays where others have mapped it. */
void memory_unmaps(const void *start, size_t size, const void *place)
{
    if (size > 0 && is_wanted() && !shared_has(start)) {
        const int saved = errno;
        access_end(start, pages(size), calls_of_program(place));
        record(EVENT_FREE, start, 0, place);
        errno = saved;
    }
}

void memory_maps(const void *wanted, size_t size, int flags, const void *place)
{
    if ((flags & MAP_FIXED) != 0) {
        memory_unmaps(wanted, size, place);
    }
}

void *memory_mapped(void *start, size_t size, int flags, const void *place)
{
    const bool is_own = (flags & MAP_TYPE) == MAP_PRIVATE;
    return start == MAP_FAILED || !is_own ? start : mapped(start, pages(size), place);
}

static void *remap(void *start, size_t size, size_t size_new, int flags, void *wanted)
{
    return (void *)syscall(SYS_mremap, start, size, size_new, (long)flags, wanted);
}

/* A mapping that stays in place keeps its name. The hook first tries to resize in place: a move
 * must be recorded before another task can get the old pages. */
void *memory_remap(void *start, size_t size, size_t size_new, int flags, void *wanted,
                   const void *place)
{
    const int movers = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
    const size_t before = pages(size);
    const size_t after = pages(size_new);
    if (!is_wanted() || size == 0) {
        return remap(start, size, size_new, flags, wanted);
    }
    if (after < before) {
        memory_unmaps((char *)start + after, before - after, place);
    }
    if ((flags & (movers & ~MREMAP_MAYMOVE)) == 0) {
        void *stayed = remap(start, size, size_new, flags & ~movers, NULL);
        if (stayed != MAP_FAILED || (flags & MREMAP_MAYMOVE) == 0) {
            if (stayed != MAP_FAILED && after > before) {
                (void)mapped((char *)start + before, after - before, place);
            }
            return stayed;
        }
    }
    memory_unmaps(start, size, place);
    memory_unmaps(wanted, (flags & MREMAP_FIXED) != 0 ? size_new : 0, place);
    void *moved = remap(start, size, size_new, flags, wanted);
    if (moved == MAP_FAILED || (flags & MREMAP_DONTUNMAP) != 0) {
        (void)mapped(start, before, place);
    }
    return moved == MAP_FAILED ? moved : mapped(moved, after, place);
}

RT_EXPORT void *malloc(size_t size)
{
    return is_ready() ? allocated(real.malloc(size), size, RT_PLACE) : store_take(size);
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
    return is_ready() ? allocated(real.calloc(count, size), whole, RT_PLACE) : store_take(whole);
}

RT_EXPORT void free(void *block)
{
    if (!is_of_store(block) && is_ready()) {
        freed(block, RT_PLACE);
        real.free(block);
    }
}

/* The size of a block of the store is not known: the bytes behind it are copied, too. A block of
 * the allocator that is resized while functions are being found keeps its bytes up to its usable
 * size. */
static void *moved_from_store(const void *block, size_t size)
{
    void *fresh = is_ready() ? real.malloc(size) : store_take(size);
    if (fresh != NULL && is_of_store(block)) {
        const size_t left = (size_t)(store + STORE_SIZE - (const unsigned char *)block);
        memmove(fresh, block, size < left ? size : left);
    } else if (fresh != NULL && block != NULL && real.malloc_usable_size != NULL) {
        const size_t before = real.malloc_usable_size((void *)(uintptr_t)block);
        memcpy(fresh, block, size < before ? size : before);
    }
    return fresh;
}

/* A block that grows counts as a new one, even in place. The states of its old words are useless:
 * no other task may use them during the call. */
static void *reallocated(void *block, size_t size, const void *place)
{
    if (!is_ready() || is_of_store(block)) {
        return moved_from_store(block, size);
    }
    freed(block, place);
    void *moved = real.realloc(block, size);
    if (moved == NULL && block != NULL && size > 0) {
        (void)allocated(block, real.malloc_usable_size(block), place);
        return NULL;
    }
    return allocated(moved, size, place);
}

RT_EXPORT void *realloc(void *block, size_t size)
{
    return reallocated(block, size, RT_PLACE);
}

/* False in a program with its own malloc: the loader then resolves `malloc` to that one. These
 * hooks must then take blocks from there, because the program frees them there. */
static bool is_malloc_ours(void)
{
    void *(*volatile resolved)(size_t) = malloc; /* compilers take two names for two functions */
    return resolved == own_malloc;
}

RT_EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
    size_t whole = 0;
    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return is_malloc_ours() ? reallocated(block, whole, RT_PLACE) : realloc(block, whole);
}

static void *new_block(size_t size, const void *place)
{
    if (!is_malloc_ours()) {
        return malloc(size);
    }
    return is_ready() ? allocated(real.malloc(size), size, place) : store_take(size);
}

/* Copies of text are the program's blocks, not libc's. */
static char *duplicated(const char *text, size_t size, const void *place)
{
    char *copy = new_block(size + 1, place);
    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = 0;
    }
    return copy;
}

RT_EXPORT char *strdup(const char *text)
{
    return duplicated(text, strlen(text), RT_PLACE);
}

RT_EXPORT char *strndup(const char *text, size_t size)
{
    return duplicated(text, strnlen(text, size), RT_PLACE);
}

RT_EXPORT int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (!is_ready()) {
        return ENOMEM;
    }
    const int result = real.posix_memalign(block, alignment, size);
    if (result == 0) {
        (void)allocated(*block, size, RT_PLACE);
    }
    return result;
}

RT_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return is_ready() ? allocated(real.aligned_alloc(alignment, size), size, RT_PLACE) : NULL;
}

RT_EXPORT void *memalign(size_t alignment, size_t size)
{
    return is_ready() ? allocated(real.memalign(alignment, size), size, RT_PLACE) : NULL;
}

static void outer_end(const void *const *before)
{
    outer_place = *before;
}

#define NEW_REAL(name) (is_ready() ? real.name : NULL)

NEW_HOOK(_Znwm, (size_t size), (size), abort())
NEW_HOOK(_Znam, (size_t size), (size), abort())
NEW_HOOK(_ZnwmSt11align_val_t, (size_t size, size_t alignment), (size, alignment), abort())
NEW_HOOK(_ZnamSt11align_val_t, (size_t size, size_t alignment), (size, alignment), abort())
NEW_HOOK(_ZnwmRKSt9nothrow_t, (size_t size, const void *tag), (size, tag), return NULL)
NEW_HOOK(_ZnamRKSt9nothrow_t, (size_t size, const void *tag), (size, tag), return NULL)
