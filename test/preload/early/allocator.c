/* An allocator with one lock, as the large ones have: it must not be entered again by the thread
 * that is in it, which is what happens when a function that it calls allocates. Blocks come from
 * one array and are not reused. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 8 << 20, UNIT = 16 };

static _Alignas(UNIT) unsigned char memory[SIZE];
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread bool is_inside __attribute__((tls_model("initial-exec")));

static void refuse(const char *text)
{
    (void)!write(2, text, strlen(text));
    abort();
}

static void enter(void)
{
    if (is_inside) {
        refuse("allocator: entered again\n");
    }
    is_inside = true;

    if (pthread_mutex_lock(&lock) != 0) {
        refuse("allocator: no lock\n");
    }
}

static void leave(void)
{
    if (pthread_mutex_unlock(&lock) != 0) {
        refuse("allocator: not locked\n");
    }
    is_inside = false;
}

/* The size lies before the block. */
static void *take(size_t size, size_t alignment)
{
    alignment = alignment < UNIT ? UNIT : alignment;
    enter();
    const size_t start = (used + UNIT + alignment - 1) / alignment * alignment;
    const bool has_room = size <= SIZE && start + size <= SIZE;
    if (has_room) {
        used = start + size;
        memcpy(memory + start - UNIT, &size, sizeof size);
    }
    leave();
    errno = has_room ? errno : ENOMEM;
    return has_room ? memory + start : NULL;
}

static size_t size_of(const void *block)
{
    size_t size = 0;
    if (block != NULL) {
        const unsigned char *at = block;
        if (at < memory + UNIT || at >= memory + SIZE) {
            refuse("allocator: the block is another's\n");
        }
        memcpy(&size, at - UNIT, sizeof size);
    }
    return size;
}

void *malloc(size_t size)
{
    return take(size, UNIT);
}

void *calloc(size_t count, size_t size)
{
    return take(count * size, UNIT);
}

void *realloc(void *block, size_t size)
{
    const size_t before = size_of(block);
    void *fresh = take(size, UNIT);
    if (fresh != NULL && block != NULL) {
        memcpy(fresh, block, before < size ? before : size);
    }
    return fresh;
}

void free(void *block)
{
    (void)size_of(block);
    enter();
    leave();
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = take(size, alignment);
    return *block == NULL ? ENOMEM : 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return take(size, alignment);
}

void *memalign(size_t alignment, size_t size)
{
    return take(size, alignment);
}

size_t malloc_usable_size(void *block)
{
    return size_of(block);
}
