/* Orders spliced from the list: a quick way to show that a candidate can be.
 *
 * The list is one allowed order. Cut out of it what must come first, put the pair behind, then what
 * the open sections need to end, then the rest, each part as listed:
 *
 *     list       . . a . . . . . . b . . . . .
 *     spliced    [what a and b need] [a b] [until no section is open] [the rest]
 *
 * Each part obeys what the list obeys, so only sections that are open between two parts can be in
 * the way. The first part may have to be cut again, so that such sections begin late enough, and
 * the third, so that they end one after the other. When nothing helps, nothing is said. */
#ifndef CLEW_RACE_STRICT_REORDER_H
#define CLEW_RACE_STRICT_REORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "order/bucket.h"
#include "order/hb.h"
#include "race/lockset.h"

struct reorder {
    const struct hb *hb;     /* strict and saturated */
    const struct held *held; /* of contended locks */
    struct contexts tasks;   /* each task's whole list is one chain here */
    struct graph graph;
    struct reach before;
    bool is_exact;               /* the chains and edges here say no more than hb does */
    struct buckets sections;     /* per holder (a lock and a task), numbers of sections */
    struct buckets holders;      /* per lock, its holders */
    const uint32_t *holder_task; /* per holder */

    /* Of the question at hand. A cut says how many events of each task are in. */
    uint32_t *needed;     /* what the pair needs */
    uint32_t *first;      /* the first part: that, and what ends the sections open there */
    VEC(uint32_t) pinned; /* sections that are open while the pair comes */
    struct arena scratch;
    struct arena arena;
};

enum reorder_answer {
    SPLICE_SILENT, /* nothing can be said */
    SPLICE_NO,     /* no order has it */
    SPLICE_YES,    /* an order was found */
};

/* Makes ready for questions about the relation, whose list is allowed (reorder_list_is_allowed). */
void reorder_build(struct reorder *s, const struct hb *hb, const struct held *held);
void reorder_release(struct reorder *s);

/* Whether the list is an allowed order: it obeys the edges, and no two sections that exclude each
 * other overlap in it. Handlers do not overlap in a list, and waits are served in it by their
 * definition. */
bool reorder_list_is_allowed(const struct hb *hb);

/* Is there an order that has a and b side by side (and may have them the other way round)? One that
 * has a before b? O(tasks * sections open at once), about. */
enum reorder_answer reorder_adjacent(struct reorder *s, event_id a, event_id b);
enum reorder_answer reorder_before(struct reorder *s, event_id a, event_id b);

#endif
