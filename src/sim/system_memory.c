#include "sim/system_memory.h"

#include <string.h>
#include <sys/mman.h>

#include "base/fault_injection.h"
#include "base/mem.h"
#include "sim/net.h"
#include "sim/pending.h"
#include "sim/state_hash.h"
#include "sim/variables.h"

/* High enough for address sanitizers, low enough for all kernels; the same in every process. */
static char *const place_wanted = (char *)UINT64_C(0x200000000000);
static const size_t region_size = (size_t)64 << 20;

/* Memory of no node, below the regions of nodes. It begins with the heap that describes the rest.
 */
static char *const common_wanted = (char *)(UINT64_C(0x200000000000) - (UINT64_C(64) << 20));

int memory_open_common(struct sim *s, struct err *e)
{
    void *at = seam_fails() ? MAP_FAILED
                            : mmap(common_wanted, region_size, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        return err_set(e, "no memory for the system");
    }
    s->memory.common = at;
    const size_t header_size = (sizeof *s->memory.common + 63) / 64 * 64;
    *s->memory.common =
        (struct heap){.begin = (char *)at + header_size, .size = region_size - header_size};
    return 0;
}

static size_t common_size(const struct sim *s)
{
    return (size_t)(s->memory.common->begin - (const char *)s->memory.common) +
           s->memory.common->used;
}

void memory_keep_fresh(struct sim *s)
{
    s->memory.common_fresh_used = s->memory.common->used;
    s->memory.common_fresh = mem_resize(NULL, common_size(s));
    memcpy(s->memory.common_fresh, s->memory.common, common_size(s));
}

static bool is_in(const char *block, const void *begin, size_t size)
{
    return begin != NULL && block >= (const char *)begin && block < (const char *)begin + size;
}

struct heap *memory_heap_of(struct sim *s, const void *block, int32_t *node)
{
    *node = -1;
    if (is_in(block, s->memory.common, region_size)) {
        return s->memory.common;
    }
    if (!is_in(block, s->memory.begin, region_size * (s->node_count + 1))) {
        return NULL;
    }
    const size_t region = (size_t)((const char *)block - s->memory.begin) / region_size;
    *node = (int32_t)region - 1;
    return region == 0 ? &s->core->heap : &s->core->nodes[region - 1].heap;
}

int memory_open(struct sim *s, struct err *e)
{
    const size_t size = region_size * (s->node_count + 1);
    void *at = seam_fails() ? MAP_FAILED
                            : mmap(place_wanted, size, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        return err_set(e, "no memory for %u nodes", s->node_count);
    }
    s->memory.begin = at;
    s->core = at;
    return 0;
}

void memory_close(struct sim *s)
{
    if (s->memory.begin != NULL) {
        (void)munmap(s->memory.begin, region_size * (s->node_count + 1));
    }
    if (s->memory.common != NULL) {
        (void)munmap(s->memory.common, region_size);
    }
    mem_free(s->memory.common_fresh);
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
    pending_forget(s);
    char *at = s->memory.begin;
    struct core *core = lay_out(&at, sizeof *core);
    struct node *nodes = lay_out(&at, s->node_count * sizeof *nodes);
    struct queue *queues = lay_out(&at, channel_count * sizeof *queues);
    uint32_t *sent = lay_out(&at, channel_count * s->type_count * sizeof *sent);
    s->memory.core_size = (size_t)(at - s->memory.begin);
    memset(s->memory.begin, 0, s->memory.core_size);
    must(s->memory.core_size < region_size);
    core->nodes = nodes;
    core->queues = queues;
    core->sent = sent;
    core->heap = (struct heap){.begin = at, .size = region_size - s->memory.core_size};
    for (uint32_t i = 0; i < s->node_count; i++) {
        nodes[i].heap =
            (struct heap){.begin = s->memory.begin + region_size * (i + 1), .size = region_size};
    }
    variables_reset(s);
    memcpy(s->memory.common, s->memory.common_fresh,
           (size_t)(s->memory.common->begin - (const char *)s->memory.common) +
               s->memory.common_fresh_used);
}

/* Before each block: which class it is of, and its place in a list while it is free. */
struct block {
    uint32_t class;     /* 0 while it is free */
    uint32_t size;      /* asked for */
    struct block *next; /* itself while it is taken */
};

enum { CLASS_SIZE_LEAST = 5 }; /* 32 bytes */

_Static_assert(sizeof(struct block) == 16, "malloc's alignment");
_Static_assert(CLASS_SIZE_LEAST + SIM_HEAP_CLASSES < 64, "a size of each class is a size_t");

/* The class of a header in front of an aligned address inside a block, which `next` is. */
enum { CLASS_ALIGNED = 1 };

static uint32_t class_of(size_t size)
{
    const size_t needed = size + sizeof(struct block);
    return needed <= (size_t)1 << CLASS_SIZE_LEAST ? CLASS_SIZE_LEAST
                                                   : (uint32_t)(64 - __builtin_clzll(needed - 1));
}

/* A block of which the first bytes, which the caller fills, are not cleared. */
static void *take_cleared_from(struct heap *h, size_t size, size_t filled)
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
    memset((char *)(block + 1) + filled, 0, size - filled);
    return block + 1;
}

void *heap_take(struct heap *h, size_t size)
{
    return take_cleared_from(h, size, 0);
}

