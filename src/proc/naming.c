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
    map_release(&g->object_of);
    map_release(&g->first_count);
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

/* "bank.c:42#3": the third object that was first used there. */
static uint32_t name_by_first_use(struct naming *g, uint64_t place)
{
    const uint32_t source = naming_source(g, place);
    const uint32_t ordinal = ++*map_slot(&g->first_count, source, 0, NULL);
    g->text.used = 0;
    out_text(&g->text, source == 0 ? "object" : names_text(&g->tables->names, source));
    out_char(&g->text, '#');
    out_u64(&g->text, ordinal);
    return intern_text(g);
}

uint32_t naming_object(struct naming *g, uint64_t address, uint64_t place)
{
    if (address == 0) {
        return 0;
    }
    const uint32_t *known = map_get(&g->object_of, address);
    if (known != NULL && *known != 0) {
        return *known;
    }
    g->text.used = 0;
    const uint32_t name = places_print_object(g->places, address, &g->text)
                              ? intern_text(g)
                              : name_by_first_use(g, place);
    map_put(&g->object_of, address, name);
    return name;
}

void naming_forget(struct naming *g, uint64_t address, uint64_t size)
{
    for (uint64_t at = address; at < address + size; at++) {
        uint32_t *name = map_get(&g->object_of, at);
        if (name != NULL) {
            *name = 0;
        }
    }
}
