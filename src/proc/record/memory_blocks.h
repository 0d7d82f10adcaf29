/* Stretches of a process's memory that were allocated as one, by address. A new stretch takes the
 * place of all it overlaps; one that was freed stays until then, so that a use after that still has
 * its name.
 *
 * Small ones are found through the pages they touch, large ones in a sorted list. */
#ifndef CLEW_PROC_RECORD_MEMORY_BLOCKS_H
#define CLEW_PROC_RECORD_MEMORY_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

struct block {
    uint64_t base, size;
    uint32_t name;    /* 0: its first use gives it a name */
    uint32_t number;  /* once something in it has been named; 0 before */
    uint32_t links;   /* pages that still lead here */
    uint32_t mapping; /* number plus one of the shared mapping that it is; 0: none */
    bool is_gone;     /* another has taken its place */
};

struct block_span {
    uint64_t start, size;
};

struct block_link {
    uint32_t block, next; /* next: index plus one, 0 for none */
};

/* {0} has no blocks. */
struct blocks {
    VEC(struct block) all;
    VEC(uint32_t) unused; /* places in `all` to take again */
    VEC(struct block_link) links;
    VEC(uint32_t) links_unused;
    struct map first_of_page; /* page to first link plus one */
    VEC(uint32_t) large;      /* by address */
    uint64_t lowest, end;     /* no stretch was ever below or behind; 0, 0: there was none */
};

/* Adds a stretch; of size 0 it counts as one byte. Returns where something changed: the stretch and
 * all that it replaced; of size 0 when it is none. Amortized O(size / page + blocks replaced), and
 * O(large blocks) for a large one. */
struct block_span blocks_add(struct blocks *b, uint64_t base, uint64_t size, uint32_t name);

/* The stretch that covers the address, NULL for none; valid until the next blocks_add. */
struct block *blocks_find(const struct blocks *b, uint64_t address);

void blocks_release(struct blocks *b);

#endif
