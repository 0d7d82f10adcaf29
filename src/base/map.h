/* A map from 64-bit keys to 32-bit values that iterates in the order of insertion.
 *
 *     struct map lock_of = {0};
 *     map_put(&lock_of, key, 7);
 *     const uint32_t *found = map_get(&lock_of, key);      NULL when absent
 *     vec_each (&lock_of.entries, entry) { ... entry->key, entry->value ... }
 */
#ifndef CLEW_BASE_MAP_H
#define CLEW_BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct map_entry {
    uint64_t key;
    uint32_t value;
};

/* {0} is an empty map. Entries may be read in place; their values, not their keys, may be changed.
 */
struct map {
    VEC(struct map_entry) entries;
    uint32_t *slots; /* index into entries plus one; 0 is free */
    size_t slot_count;
};

/* The value of key, NULL when absent; valid until the next map_put. */
uint32_t *map_get(const struct map *m, uint64_t key);

/* Sets the value of key. */
void map_put(struct map *m, uint64_t key, uint32_t value);

/* The value of key, which is inserted with `fresh` when absent (*was_absent says so; may be NULL).
 */
uint32_t *map_slot(struct map *m, uint64_t key, uint32_t fresh, bool *was_absent);

void map_clear(struct map *m);
void map_release(struct map *m);

/* Two 32-bit numbers as one key. */
static inline uint64_t map_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

#endif
