/* Shadow memory: for each word of 8 bytes that the program has used a state, and the trails of its
 * last accesses.
 *
 * They are looked up by address through a table of regions. All live in memory that exists only
 * where it is touched: 40 bytes for a word, and 128 more where less than half of a word is used at
 * a time. A separate bitmap has a bit for each shared word, so that an access to a shared word
 * needs no cache line of states. */
#ifndef CLEW_RUNTIME_RECORD_SHADOW_SHADOW_H
#define CLEW_RUNTIME_RECORD_SHADOW_SHADOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/segment.h"

enum {
    WORD_SIZE = 8,
    REGION_BITS = 22, /* a region covers 4 MiB */
    REGION_WORDS = (1 << REGION_BITS) / WORD_SIZE,
    CHUNK_WORDS = REGION_WORDS / 64,
    BYTES_CHUNK_WORDS = 512,
    HALF_SIZE = WORD_SIZE / 2,
    HALVES = 2,
};

_Static_assert(CHUNK_WORDS * 64 == REGION_WORDS, "`ready` has a bit for each chunk");
_Static_assert(REGION_WORDS % (BYTES_CHUNK_WORDS * 64) == 0, "`bytes_ready` is of whole words");

/* Of accesses to a whole half of the word, or to both: a trail stands in each half. */
struct trails {
    _Atomic uint64_t last[2][HALVES]; /* by is_write and half of the word; 0: none */
};

/* Of all others: a trail stands in each byte. */
struct byte_trails {
    _Atomic uint64_t last[2][WORD_SIZE]; /* by is_write and byte of the word; 0: none */
};

_Static_assert(sizeof(struct trails) == 32, "half a cache line");
_Static_assert(sizeof(struct byte_trails) == 128, "two cache lines");

struct region {
    struct region *next;    /* made before this one */
    _Atomic uint64_t ready; /* chunks whose pages are there, a bit for each */
    _Atomic uint64_t bytes_ready[REGION_WORDS / BYTES_CHUNK_WORDS / 64]; /* the same for bytes */
    _Atomic uint64_t shared[REGION_WORDS / 64]; /* words whose state says so, a bit for each */
    _Atomic uint64_t states[REGION_WORDS];      /* 0: never used */
    struct trails trails[REGION_WORDS];
    struct byte_trails bytes[REGION_WORDS];
};

/* By address >> REGION_BITS. NULL: there is no memory for it. */
extern struct region *_Atomic *shadow_regions;

/* Memory of our own, zero until it is touched; NULL when there is none. */
void *shadow_memory(uint64_t size);

/* Makes sure that the pages of some of it are there, for memory that is read before it is
 * written. */
void shadow_populate(void *at, size_t size);

/* Makes the table. */
void shadow_start(void);

/* In a child that has just been forked: every word is as new. */
void shadow_forked(void);

/* The region that covers the address, with the address's chunk ready; NULL when there is no memory
 * for it. */
struct region *shadow_make(uintptr_t address);

/* Allocates the trails of the word's single bytes. */
void shadow_make_bytes(struct region *region, size_t index);

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

/* Whether the word is known to be shared. If not, its state decides. */
static inline bool shadow_is_shared(const struct region *region, size_t index)
{
    return (atomic_load_explicit(&region->shared[index / 64], memory_order_relaxed) >> index % 64 &
            1) != 0;
}

/* The word has become shared. */
static inline void shadow_share(struct region *region, size_t index)
{
    (void)atomic_fetch_or_explicit(&region->shared[index / 64], UINT64_C(1) << index % 64,
                                   memory_order_relaxed);
}

/* Whether a word's chunk is ready. One that is not would do as well, but slowly: each page would
 * first be mapped when it is read and then once more when it is written. */
static inline bool shadow_is_ready(const struct region *region, size_t index)
{
    return (atomic_load_explicit(&region->ready, memory_order_relaxed) >> index / CHUNK_WORDS &
            1) != 0;
}

/* Whether the trails of the word's single bytes are allocated; if not, there are none. */
static inline bool shadow_has_bytes(const struct region *region, size_t index)
{
    const size_t chunk = index / BYTES_CHUNK_WORDS;
    return (atomic_load_explicit(&region->bytes_ready[chunk / 64], memory_order_acquire) >>
                chunk % 64 &
            1) != 0;
}

#endif
