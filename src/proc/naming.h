/* Names for the addresses of one recorded process. Addresses appear in no file that outlives a run:
 * a static variable is its symbol, anything else the place where it was first used and how many
 * were first used there before it. */
#ifndef CLEW_PROC_NAMING_H
#define CLEW_PROC_NAMING_H

#include <stdint.h>

#include "base/map.h"
#include "base/out.h"
#include "place/place.h"
#include "trace/tables.h"

struct naming {
    struct tables *tables;
    struct places *places;
    struct map source_of;   /* program counter to name */
    struct map object_of;   /* address to name */
    struct map first_count; /* name of a place to how many objects were first used there */
    struct out text;        /* where names are put together */
};

void naming_init(struct naming *g, struct tables *t);
void naming_release(struct naming *g);

/* The name of a source place, 0 for none. */
uint32_t naming_source(struct naming *g, uint64_t place);

/* The name of the object at an address that is used at `place`. */
uint32_t naming_object(struct naming *g, uint64_t address, uint64_t place);

/* The memory is gone: a later use of an address in it is another object. */
void naming_forget(struct naming *g, uint64_t address, uint64_t size);

#endif
