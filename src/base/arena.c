#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

enum { BLOCK_SIZE_MIN = 4096, BLOCK_SIZE_MAX = 1 << 20, ALIGN_MAX = 64 };

struct arena_block {
    struct arena_block *before;
    size_t used;
    size_t size;
    alignas(ALIGN_MAX) unsigned char bytes[];
};

size_t arena_product(size_t count, size_t size)
{
    return mem_product(count, size);
}

/* Allocates a block. Blocks double with the arena up to a megabyte, so that a small arena stays
 * small and a large one has few blocks; a larger request gets a block of its own size. */
static struct arena_block *block_new(struct arena *a, size_t size_wanted)
{
    size_t size = a->size_total < BLOCK_SIZE_MIN ? BLOCK_SIZE_MIN : a->size_total;
    size = size > BLOCK_SIZE_MAX ? BLOCK_SIZE_MAX : size;
    size = size < size_wanted ? size_wanted : size;

    struct arena_block *block = mem_zero(1, sizeof *block + size + ALIGN_MAX);
    block->before = a->last;
    block->size = size + ALIGN_MAX;
    a->last = block;
    a->size_total += sizeof *block + block->size;
    return block;
}

void *arena_take(struct arena *a, size_t size, size_t align)
{
    must(align > 0);
    must(align <= ALIGN_MAX);
    must((align & (align - 1)) == 0);
    must(size < SIZE_MAX / 2);

    struct arena_block *block = a->last;
    if (block == NULL || block->size - block->used < size + align) {
        block = block_new(a, size);
    }
    uintptr_t at = (uintptr_t)(block->bytes + block->used);
    const size_t pad = (size_t)(-at & (align - 1));
    void *taken = block->bytes + block->used + pad;
    block->used += pad + size;
    must(block->used <= block->size);
    return taken;
}

char *arena_text(struct arena *a, const char *text, size_t size)
{
    char *copy = arena_take(a, size + 1, 1);
    if (size > 0) {
        memcpy(copy, text, size);
    }
    return copy;
}

struct arena_mark arena_mark(const struct arena *a)
{
    return (struct arena_mark){.block = a->last, .used = a->last == NULL ? 0 : a->last->used};
}

void arena_reset(struct arena *a, struct arena_mark mark)
{
    while (a->last != mark.block) {
        must(a->last != NULL);
        struct arena_block *block = a->last;
        a->last = block->before;
        a->size_total -= sizeof *block + block->size;
        mem_free(block);
    }
    if (a->last != NULL) {
        must(mark.used <= a->last->used);
        memset(a->last->bytes + mark.used, 0, a->last->used - mark.used);
        a->last->used = mark.used;
    }
}

void arena_release(struct arena *a)
{
    arena_reset(a, (struct arena_mark){0});
}
