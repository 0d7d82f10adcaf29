/* The accesses to one variable, or to two, task by task: the input of models and the list of
 * candidates.
 *
 *     struct sketch s;
 *     sketch_build(&s, &frame, x, VARIABLE_NONE);
 *     sketch_release(&s);
 */
#ifndef CLEW_ATOMICITY_VARIABLE_ACCESSES_H
#define CLEW_ATOMICITY_VARIABLE_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "atomicity/sync_skeleton.h"
#include "base/arena.h"

#define VARIABLE_NONE UINT32_MAX

struct sketch_access {
    uint32_t number; /* of frame.variables.accesses */
    event_id event;
    uint8_t which; /* 0: of x, 1: of y */
    bool is_write;
    bool is_related; /* of a resource above or below x, not of x itself */
};

/* The accesses of a task: list[first .. end). */
struct sketch_thread {
    uint32_t task;
    uint32_t first, end;
};

/* Open for reading. */
struct sketch {
    const struct frame *frame;
    uint32_t variables[2];      /* x, and y or VARIABLE_NONE */
    struct sketch_access *list; /* by task, then as listed */
    uint32_t count;
    struct sketch_thread *threads; /* tasks that have accesses, in their order */
    uint32_t thread_count;
    struct arena arena;
};

/* Collects the accesses to x, to the resources above and below it, and to y (VARIABLE_NONE: to x
 * and its relations alone). O(accesses + tasks); with relations, O(n log n). */
void sketch_build(struct sketch *s, const struct frame *f, uint32_t x, uint32_t y);
void sketch_release(struct sketch *s);

#endif
