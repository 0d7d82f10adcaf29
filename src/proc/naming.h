/* Names for the addresses of one recorded process. Addresses appear in no file that outlives a run:
 *
 *     balance, accounts+16      a static variable: its symbol
 *     bank.c:42#3+8             in the third block allocated there
 *     table.bin+64              in a mapping that processes share: its file, or its number
 *     bank.c:57#1               anything else: the first object first used there
 *
 * Memory that is allocated again is another object. */
#ifndef CLEW_PROC_NAMING_H
#define CLEW_PROC_NAMING_H

#include <limits.h>
#include <stdint.h>

#include "base/map.h"
#include "base/out.h"
#include "base/vec.h"
#include "place/place.h"
#include "proc/blocks.h"
#include "proc/labels.h"
#include "trace/tables.h"

/* A stretch of memory that processes share. */
struct naming_shared {
    uint64_t start, size, offset;
    uint32_t name;
};

struct naming {
    struct tables *tables;
    struct places *places;
    struct map source_of;      /* program counter to name */
    struct map functions_of;   /* program counter and path of calls to name */
    char calls_path[PATH_MAX]; /* the table of paths: its file, "" when it has been looked for */
    const uint64_t *calls;     /* mapped; NULL: none */
    struct map object_of;      /* address, where no block is, to name */
    struct map part_of;        /* (number of a block, offset) to name */
    struct blocks blocks;
    struct blocks symbols; /* variables of modules that were looked up */
    struct labels labels;  /* names that were found before */
    VEC(struct naming_shared) shared;
    uint32_t block_count;   /* that have a number */
    struct map place_count; /* name of a place to how many objects have their names from it */
    struct out text;        /* where names are put together */
};

/* Names for process `number` of the recording in this folder. */
void naming_init(struct naming *g, struct tables *t, const char *folder, uint32_t number);
void naming_release(struct naming *g);

/* The name of a source place, 0 for none. A place may come with its path of calls (wire/segment.h),
 * which only naming_functions looks at. */
uint32_t naming_source(struct naming *g, uint64_t place);

/* The name of the functions that a place is in, 0 for none. */
uint32_t naming_functions(struct naming *g, uint64_t place);

/* The name of the object at an address that is used at `place`. */
uint32_t naming_object(struct naming *g, uint64_t address, uint64_t place);

/* The memory is a new block, allocated at `place`; its name. */
uint32_t naming_allocate(struct naming *g, uint64_t address, uint64_t size, uint64_t place);

/* The memory is a thread's stack: what lies there is nothing that lay there before. */
void naming_stack(struct naming *g, uint64_t address, uint64_t size);

/* What lies in this stretch is named by it: "NAME+OFFSET". */
void naming_share(struct naming *g, struct naming_shared shared);

#endif