void *heap_take_aligned(struct heap *h, size_t size, size_t alignment)
{
    if (alignment <= sizeof(struct block)) {
        return heap_take(h, size);
    }
    if (alignment > h->size / 2 || size > h->size / 2) {
        return NULL;
    }
    char *taken = heap_take(h, size + alignment + sizeof(struct block));
    if (taken == NULL) {
        return NULL;
    }
    const uintptr_t least = (uintptr_t)taken + sizeof(struct block);
    struct block *aligned = (struct block *)((least + alignment - 1) / alignment * alignment);
    aligned[-1] = (struct block){
        .class = CLASS_ALIGNED, .size = (uint32_t)size, .next = (struct block *)(void *)taken - 1};
    return aligned;
}

/* The bytes before a pointer into a block, or before one that was overrun, are whatever the node
 * has put there: all of it must fit together. */
static bool is_block(const struct heap *h, const void *taken)
{
    const struct block *block = (const struct block *)taken - 1;
    return block->next == block && block->class == class_of(block->size) &&
           ((size_t)1 << block->class) <= (size_t)(h->begin + h->used - (const char *)block);
}

static bool is_inside(const struct heap *h, const void *taken)
{
    const char *at = taken;
    return at >= h->begin + sizeof(struct block) && at < h->begin + h->used &&
           (size_t)(at - h->begin) % sizeof(struct block) == 0;
}

bool heap_has(const struct heap *h, const void *taken)
{
    if (!is_inside(h, taken)) {
        return false;
    }
    const struct block *block = (const struct block *)taken - 1;
    if (block->class != CLASS_ALIGNED) {
        return is_block(h, taken);
    }
    const void *whole = block->next + 1;
    return is_inside(h, whole) && whole < taken && is_block(h, whole) &&
           (const char *)taken + block->size <= (const char *)whole + block->next->size;
}

bool heap_had(const struct heap *h, const void *taken)
{
    const struct block *block = (const struct block *)taken - 1;
    return is_inside(h, taken) && block->class == 0 &&
           (block->next == NULL || is_inside(h, block->next + 1));
}

size_t heap_size(const void *taken)
{
    return ((const struct block *)taken - 1)->size;
}

void *heap_resize(struct heap *h, void *taken, size_t size)
{
    struct block *block = (struct block *)taken - 1;
    const size_t old_size = block->size;
    if (block->class == class_of(size)) {
        block->size = (uint32_t)size;
        memset((char *)taken + size, 0, old_size > size ? old_size - size : 0);
        return taken;
    }
    const size_t kept = old_size < size ? old_size : size;
    void *moved = take_cleared_from(h, size, kept);
    if (moved != NULL) {
        memcpy(moved, taken, kept);
        heap_give(h, taken);
    }
    return moved;
}

/* A free block is cleared, so that equal states have equal bytes. */
void heap_give(struct heap *h, void *taken)
{
    struct block *block = (struct block *)taken - 1;
    block = block->class == CLASS_ALIGNED ? block->next : block;
    const uint32_t class = block->class;
    must(class >= CLASS_SIZE_LEAST);
    must(class < CLASS_SIZE_LEAST + SIM_HEAP_CLASSES);
    memset(block + 1, 0, block->size);
    *block = (struct block){.next = h->free[class - CLASS_SIZE_LEAST]};
    h->free[class - CLASS_SIZE_LEAST] = block;
}

void heap_give_last(struct heap *h, void *taken)
{
    const struct block *block = (struct block *)taken - 1;
    const size_t size = (size_t)1 << block->class;
    if (block->class != CLASS_ALIGNED && (const char *)block + size == h->begin + h->used) {
        h->used -= size;
    } else {
        heap_give(h, taken);
    }
}

/* The used part of the core region. */
static size_t core_used(const struct sim *s)
{
    return s->memory.core_size + s->core->heap.used;
}

size_t memory_size(const struct sim *s)
{
    size_t size = core_used(s);
    for (uint32_t i = 0; i < s->node_count; i++) {
        size += s->core->nodes[i].heap.used;
    }
    return size + variables_copy_size(s) + common_size(s);
}

/* The core comes first: it knows how much of the rest is used. */
void *memory_checkpoint(struct sim *s)
{
    char *copy = mem_resize(NULL, memory_size(s));
    char *at = mempcpy(copy, s->memory.begin, core_used(s));
    for (uint32_t i = 0; i < s->node_count; i++) {
        const struct heap *heap = &s->core->nodes[i].heap;
        at = mempcpy(at, heap->begin, heap->used);
    }
    at = variables_copy(s, at);
    memcpy(at, s->memory.common, common_size(s));
    must(at + common_size(s) == copy + memory_size(s));
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
    pending_forget(s);
    const char *from = copy_back(s->memory.begin, checkpoint, s->memory.core_size);
    from = copy_back(s->core->heap.begin, from, s->core->heap.used);
    for (uint32_t i = 0; i < s->node_count; i++) {
        const struct heap *heap = &s->core->nodes[i].heap;
        from = copy_back(heap->begin, from, heap->used);
    }
    from = variables_restore(s, from);
    from = copy_back(s->memory.common, from, sizeof *s->memory.common);
    (void)copy_back((char *)s->memory.common + sizeof *s->memory.common, from,
                    common_size(s) - sizeof *s->memory.common);
}
