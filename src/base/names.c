#include "base/names.h"

#include <string.h>

#include <xxhash.h>

#include "base/mem.h"

static uint32_t hash_of(const char *text, size_t size)
{
    return (uint32_t)XXH3_64bits(text, size);
}

/* The slot that holds this text, or the free one where it belongs. */
static size_t find(const struct names *n, const char *text, size_t size, uint32_t hash)
{
    size_t slot = hash & (n->slot_count - 1);
    for (; n->slots[slot] != 0; slot = (slot + 1) & (n->slot_count - 1)) {
        const struct name *name = &n->list.at[n->slots[slot] - 1];
        if (name->hash == hash && name->size == size && memcmp(name->text, text, size) == 0) {
            break;
        }
    }
    return slot;
}

static void set_slots(struct names *n, size_t slot_count)
{
    mem_free(n->slots);
    n->slots = NULL;
    n->slot_count = slot_count;
    n->slots = mem_zero(n->slot_count, sizeof *n->slots);
    for (size_t i = 0; i < n->list.count; i++) {
        const struct name *name = &n->list.at[i];
        if (name->text != NULL) {
            n->slots[find(n, name->text, name->size, name->hash)] = (uint32_t)(i + 1);
        }
    }
}

void names_keep(struct names *n, struct bits is_kept)
{
    struct arena kept = {0};
    vec_clear(&n->spare);
    for (size_t i = n->list.count; i-- > 0;) {
        struct name *name = &n->list.at[i];
        if (i == 0 || (name->text != NULL && i < is_kept.count && bits_has(is_kept, i))) {
            name->text = arena_text(&kept, name->text, name->size);
        } else {
            *name = (struct name){0};
            vec_push(&n->spare, (uint32_t)i);
        }
    }
    arena_release(&n->arena);
    n->arena = kept;
    set_slots(n, n->slot_count);
}

void names_init(struct names *n)
{
    *n = (struct names){0};
    const uint32_t none = names_intern(n, "", 0);
    must(none == 0);
}

void names_release(struct names *n)
{
    arena_release(&n->arena);
    vec_release(&n->list);
    vec_release(&n->spare);
    mem_free(n->slots);
    *n = (struct names){0};
}

uint32_t names_intern(struct names *n, const char *text, size_t size)
{
    must(size < UINT32_MAX);
    must(n->list.count < UINT32_MAX - 1);
    if ((n->list.count + 1) * 2 > n->slot_count) {
        set_slots(n, n->slot_count == 0 ? 64 : n->slot_count * 2);
    }
    const uint32_t hash = hash_of(text, size);
    const size_t slot = find(n, text, size, hash);
    if (n->slots[slot] == 0) {
        const struct name name = {arena_text(&n->arena, text, size), (uint32_t)size, hash};
        if (n->spare.count > 0) {
            const uint32_t number = vec_pop(&n->spare);
            n->list.at[number] = name;
            n->slots[slot] = number + 1;
        } else {
            vec_push(&n->list, name);
            n->slots[slot] = (uint32_t)n->list.count;
        }
    }
    return n->slots[slot] - 1;
}

uint32_t names_intern_text(struct names *n, const char *text)
{
    return names_intern(n, text, strlen(text));
}

uint32_t names_find(const struct names *n, const char *text, size_t size)
{
    const size_t slot = find(n, text, size, hash_of(text, size));
    return n->slots[slot] == 0 ? 0 : n->slots[slot] - 1;
}
