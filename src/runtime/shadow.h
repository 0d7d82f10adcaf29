/* What is known of each word of 8 bytes that the program has used: a state, and the trails of its
 * last accesses.
 *
 * They are looked up by address through a table of regions. Both live in memory that exists only
 * where it is touched. States lie apart from trails: who uses a shared word looks at its state
 * alone. */
#ifndef CLEW_RUNTIME_SHADOW_H
#define CLEW_RUNTIME_SHADOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/segment.h"

enum {
    WORD_SIZE = 8,
    REGION_BITS = 22, /* a region covers 4 MiB */
    REGION_WORDS = (1 << REGION_BITS) / WORD_SIZE,
};

struct trails {
    _Atomic uint64_t last[2][2]; /* by is_write and half of the word; 0: none */
};

struct region {
    struct region *next;                   /* made before this one */
    _Atomic uint64_t states[REGION_WORDS]; /* 0: never used */
    struct trails trails[REGION_WORDS];
};

/* By address >> REGION_BITS. NULL: there is no memory for it. */
extern struct region *_Atomic *shadow_regions;

/* Memory of our own, zero until it is touched; NULL when there is none. */
void *shadow_memory(uint64_t size);

/* Makes the table. */
void shadow_start(void);

/* In a child that has just been forked: every word is as new. */
void shadow_forked(void);

/* Makes the region that covers the address; NULL when there is no memory for it. */
struct region *shadow_make(uintptr_t address);

/* Forgets the words that touch these bytes. */
void shadow_clear(uintptr_t address, size_t size);

/* The region that covers the address; NULL when there is none yet. */
static inline struct region *shadow_region(uintptr_t address)
{
    return address >> ADDRESS_BITS != 0
               ? NULL
               : atomic_load_explicit(&shadow_regions[address >> REGION_BITS],
                                      memory_order_acquire);
}

/* The number of the address's word in its region. */
static inline size_t shadow_index(uintptr_t address)
{
    return address / WORD_SIZE % REGION_WORDS;
}

#endif
