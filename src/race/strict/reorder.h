/* Builds an order in which a pair races out of parts of the list: a fast way to show a candidate.
 *
 * The list is one allowed order. Take out of it the events that must come first; put the pair
 * behind them, then the events that end the open sections, then the rest, each part as listed:
 *
 *     list       . . a . . . . . . b . . . . .
 *     spliced    [needs of a and b] [a b] [until no section is open] [the rest]
 *
 * Each part obeys the rules as the list does, so only sections that are open between two parts can
 * break them. The first part may have to be cut again, so that such sections begin late enough, and
 * the third, so that they end one after the other. If that fails, the answer is unknown. */
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
    uint32_t *needed; /* the needs of the pair */
    uint32_t *first;  /* the first part: those, and the events that end the sections open there */
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
