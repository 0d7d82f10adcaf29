#include "base/map.h"

#include <string.h>

#include "base/mem.h"
#include "wire/must.h"

/* The finalizer of splitmix64: keys are often consecutive or packed pairs. */
static size_t slot_of(const struct map *m, uint64_t key)
{
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return (size_t)(key ^ (key >> 31)) & (m->slot_count - 1);
}

/* The slot that holds key, or the free one where it belongs. */
static size_t find(const struct map *m, uint64_t key)
{
    size_t slot = slot_of(m, key);
    while (m->slots[slot] != 0 && m->entries.at[m->slots[slot] - 1].key != key) {
        slot = (slot + 1) & (m->slot_count - 1);
    }
    return slot;
}

uint32_t *map_get(const struct map *m, uint64_t key)
{
    if (m->slot_count == 0) {
        return NULL;
    }
    const size_t slot = find(m, key);
    return m->slots[slot] == 0 ? NULL : &m->entries.at[m->slots[slot] - 1].value;
}

static void grow(struct map *m)
{
    mem_free(m->slots);
    m->slots = NULL;
    m->slot_count = m->slot_count == 0 ? 16 : m->slot_count * 2;
    m->slots = mem_zero(m->slot_count, sizeof *m->slots);
    must((m->slot_count & (m->slot_count - 1)) == 0);
    must(m->entries.count * 2 <= m->slot_count);
    for (size_t i = 0; i < m->entries.count; i++) {
        m->slots[find(m, m->entries.at[i].key)] = (uint32_t)(i + 1);
    }
}

uint32_t *map_slot(struct map *m, uint64_t key, uint32_t fresh, bool *was_absent)
{
    if ((m->entries.count + 1) * 2 > m->slot_count) {
        grow(m);
    }
    const size_t slot = find(m, key);
    const bool absent = m->slots[slot] == 0;
    if (absent) {
        must(m->entries.count < UINT32_MAX - 1);
        vec_push(&m->entries, (struct map_entry){.key = key, .value = fresh});
        m->slots[slot] = (uint32_t)m->entries.count;
    }
    if (was_absent != NULL) {
        *was_absent = absent;
    }
    return &m->entries.at[m->slots[slot] - 1].value;
}

void map_put(struct map *m, uint64_t key, uint32_t value)
{
    *map_slot(m, key, value, NULL) = value;
}

void map_clear(struct map *m)
{
    vec_clear(&m->entries);
    if (m->slots != NULL) {
        memset(m->slots, 0, m->slot_count * sizeof *m->slots);
    }
}

void map_release(struct map *m)
{
    vec_release(&m->entries);
    mem_free(m->slots);
    *m = (struct map){0};
}
