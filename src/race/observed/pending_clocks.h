/* Clocks under way: what an event has seen, kept from there until the events it orders have taken
 * it. A list of parcels is first in, first out:
 *
 *     send of m --put--> [ parcel ][ parcel ] --take--> receive of m
 *
 * The last parcel taken is kept for those that ask again (a message received twice, a task joined
 * twice), but of all lists together only the PARCELS_KEPT_MAX latest. When there are too many that
 * nobody takes, the oldest are lost. So memory follows what is under way, not what was. */
#ifndef CLEW_RACE_OBSERVED_PENDING_CLOCKS_H
#define CLEW_RACE_OBSERVED_PENDING_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "race/clock_table.h"

#define PARCEL_NONE UINT32_MAX

enum { PARCELS_KEPT_MAX = 4096 };

struct parcel {
    uint64_t index;      /* of the event that put it */
    uint64_t begin, end; /* bytes of a stream */
    uint32_t task, location;
    uint32_t row; /* the clock, in the table of the parcels' owner */
    uint32_t list;
    uint32_t next;           /* in its list */
    uint32_t earlier, later; /* of all lists, in the order they were put */
    bool is_for_all;         /* a notify that serves any number of waits */
};

struct parcel_list {
    uint32_t first, last; /* not taken yet */
    uint32_t kept;        /* the last one taken */
    uint64_t kept_ticket;
    uint64_t lost_count; /* parcels lost before they were taken */
    bool was_put;        /* at least once */
};

struct parcels {
    struct clocks *clocks;
    VEC(struct parcel) pool;
    VEC(uint32_t) unused;
    VEC(struct parcel_list) lists;
    uint32_t earliest, latest; /* of those not taken */
    size_t count, count_max;
    uint64_t lost_count;
    uint64_t ticket_next;
    uint32_t kept_lists[PARCELS_KEPT_MAX]; /* by ticket: the list that keeps a parcel */
};

/* Rows of parcels are taken from and given back to the clocks, which must outlive p. */
void parcels_init(struct parcels *p, struct clocks *clocks);
void parcels_release(struct parcels *p);

/* A new list, empty. */
uint32_t parcels_list_new(struct parcels *p);

/* Appends a parcel with a copy of the row; index, task and so on are the caller's to fill in. Rows
 * move. Where there are more than count_max, the one put first is lost. */
struct parcel *parcels_put(struct parcels *p, uint32_t list, uint32_t row);

/* The first parcel not taken yet, NULL when there is none. */
static inline struct parcel *parcels_first(const struct parcels *p, uint32_t list)
{
    const uint32_t first = p->lists.at[list].first;
    return first == PARCEL_NONE ? NULL : &p->pool.at[first];
}

static inline struct parcel *parcels_next(const struct parcels *p, const struct parcel *parcel)
{
    return parcel->next == PARCEL_NONE ? NULL : &p->pool.at[parcel->next];
}

/* Takes the first parcel; when all are taken, the last one again. NULL when there never was one or
 * it is gone. Valid until the next put or take. */
const struct parcel *parcels_take(struct parcels *p, uint32_t list);

/* Removes a parcel for good: the first of the list when `before` is NULL, else the one after. */
void parcels_drop(struct parcels *p, uint32_t list, struct parcel *before);

#endif
