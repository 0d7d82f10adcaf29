#include "proc/record/address_names.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "wire/must.h"
#include "wire/segment.h"

enum { FRAMES_MAX = 64, WORD_SIZE = 8 };

void naming_init(struct naming *g, struct tables *t, struct shared_memory *memory,
                 const char *folder, uint32_t number)
{
    *g = (struct naming){.tables = t,
                         .memory = memory,
                         .places = places_new(),
                         .calls.count = CALLS_COUNT,
                         .origins.count = ORIGINS_COUNT};
    (void)snprintf(g->calls.path, sizeof g->calls.path, "%s/%u" CALLS_SUFFIX, folder, number);
    (void)snprintf(g->origins.path, sizeof g->origins.path, "%s/%u" ORIGINS_SUFFIX, folder, number);
    out_open_memory(&g->text);
}

static void table_close(struct naming_table *t)
{
    if (t->at != NULL) {
        (void)munmap((void *)(uintptr_t)t->at, t->count * sizeof *t->at);
    }
}

/* Whether the table is there. */
static bool table_open(struct naming_table *t)
{
    struct stat status;
    if (t->path[0] == 0) {
        return t->at != NULL;
    }
    const int fd = seam_fails() ? -1 : open(t->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const size_t size = t->count * sizeof *t->at;
    t->path[0] = 0;
    if (fd < 0) {
        return false;
    }
    if (fstat(fd, &status) == 0 && (size_t)status.st_size == size) {
        void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
        t->at = at == MAP_FAILED ? NULL : at;
    }
    (void)close(fd);
    return t->at != NULL;
}

void naming_release(struct naming *g)
{
    places_free(g->places);
    table_close(&g->calls);
    table_close(&g->origins);
    map_release(&g->source_of);
    map_release(&g->origin_of);
    map_release(&g->allocation_of);
    map_release(&g->functions_of);
    map_release(&g->update_of);
    map_release(&g->object_of);
    map_release(&g->part_of);
    blocks_release(&g->blocks);
    labels_release(&g->labels);
    map_release(&g->place_count);
    vec_release(&g->mappings);
    vec_release(&g->expected);
    out_abandon(&g->text);
}

static uint32_t intern_text(struct naming *g)
{
    return names_intern(&g->tables->names, g->text.buffer, g->text.used);
}

/* The place and the calls that led to it, the innermost first. A table that was damaged may go in
 * circles. */
struct calls {
    uint32_t count;
    uint64_t at[FRAMES_MAX];
};

static void calls_of_path(struct naming *g, uint64_t place, struct calls *calls)
{
    calls->count = 0;
    calls->at[calls->count++] = calls_place_of(place);
    uint64_t path = calls_path_of(place);
    while (path != 0 && table_open(&g->calls) && calls->count < FRAMES_MAX) {
        must(path < CALLS_COUNT);
        calls->at[calls->count++] = calls_place_of(g->calls.at[path]);
        path = calls_path_of(g->calls.at[path]);
    }
}

/* A list names its outermost call, and the list of those further in. */
static void calls_of_origin(struct naming *g, uint64_t place, struct calls *calls)
{
    uint64_t list = origin_list_of(place);
    calls->count = 0;
    while (list != 0 && table_open(&g->origins) && calls->count < FRAMES_MAX - 1) {
        must(list < ORIGINS_COUNT);
        calls->at[calls->count++] = calls_place_of(g->origins.at[list]);
        list = origin_list_of(g->origins.at[list]);
    }
    calls->at[calls->count++] = calls_place_of(place);
    for (uint32_t i = 0; i < calls->count / 2; i++) {
        const uint64_t inner = calls->at[calls->count - 1 - i];
        calls->at[calls->count - 1 - i] = calls->at[i];
        calls->at[i] = inner;
    }
}

/* The rule by which an object gets its name from a place: the calls that led to it, and the part of
 * them that the name shows. */
struct rule {
    struct map *known;
    void (*calls)(struct naming *g, uint64_t place, struct calls *calls);
    bool (*print)(struct places *p, struct place_calls calls, struct out *out);
};

static uint32_t name_by_rule(struct naming *g, uint64_t place, struct rule rule)
{
    if (calls_place_of(place) == 0) {
        return 0;
    }
    bool is_new = false;
    uint32_t *name = map_slot(rule.known, place, 0, &is_new);
    if (is_new) {
        struct calls calls;
        rule.calls(g, place, &calls);
        g->text.used = 0;
        *name = rule.print(g->places, (struct place_calls){calls.at, calls.count}, &g->text)
                    ? intern_text(g)
                    : 0;
    }
    return *name;
}

uint32_t naming_source(struct naming *g, uint64_t place)
{
    return name_by_rule(g, place, (struct rule){&g->source_of, calls_of_path, places_print_source});
}

uint32_t naming_origin(struct naming *g, uint64_t place)
{
    return name_by_rule(g, place,
                        (struct rule){&g->origin_of, calls_of_origin, places_print_source});
}

/* A function that calls, with the place where it does, and those it is inlined into:
 * " < settle bank.c:30 < work bank.c:41". */
static void print_caller(struct naming *g, uint64_t place)
{
    struct out functions;
    struct out source;
    out_open_memory(&functions);
    out_open_memory(&source);
    if (places_print_functions(g->places, place, &functions)) {
        const bool has_source = places_print_line(g->places, place, &source);
        out_char(&functions, '\0');
        const size_t first =
            (size_t)(strstr(functions.buffer, " < ") == NULL
                         ? functions.used - 1
                         : (size_t)(strstr(functions.buffer, " < ") - functions.buffer));
        out_text(&g->text, " < ");
        out_bytes(&g->text, functions.buffer, first);
        if (has_source) {
            out_char(&g->text, ' ');
            out_bytes(&g->text, source.buffer, source.used);
        }
        out_text(&g->text, functions.buffer + first);
    }
    out_abandon(&functions);
    out_abandon(&source);
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
        if (places_print_functions(g->places, calls_place_of(place), &g->text)) {
            struct calls calls;
            calls_of_path(g, place, &calls);
            for (uint32_t i = 1; i < calls.count; i++) {
                print_caller(g, calls.at[i]);
            }
            *name = intern_text(g);
        }
    }
    return *name;
}

