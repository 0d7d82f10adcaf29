/* Where a system lives, and how it is put aside and brought back. */
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "base/seam.h"
#include "sim/state.h"

/* High enough for address sanitizers, low enough for all kernels; the same in every process. */
static char *const place_wanted = (char *)UINT64_C(0x200000000000);
static const size_t region_size = (size_t)64 << 20;

int memory_open(struct sim *s, struct err *e)
{
    const size_t size = region_size * (s->node_count + 1);
    void *at = seam_fails() ? MAP_FAILED
                            : mmap(place_wanted, size, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        return err_set(e, "no memory for %u nodes", s->node_count);
    }
    s->memory = at;
    s->core = at;
    return 0;
}

void memory_close(struct sim *s)
{
    if (s->memory != NULL) {
        (void)munmap(s->memory, region_size * (s->node_count + 1));
    }
}

static void *lay_out(char **at, size_t size)
{
    void *begin = *at;
    *at += (size + 63) / 64 * 64;
    return begin;
}

/* Everything as before the first step: nothing sent, nobody started. Blocks are cleared when they
 * are taken, so that heaps are emptied by saying so. */
void memory_reset(struct sim *s)
{
    const size_t channel_count = net_channel_count(s);
    hash_touch_all(s);
    char *at = s->memory;
    struct core *core = lay_out(&at, sizeof *core);
    struct node *nodes = lay_out(&at, s->node_count * sizeof *nodes);
    struct queue *queues = lay_out(&at, channel_count * sizeof *queues);
    uint32_t *sent = lay_out(&at, channel_count * s->type_count * sizeof *sent);
    s->core_size = (size_t)(at - s->memory);
    memset(s->memory, 0, s->core_size);
    core->nodes = nodes;
    core->queues = queues;
    core->sent = sent;
    core->heap = (struct heap){.begin = at, .size = region_size - s->core_size};
    for (uint32_t i = 0; i < s->node_count; i++) {
        nodes[i].heap =
            (struct heap){.begin = s->memory + region_size * (i + 1), .size = region_size};
    }
    const char *fresh = s->segments_fresh;
    for (uint32_t i = 0; i < s->segment_count; i++) {
        memcpy(s->segments[i].begin, fresh, s->segments[i].size);
        fresh += s->segments[i].size;
    }
}

/* Before each block: which class it is of, and its place in a list while it is free. */
struct block {
    uint32_t class;     /* 0 while it is free */
    uint32_t size;      /* asked for */
    struct block *next; /* itself while it is taken */
};

enum { CLASS_SIZE_LEAST = 5 }; /* 32 bytes */

static uint32_t class_of(size_t size)
{
    const size_t needed = size + sizeof(struct block);
    uint32_t class = CLASS_SIZE_LEAST;
    while (((size_t)1 << class) < needed) {
        class ++;
    }
    return class;
}

void *heap_take(struct heap *h, size_t size)
{
    if (size > h->size / 2) {
        return NULL;
    }
    const uint32_t class = class_of(size);
    struct block *block = h->free[class - CLASS_SIZE_LEAST];
    if (block != NULL) {
        h->free[class - CLASS_SIZE_LEAST] = block->next;
    } else if (h->used + ((size_t)1 << class) <= h->size) {
        block = (struct block *)(void *)(h->begin + h->used);
        h->used += (size_t)1 << class;
        memset((char *)block + sizeof *block + size, 0,
               ((size_t)1 << class) - sizeof *block - size);
    } else {
        return NULL;
    }
    *block = (struct block){.class = class, .size = (uint32_t)size, .next = block};
    memset(block + 1, 0, size);
    return block + 1;
}

/* What lies before a pointer into a block, or before one that was overrun, is whatever the node has
 * put there: all of it must fit together. */
bool heap_has(const struct heap *h, const void *taken)
{
    const char *at = taken;
    if (at < h->begin + sizeof(struct block) || at >= h->begin + h->used ||
        (size_t)(at - h->begin) % sizeof(struct block) != 0) {
        return false;
    }
    const struct block *block = (const struct block *)taken - 1;
    return block->next == block && block->class == class_of(block->size) &&
           ((size_t)1 << block->class) <= (size_t)(h->begin + h->used - (const char *)block);
}

/* A free block is cleared, so that equal states have equal bytes. */
void heap_give(struct heap *h, void *taken)
{
    struct block *block = (struct block *)taken - 1;
    const uint32_t class = block->class;
    must(class >= CLASS_SIZE_LEAST);
    must(class < CLASS_SIZE_LEAST + SIM_HEAP_CLASSES);
    memset(taken, 0, block->size);
    *block = (struct block){.next = h->free[class - CLASS_SIZE_LEAST]};
    h->free[class - CLASS_SIZE_LEAST] = block;
}

/* The used part of the core region. */
static size_t core_used(const struct sim *s)
{
    return s->core_size + s->core->heap.used;
}

size_t memory_size(const struct sim *s)
{
    size_t size = core_used(s);
    for (uint32_t i = 0; i < s->node_count; i++) {
        size += s->core->nodes[i].heap.used;
    }
    for (uint32_t i = 0; i < s->segment_count; i++) {
        size += s->segments[i].size;
    }
    return size;
}

/* The core comes first: it knows how much of the rest is used. */
void *memory_checkpoint(struct sim *s)
{
    char *copy = mem_resize(NULL, memory_size(s));
    char *at = mempcpy(copy, s->memory, core_used(s));
    for (uint32_t i = 0; i < s->node_count; i++) {
        const struct heap *heap = &s->core->nodes[i].heap;
        at = mempcpy(at, heap->begin, heap->used);
    }
    for (uint32_t i = 0; i < s->segment_count; i++) {
        at = mempcpy(at, s->segments[i].begin, s->segments[i].size);
    }
    return copy;
}

static const char *copy_back(void *to, const char *from, size_t size)
{
    memcpy(to, from, size);
    return from + size;
}

void memory_restore(struct sim *s, const void *checkpoint)
{
    hash_touch_all(s);
    const char *from = copy_back(s->memory, checkpoint, s->core_size);
    from = copy_back(s->core->heap.begin, from, s->core->heap.used);
    for (uint32_t i = 0; i < s->node_count; i++) {
        const struct heap *heap = &s->core->nodes[i].heap;
        from = copy_back(heap->begin, from, heap->used);
    }
    for (uint32_t i = 0; i < s->segment_count; i++) {
        from = copy_back(s->segments[i].begin, from, s->segments[i].size);
    }
}
