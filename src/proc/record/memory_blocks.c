#include "proc/record/memory_blocks.h"

#include <stddef.h>
#include <string.h>

#include "wire/must.h"

enum { PAGE_BITS = 12, LARGE_SIZE = 1 << 16 };

static uint32_t block_new(struct blocks *b, const struct block *block)
{
    if (b->unused.count > 0) {
        const uint32_t index = vec_pop(&b->unused);
        b->all.at[index] = *block;
        return index;
    }
    vec_push(&b->all, *block);
    return (uint32_t)b->all.count - 1;
}

static uint32_t link_new(struct blocks *b, struct block_link link)
{
    if (b->links_unused.count > 0) {
        const uint32_t index = vec_pop(&b->links_unused);
        b->links.at[index] = link;
        return index;
    }
    vec_push(&b->links, link);
    return (uint32_t)b->links.count - 1;
}

static bool overlaps(const struct block *a, const struct block *b)
{
    return a->base < b->base + b->size && b->base < a->base + a->size;
}

/* A block on its way in, and the stretch that changes with it. */
struct taking {
    const struct block *block;
    uint64_t start, end;
};

static void take_away(struct taking *t, struct block *gone)
{
    const uint64_t end = gone->base + gone->size;
    gone->is_gone = true;
    t->start = gone->base < t->start ? gone->base : t->start;
    t->end = end > t->end ? end : t->end;
}

/* Removes blocks that are gone, and those that go now, from a page's list. */
static void page_clear(struct blocks *b, uint64_t page, struct taking *taking)
{
    uint32_t *at = map_get(&b->first_of_page, page);
    while (at != NULL && *at != 0) {
        const uint32_t link = *at - 1;
        must(link < b->links.count);
        const uint32_t index = b->links.at[link].block;
        must(index < b->all.count);
        struct block *block = &b->all.at[index];
        if (!block->is_gone && overlaps(block, taking->block)) {
            take_away(taking, block);
        }
        if (!block->is_gone) {
            at = &b->links.at[link].next;
            continue;
        }
        *at = b->links.at[link].next;
        vec_push(&b->links_unused, link);
        must(block->links > 0);
        if (--block->links == 0) {
            vec_push(&b->unused, index);
        }
    }
}

/* Clears pages first to last, by whichever is less: the pages, or those that are known. */
static void pages_clear(struct blocks *b, uint64_t first, uint64_t last, struct taking *taking)
{
    if (last - first < b->first_of_page.entries.count) {
        for (uint64_t page = first; page <= last; page++) {
            page_clear(b, page, taking);
        }
        return;
    }
    vec_each (&b->first_of_page.entries, entry) {
        if (entry->key >= first && entry->key <= last) {
            page_clear(b, entry->key, taking);
        }
    }
}

/* The first large block that ends behind the address. */
static size_t large_behind(const struct blocks *b, uint64_t address)
{
    size_t low = 0;
    size_t high = b->large.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct block *block = &b->all.at[b->large.at[middle]];
        if (block->base + block->size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void large_clear(struct blocks *b, struct taking *taking)
{
    const size_t first = large_behind(b, taking->block->base);
    size_t end = first;
    while (end < b->large.count && overlaps(&b->all.at[b->large.at[end]], taking->block)) {
        take_away(taking, &b->all.at[b->large.at[end]]);
        vec_push(&b->unused, b->large.at[end++]);
    }
    if (end > first) {
        memmove(&b->large.at[first], &b->large.at[end],
                (b->large.count - end) * sizeof *b->large.at);
        b->large.count -= end - first;
    }
}

static void large_add(struct blocks *b, const struct block *block)
{
    const size_t at = large_behind(b, block->base);
    const uint32_t index = block_new(b, block);
    must(at == b->large.count || b->all.at[b->large.at[at]].base >= block->base + block->size);
    vec_push(&b->large, index);
    memmove(&b->large.at[at + 1], &b->large.at[at],
            (b->large.count - 1 - at) * sizeof *b->large.at);
    b->large.at[at] = index;
}

struct block_span blocks_add(struct blocks *b, uint64_t base, uint64_t size, uint32_t name)
{
    struct block block = {.base = base, .size = size > 0 ? size : 1, .name = name};
    if (block.base + block.size < block.base) {
        return (struct block_span){0};
    }
    const uint64_t end = block.base + block.size;
    b->lowest = b->end == 0 || block.base < b->lowest ? block.base : b->lowest;
    b->end = end > b->end ? end : b->end;
    must(b->lowest <= base);
    must(b->end >= end);
    const uint64_t last = (end - 1) >> PAGE_BITS;
    struct taking taking = {.block = &block, .start = base, .end = end};
    large_clear(b, &taking);
    pages_clear(b, base >> PAGE_BITS, last, &taking);
    must(taking.start <= base);
    must(taking.end >= end);
    const struct block_span changed = {taking.start, taking.end - taking.start};
    if (block.size >= LARGE_SIZE) {
        large_add(b, &block);
        return changed;
    }
    block.links = (uint32_t)(last - (base >> PAGE_BITS) + 1);
    const uint32_t index = block_new(b, &block);
    for (uint64_t page = base >> PAGE_BITS; page <= last; page++) {
        uint32_t *first = map_slot(&b->first_of_page, page, 0, NULL);
        *first = link_new(b, (struct block_link){.block = index, .next = *first}) + 1;
    }
    return changed;
}

struct block *blocks_find(const struct blocks *b, uint64_t address)
{
    if (address < b->lowest || address >= b->end) {
        return NULL;
    }
    const uint32_t *first = map_get(&b->first_of_page, address >> PAGE_BITS);
    for (uint32_t link = first == NULL ? 0 : *first; link != 0; link = b->links.at[link - 1].next) {
        struct block *block = &b->all.at[b->links.at[link - 1].block];
        if (!block->is_gone && address - block->base < block->size) {
            return block;
        }
    }
    const size_t at = large_behind(b, address);
    struct block *block = at < b->large.count ? &b->all.at[b->large.at[at]] : NULL;
    return block != NULL && address >= block->base ? block : NULL;
}

void blocks_release(struct blocks *b)
{
    vec_release(&b->all);
    vec_release(&b->unused);
    vec_release(&b->links);
    vec_release(&b->links_unused);
    map_release(&b->first_of_page);
    vec_release(&b->large);
}
