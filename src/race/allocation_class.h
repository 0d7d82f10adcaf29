/* Which variables look alike: memory that was allocated at one place, whichever block and whichever
 * part of it. A recording calls it PLACE#BLOCK+OFFSET, a run under control
 * PLACE@TASK#BLOCK.COPY+OFFSET, and a program that handles a thousand blocks wrongly does so at one
 * pair of places. */
#ifndef CLEW_RACE_ALLOCATION_CLASS_H
#define CLEW_RACE_ALLOCATION_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/names.h"

/* The length of the part that similar names share: the name up to "#7", "#7+16", "#7.2+16" or
 * "@main/1#7" at its end, or all of it. */
size_t alike_size(const char *name, size_t size);

struct alike {
    struct names stems;   /* the shared parts of names */
    struct map stem_of;   /* name to stem */
    struct map number_of; /* (node, stem) to a number, by appearance */
};

void alike_init(struct alike *a);
void alike_release(struct alike *a);

/* The number of all variables of a node that look like this one. */
uint32_t alike_number(struct alike *a, const struct names *names, uint32_t node, uint32_t object);

#endif
