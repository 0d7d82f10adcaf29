/* The events that SPIDER leaves out before it looks for races (its -r; --compat spider --prune):
 * its reading of ReX (Huang and Rajagopalan 2017), algorithms 1 to 4 of the dissertation, as the
 * published program has them.
 *
 * An access is redundant when two tasks, or its own task, already accessed something at its
 * location with the same concurrency context. The context of a task is a set: the locks it
 * released, the sockets it sent to (with the location) and the tasks it created. The key has
 * neither the variable nor the kind of access, and a set does not grow with a second send: so races
 * are lost, which is why clew itself prunes otherwise (race/prune.h). Then whole blocks go in which
 * nothing is left that orders other tasks: handlers, sections of locks, created tasks. */
#ifndef CLEW_RACE_COMPAT_SPIDER_PRUNE_H
#define CLEW_RACE_COMPAT_SPIDER_PRUNE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "order/bucket.h"
#include "trace/trace.h"

struct spider_section;

struct spider_prune_input {
    const struct trace *t;
    const event_id *by_time; /* events as SPIDER goes through them; those it never sees left out */
    size_t event_count;      /* in by_time */
    struct buckets by_task;  /* the same, per task */
    const uint32_t *handler_of; /* per event: its handler, counted from 1; 0: none */
    const struct spider_section *sections;
    size_t section_count;
};

struct spider_pruned {
    struct bits events;                 /* in the arena */
    uint64_t access_count, block_count; /* accesses, and events of blocks that go with them */
};

void spider_prune(struct spider_pruned *p, const struct spider_prune_input *in,
                  struct arena *arena);

#endif
