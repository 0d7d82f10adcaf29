#include "proc/naming.h"

void naming_init(struct naming *g, struct tables *t)
{
    *g = (struct naming){.tables = t, .places = places_new()};
    out_open_memory(&g->text);
}

void naming_release(struct naming *g)
{
    places_free(g->places);
    map_release(&g->source_of);
    map_release(&g->functions_of);
    map_release(&g->object_of);
    map_release(&g->part_of);
    blocks_release(&g->blocks);
    map_release(&g->place_count);
    vec_release(&g->shared);
    out_abandon(&g->text);
}

static uint32_t intern_text(struct naming *g)
{
    return names_intern(&g->tables->names, g->text.buffer, g->text.used);
}

uint32_t naming_source(struct naming *g, uint64_t place)
{
    if (place == 0) {
        return 0;
    }
    bool is_new = false;
    uint32_t *name = map_slot(&g->source_of, place, 0, &is_new);
    if (is_new) {
        g->text.used = 0;
        *name = places_print_source(g->places, place, &g->text) ? intern_text(g) : 0;
    }
    return *name;
}

uint32_t naming_functions(struct naming *g, uint64_t place)
{
    if (place == 0) {
        return 0;
    }
    bool is_new = false;
    uint32_t *name = map_slot(&g->functions_of, place, 0, &is_new);
    if (is_new) {
        g->text.used = 0;
        *name = places_print_functions(g->places, place, &g->text) ? intern_text(g) : 0;
    }
    return *name;
}

/* "bank.c:42#3": the third that has its name from there. */
static uint32_t name_by_place(struct naming *g, uint64_t place)
{
    const uint32_t source = naming_source(g, place);
    const uint32_t ordinal = ++*map_slot(&g->place_count, source, 0, NULL);
    g->text.used = 0;
    out_text(&g->text, source == 0 ? "object" : names_text(&g->tables->names, source));
    out_char(&g->text, '#');
    out_u64(&g->text, ordinal);
    return intern_text(g);
}

static uint32_t name_part(struct naming *g, const struct block *block, uint64_t offset)
{
    g->text.used = 0;
    out_text(&g->text, names_text(&g->tables->names, block->name));
    out_char(&g->text, '+');
    out_u64(&g->text, offset);
    return intern_text(g);
}

/* Something in a block. Names are kept by the block's number, so that they go with it. */
static uint32_t name_in_block(struct naming *g, struct block *block, uint64_t offset,
                              uint64_t place)
{
    if (offset == 0 && block->name != 0) {
        return block->name;
    }
    if (block->number == 0) {
        block->number = ++g->block_count;
    }
    if (offset > UINT32_MAX) {
        return block->name != 0 ? name_part(g, block, offset) : 0;
    }
    const uint64_t key = map_pair(block->number, (uint32_t)offset);
    const uint32_t *known = map_get(&g->part_of, key);
    if (known != NULL) {
        return *known;
    }
    const uint32_t name = block->name != 0 ? name_part(g, block, offset) : name_by_place(g, place);
    map_put(&g->part_of, key, name);
    return name;
}

void naming_share(struct naming *g, struct naming_shared shared)
{
    vec_push(&g->shared, shared);
}

/* The mapping told last is the one that is there. */
static bool print_shared(struct naming *g, uint64_t address)
{
    for (size_t i = g->shared.count; i-- > 0;) {
        const struct naming_shared *s = &g->shared.at[i];
        if (address >= s->start && address - s->start < s->size) {
            out_text(&g->text, names_text(&g->tables->names, s->name));
            out_char(&g->text, '+');
            out_u64(&g->text, address - s->start + s->offset);
            return true;
        }
    }
    return false;
}

uint32_t naming_object(struct naming *g, uint64_t address, uint64_t place)
{
    if (address == 0) {
        return 0;
    }
    struct block *block = blocks_find(&g->blocks, address);
    if (block != NULL) {
        return name_in_block(g, block, address - block->base, place);
    }
    const uint32_t *known = map_get(&g->object_of, address);
    if (known != NULL) {
        return *known;
    }
    g->text.used = 0;
    const uint32_t name =
        print_shared(g, address) || places_print_object(g->places, address, &g->text)
            ? intern_text(g)
            : name_by_place(g, place);
    map_put(&g->object_of, address, name);
    return name;
}

uint32_t naming_allocate(struct naming *g, uint64_t address, uint64_t size, uint64_t place)
{
    const uint32_t name = name_by_place(g, place);
    blocks_add(&g->blocks, address, size, name);
    return name;
}

void naming_stack(struct naming *g, uint64_t address, uint64_t size)
{
    blocks_add(&g->blocks, address, size, 0);
}
