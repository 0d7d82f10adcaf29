/* The memory of libraft is the node's, so that it is rewound with it and lost in its crashes. */
#include <string.h>

#include "server.h"

/* Before each block, for realloc; as large as the strictest alignment. */
struct block {
    size_t size;
    size_t unused;
};

static void *take(void *data, size_t size)
{
    (void)data;
    struct block *block = clew_alloc(sizeof *block + size);
    block->size = size;
    return block + 1;
}

static void give(void *data, void *taken)
{
    (void)data;
    clew_free(taken == NULL ? NULL : (struct block *)taken - 1);
}

static void *take_many(void *data, size_t count, size_t size)
{
    return take(data, count * size);
}

static void *resize(void *data, void *taken, size_t size)
{
    const size_t old = taken == NULL ? 0 : ((struct block *)taken - 1)->size;
    void *moved = take(data, size);
    if (old > 0) {
        memcpy(moved, taken, old < size ? old : size);
    }
    give(data, taken);
    return moved;
}

static void *take_aligned(void *data, size_t alignment, size_t size)
{
    (void)alignment;
    return take(data, size);
}

static void give_aligned(void *data, size_t alignment, void *taken)
{
    (void)alignment;
    give(data, taken);
}

struct raft_heap node_heap = {.malloc = take,
                              .free = give,
                              .calloc = take_many,
                              .realloc = resize,
                              .aligned_alloc = take_aligned,
                              .aligned_free = give_aligned};
