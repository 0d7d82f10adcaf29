/* Names for the addresses of one recorded process. Addresses appear in no file that outlives a run:
 *
 *     balance, accounts[2].sum  a static variable, by element and member
 *     bank.c:42#3+8             in the third block allocated there
 *     shm:table.bin+64          in memory that processes share (proc/record/shared_memory.h)
 *     descriptor:bank.c:60#1    the first file descriptor opened there
 *     bank.c:57#1               anything else: the first object first used there
 *
 * Memory that is allocated again is another object. */
#ifndef CLEW_PROC_RECORD_ADDRESS_NAMES_H
#define CLEW_PROC_RECORD_ADDRESS_NAMES_H

#include <limits.h>
#include <stdint.h>

#include "base/map.h"
#include "base/out.h"
#include "base/vec.h"
#include "place/place.h"
#include "proc/record/memory_blocks.h"
#include "proc/record/shared_memory.h"
#include "proc/record/word_names.h"
#include "trace/tables.h"
#include "wire/event.h"

/* A stretch of the process's memory that is a part of an object that processes share. */
struct naming_mapping {
    uint64_t start, size, offset;
    uint32_t object; /* number in shared_memory */
};

/* A table in a file of the process (wire/segment.h), mapped when it is first needed. */
struct naming_table {
    char path[PATH_MAX]; /* "" when it has been looked for */
    const uint64_t *at;  /* NULL: none */
    uint64_t count;
};

struct naming {
    struct tables *tables;
    struct places *places;
    struct map source_of;        /* program counter and path of calls to name */
    struct map origin_of;        /* program counter and list of calls to name, where memory ... */
    struct map allocation_of;    /* ... is allocated: to the name of the event, and of the block */
    struct map functions_of;     /* program counter and path of calls to name */
    struct map update_of;        /* program counter of a write to the operation of its update */
    struct naming_table calls;   /* of paths */
    struct naming_table origins; /* of lists of calls */
    struct map object_of;        /* address, where no block is, to name */
    struct map part_of;          /* (number of a block, offset) to name */
    struct blocks blocks;
    struct labels labels;                /* names that were found before */
    struct shared_memory *memory;        /* of the recording */
    VEC(struct naming_mapping) mappings; /* that are there, or were */
    VEC(struct naming_mapping) expected; /* that are still to come in the merge */
    uint32_t block_count;                /* that have a number */
    struct map place_count; /* name of a place to how many objects have their names from it */
    struct out text;        /* where names are put together */
};

/* Names for process `number` of the recording in this folder. */
void naming_init(struct naming *g, struct tables *t, struct shared_memory *memory,
                 const char *folder, uint32_t number);
void naming_release(struct naming *g);

/* The name of a source place, 0 for none. A place may come with its path of calls (wire/segment.h):
 * one in a header or library of the system is named by the program's line that called it. */
uint32_t naming_source(struct naming *g, uint64_t place);

/* The same where memory is allocated or released: the place comes with a list of calls. */
uint32_t naming_origin(struct naming *g, uint64_t place);

/* The name of the functions that a place is in, 0 for none. */
uint32_t naming_functions(struct naming *g, uint64_t place);

/* Whether the program may use the value that the call at this place returned. */
bool naming_uses_result(struct naming *g, uint64_t place);

/* Whether the program may decide anything by it. */
bool naming_tests_result(struct naming *g, uint64_t place);

/* Whether it does nothing with it. */
bool naming_ignores_result(struct naming *g, uint64_t place);

/* Gives a plain read or write its mode: the operation of the update that it belongs to, whose value
 * goes nowhere else. The writes of an update are known by its reads, which come before. Gives the
 * write of a constant its value. */
void naming_mark_access(struct naming *g, struct event *event, uint64_t place);

/* The name of the object at an address that is used at `place`. */
uint32_t naming_object(struct naming *g, uint64_t address, uint64_t place);

/* The memory is a new block, allocated at `place`, which comes with a list of calls; its name. */
uint32_t naming_allocate(struct naming *g, uint64_t address, uint64_t size, uint64_t place);

/* A file descriptor was opened, which the recorder knows by this address:
 * "descriptor:server.c:42#1".
 */
void naming_descriptor(struct naming *g, uint64_t address, uint64_t size, uint64_t place);

/* Where the allocated block begins that the address lies in; 0: in none. */
uint64_t naming_block(const struct naming *g, uint64_t address);

/* The memory is a thread's stack: earlier names in it are forgotten. */
void naming_stack(struct naming *g, uint64_t address, uint64_t size);

/* The process will map this; later, in the order of the merge: it maps it now. Words in it are
 * named after the mapped object: "NAME+OFFSET". A task may use the memory before the merge reaches
 * the mapping, because plain accesses have no stamps. */
void naming_expect_mapping(struct naming *g, struct naming_mapping mapping);
void naming_map(struct naming *g, struct naming_mapping mapping);

/* Whether the address lies in memory that processes share; *shared is then its
 * shared_memory_address. */
bool naming_is_shared(struct naming *g, uint64_t address, uint64_t *shared);

#endif
