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

static void grow(struct names *n)
{
    mem_free(n->slots);
    n->slots = NULL;
    n->slot_count = n->slot_count == 0 ? 64 : n->slot_count * 2;
    n->slots = mem_zero(n->slot_count, sizeof *n->slots);
    for (size_t i = 0; i < n->list.count; i++) {
        const struct name *name = &n->list.at[i];
        n->slots[find(n, name->text, name->size, name->hash)] = (uint32_t)(i + 1);
    }
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
    mem_free(n->slots);
    *n = (struct names){0};
}

uint32_t names_intern(struct names *n, const char *text, size_t size)
{
    must(size < UINT32_MAX);
    must(n->list.count < UINT32_MAX - 1);
    if ((n->list.count + 1) * 2 > n->slot_count) {
        grow(n);
    }
    const uint32_t hash = hash_of(text, size);
    const size_t slot = find(n, text, size, hash);
    if (n->slots[slot] == 0) {
        struct name name = {arena_text(&n->arena, text, size), (uint32_t)size, hash};
        vec_push(&n->list, name);
        n->slots[slot] = (uint32_t)n->list.count;
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