bool naming_uses_result(struct naming *g, uint64_t place)
{
    return place == 0 || places_uses_result(g->places, calls_place_of(place));
}

bool naming_tests_result(struct naming *g, uint64_t place)
{
    return place == 0 || places_tests_result(g->places, calls_place_of(place));
}

bool naming_ignores_result(struct naming *g, uint64_t place)
{
    return places_ignores_result(g->places, calls_place_of(place));
}

void naming_mark_access(struct naming *g, struct event *event, uint64_t place)
{
    const uint64_t counter = calls_place_of(place);
    struct place_update update;
    if (event->kind == EVENT_WRITE) {
        const uint32_t *operation = map_get(&g->update_of, counter);
        event->mode = operation == NULL ? MODE_UNSAID : (uint8_t)*operation;
        if (counter != 0 && places_stored_constant(g->places, counter, &event->value)) {
            event->has |= HAS_VALUE;
        }
    } else if (counter != 0 && places_plain_update(g->places, counter, &update)) {
        event->mode = update.operation;
        map_put(&g->update_of, update.write, update.operation);
    } else if (counter != 0) {
        event->mode = places_compares_read(g->places, counter)  ? ACCESS_COMPARED
                      : places_asserts_read(g->places, counter) ? ACCESS_ASSERTED
                                                                : MODE_UNSAID;
    }
}

/* "bank.c:42#3": the third that has its name from there. */
static uint32_t name_by_source(struct naming *g, uint32_t source)
{
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
    if (block->number == 0) {
        block->number = ++g->block_count;
    }
    if (offset == 0 && block->name != 0) {
        return block->name;
    }
    if (offset > UINT32_MAX) {
        return block->name != 0 ? name_part(g, block, offset) : 0;
    }
    must(block->number != 0);
    must(block->number <= g->block_count);
    const uint64_t key = map_pair(block->number, (uint32_t)offset);
    const uint32_t *known = map_get(&g->part_of, key);
    if (known != NULL) {
        return *known;
    }
    const uint32_t name =
        block->name != 0 ? name_part(g, block, offset) : name_by_source(g, naming_source(g, place));
    map_put(&g->part_of, key, name);
    return name;
}

/* ---- memory that processes share ---- */

void naming_expect_mapping(struct naming *g, struct naming_mapping mapping)
{
    vec_push(&g->expected, mapping);
}

static const struct naming_mapping *expected_at(const struct naming *g, uint64_t address)
{
    vec_each (&g->expected, m) {
        if (address - m->start < m->size) {
            return m;
        }
    }
    return NULL;
}

/* The shared mapping that covers the address, NULL for none. */
static const struct naming_mapping *mapping_at(const struct naming *g, uint64_t address)
{
    const struct block *block = blocks_find(&g->blocks, address);
    if (block != NULL) {
        return block->mapping == 0 ? NULL : &g->mappings.at[block->mapping - 1];
    }
    return expected_at(g, address);
}

