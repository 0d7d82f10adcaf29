/* Optimistic updates: a task reads a version in one critical section, and compares it in the next
 * one before it writes there:
 *
 *     lock; seen = version; old = data; unlock;
 *     lock; if (version == seen) { data = changed(old); version++; } unlock;
 *
 * What another task does to the data between the two sections changes the version, and the second
 * section then writes nothing. Recordings know which reads are compared with one another (mode
 * `compared`). */
#ifndef CLEW_ATOMICITY_COMPARED_AGAIN_H
#define CLEW_ATOMICITY_COMPARED_AGAIN_H

#include <stdbool.h>

#include "atomicity/shared_variable.h"
#include "base/map.h"
#include "base/vec.h"

struct frame;

struct compared_read {
    uint32_t section; /* the outermost around it */
    uint32_t variable;
    event_id event;
};

/* {0}: no read of the trace is compared. */
struct compared_reads {
    VEC(struct compared_read) list; /* by section, then as listed */
    struct map
        missed; /* (variable, version): some write of the variable leaves the version alone */
};

/* Collects them. O(accesses * versions + compared reads * log). */
void compared_build(struct compared_reads *c, const struct frame *f);
void compared_release(struct compared_reads *c);

/* Whether a version that is read in the section of the first access is compared in that of the
 * second, up to that access, and changes with each write of the variables of both. Takes numbers of
 * accesses of one task. O(compared reads of the sections). */
bool compared_guards(const struct compared_reads *c, const struct frame *f, uint32_t first,
                     uint32_t second);

#endif
