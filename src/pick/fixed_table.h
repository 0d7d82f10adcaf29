/* A hash table from 64-bit keys to 64-bit values over the caller's memory, of fixed size: surplus
 * keys are dropped. Clearing is O(1). Freestanding. */
#ifndef CLEW_PICK_FIXED_TABLE_H
#define CLEW_PICK_FIXED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/must.h"

struct table_entry {
    uint64_t key;
    uint64_t value;
    uint64_t age; /* the entry is valid when it equals the table's age */
};

struct table {
    struct table_entry *entries;
    uint64_t age;
    uint32_t mask;  /* the number of entries, a power of two, minus one */
    uint32_t count; /* of valid entries; at most 3/4 of all are used */
};

/* The number of entries of a table for key_max keys. */
static inline uint32_t table_entries(uint32_t key_max)
{
    uint32_t entries = 16;
    while (entries / 4 * 3 < key_max && entries < UINT32_C(1) << 30) {
        entries *= 2;
    }
    return entries;
}

/* Memory for table_entries(key_max) entries, cleared to zero. */
static inline void table_init(struct table *t, struct table_entry *entries, uint32_t key_max)
{
    *t = (struct table){.entries = entries, .age = 1, .mask = table_entries(key_max) - 1};
    must((t->mask & (t->mask + 1)) == 0);
}

static inline void table_clear(struct table *t)
{
    t->age++;
    t->count = 0;
}

/* The place of the key, present or not. */
static inline struct table_entry *table_place(const struct table *t, uint64_t key)
{
    uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & t->mask;
    while (t->entries[i].age == t->age && t->entries[i].key != key) {
        i = (i + 1) & t->mask;
    }
    return &t->entries[i];
}

/* The value of the key, NULL when it is absent. */
static inline uint64_t *table_get(const struct table *t, uint64_t key)
{
    struct table_entry *entry = table_place(t, key);
    return entry->age == t->age ? &entry->value : NULL;
}

/* Whether it takes no more keys. */
static inline bool table_is_full(const struct table *t)
{
    return t->count >= (t->mask + 1) / 4 * 3;
}

/* The value of the key, which begins as `fresh`; NULL when the table is full. */
static inline uint64_t *table_slot(struct table *t, uint64_t key, uint64_t fresh)
{
    struct table_entry *entry = table_place(t, key);
    if (entry->age == t->age) {
        return &entry->value;
    }
    if (table_is_full(t)) {
        return NULL;
    }
    t->count++;
    *entry = (struct table_entry){.key = key, .value = fresh, .age = t->age};
    return &entry->value;
}

#endif