bool naming_is_shared(struct naming *g, uint64_t address, uint64_t *shared)
{
    const bool is_any = g->mappings.count + g->expected.count > 0;
    const struct naming_mapping *m = is_any ? mapping_at(g, address) : NULL;
    if (m != NULL) {
        *shared = shared_memory_address(m->object, address - m->start + m->offset);
    }
    return m != NULL;
}

static uint32_t name_shared(struct naming *g, const struct naming_mapping *m, uint64_t address)
{
    const uint32_t object = shared_memory_name(g->memory, m->object);
    g->text.used = 0;
    out_text(&g->text, names_text(&g->tables->names, object));
    out_char(&g->text, '+');
    out_u64(&g->text, address - m->start + m->offset);
    return intern_text(g);
}

/* The variable of a module that covers the address; 0 for none. */
static uint32_t name_symbol(struct naming *g, uint64_t address)
{
    g->text.used = 0;
    return places_print_variable(g->places, address, &g->text) ? intern_text(g) : 0;
}

/* The name of memory that lies in no allocated block. */
static uint32_t name_outside(struct naming *g, uint64_t address, uint64_t place)
{
    const uint32_t *known = map_get(&g->object_of, address);
    if (known != NULL) {
        return *known;
    }
    const struct naming_mapping *m = expected_at(g, address);
    if (m != NULL) {
        return name_shared(g, m, address); /* not kept: something else may lie there later */
    }
    uint32_t name = name_symbol(g, address);
    name = name != 0 ? name : name_by_source(g, naming_source(g, place));
    map_put(&g->object_of, address, name);
    return name;
}

uint32_t naming_object(struct naming *g, uint64_t address, uint64_t place)
{
    if (address == 0) {
        return 0;
    }
    const uint32_t known = labels_get(&g->labels, address);
    if (known != 0) {
        return known;
    }
    struct block *block = blocks_find(&g->blocks, address);
    uint32_t name = 0;
    if (block == NULL) {
        name = name_outside(g, address, place);
    } else if (block->mapping != 0) {
        name = name_shared(g, &g->mappings.at[block->mapping - 1], address);
    } else {
        name = name_in_block(g, block, address - block->base, place);
    }
    labels_put(&g->labels, address, name);
    return name;
}

/* Forgets the names of earlier objects in this memory. */
static void add_block(struct naming *g, uint64_t address, uint64_t size, uint32_t name)
{
    const struct block_span changed = blocks_add(&g->blocks, address, size, name);
    labels_forget(&g->labels, changed.start, changed.size);
}

void naming_descriptor(struct naming *g, uint64_t address, uint64_t size, uint64_t place)
{
    const uint32_t opened = name_by_source(g, naming_source(g, place));
    g->text.used = 0;
    out_text(&g->text, "descriptor:");
    out_text(&g->text, names_text(&g->tables->names, opened));
    add_block(g, address, size, intern_text(g));
}

uint32_t naming_allocate(struct naming *g, uint64_t address, uint64_t size, uint64_t place)
{
    const struct rule rule = {&g->allocation_of, calls_of_origin, places_print_allocation};
    const uint32_t name = name_by_source(g, name_by_rule(g, place, rule));
    /* A block that is freed is written in whole words: the rest of its last word is its own. */
    const uint64_t rest = -size % WORD_SIZE;
    add_block(g, address, size + rest < size ? size : size + rest, name);
    return name;
}

void naming_map(struct naming *g, struct naming_mapping mapping)
{
    for (size_t i = 0; i < g->expected.count; i++) {
        const struct naming_mapping *m = &g->expected.at[i];
        if (m->start == mapping.start && m->size == mapping.size && m->object == mapping.object) {
            memmove(&g->expected.at[i], &g->expected.at[i + 1],
                    (g->expected.count - i - 1) * sizeof *g->expected.at);
            g->expected.count--;
            break;
        }
    }
    add_block(g, mapping.start, mapping.size, 0);
    struct block *block = blocks_find(&g->blocks, mapping.start);
    if (block != NULL) { /* none: a damaged record describes an impossible mapping */
        vec_push(&g->mappings, mapping);
        block->mapping = (uint32_t)g->mappings.count;
    }
}

uint64_t naming_block(const struct naming *g, uint64_t address)
{
    const struct block *block = blocks_find(&g->blocks, address);
    return block == NULL || block->name == 0 ? 0 : block->base;
}

void naming_stack(struct naming *g, uint64_t address, uint64_t size)
{
    add_block(g, address, size, 0);
}
