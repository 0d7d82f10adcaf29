/* Pending clocks: the vector clock of a release, kept until the acquires that it orders have taken
 * it. A list of pending is first in, first out:
 *
 *     send of m --put--> [ pending_clock ][ pending_clock ] --take--> receive of m
 *
 * The last pending_clock taken is kept for a second take (a message received twice, a task joined
 * twice), but of all lists together only the PENDING_KEPT_MAX latest. If too many are never taken,
 * the oldest are lost. So memory grows with the undelivered messages, not with all of them.
 */
#ifndef CLEW_RACE_OBSERVED_PENDING_CLOCKS_H
#define CLEW_RACE_OBSERVED_PENDING_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "race/vector_clock.h"

#define PENDING_NONE UINT32_MAX

enum { PENDING_KEPT_MAX = 4096 };

struct pending_clock {
    uint64_t index;      /* of the event that put it */
    uint64_t begin, end; /* bytes of a stream */
    uint32_t task, location;
    uint32_t row; /* the clock, in the table of the pending' owner */
    uint32_t list;
    uint32_t next;           /* in its list */
    uint32_t earlier, later; /* of all lists, in the order they were put */
    bool is_for_all;         /* a notify that serves any number of waits */
};

struct pending_clock_list {
    uint32_t first, last; /* not taken yet */
    uint32_t kept;        /* the last one taken */
    uint64_t kept_ticket;
    uint64_t lost_count; /* pending lost before they were taken */
    bool was_put;        /* at least once */
};

struct pending_clocks {
    struct clocks *clocks;
    VEC(struct pending_clock) pool;
    VEC(uint32_t) unused;
    VEC(struct pending_clock_list) lists;
    uint32_t earliest, latest; /* of those not taken */
    size_t count, count_max;
    uint64_t lost_count;
    uint64_t ticket_next;
    uint32_t kept_lists[PENDING_KEPT_MAX]; /* by ticket: the list that keeps a pending_clock */
};

/* Rows of pending come from the clocks and return there; the clocks must outlive p. */
void pending_clocks_init(struct pending_clocks *p, struct clocks *clocks);
void pending_clocks_release(struct pending_clocks *p);

/* A new list, empty. */
uint32_t pending_clocks_list_new(struct pending_clocks *p);

/* Appends a pending_clock with a copy of the row; index, task and so on are the caller's to fill
 * in. Rows move. Where there are more than count_max, the one put first is lost. */
struct pending_clock *pending_clocks_put(struct pending_clocks *p, uint32_t list, uint32_t row);

/* The first pending_clock not taken yet, NULL when there is none. */
static inline struct pending_clock *pending_clocks_first(const struct pending_clocks *p,
                                                         uint32_t list)
{
    const uint32_t first = p->lists.at[list].first;
    return first == PENDING_NONE ? NULL : &p->pool.at[first];
}

static inline struct pending_clock *pending_clocks_next(const struct pending_clocks *p,
                                                        const struct pending_clock *pending_clock)
{
    return pending_clock->next == PENDING_NONE ? NULL : &p->pool.at[pending_clock->next];
}

/* Takes the first pending_clock; when all are taken, the last one again. NULL when there never was
 * one or it is gone. Valid until the next put or take. */
const struct pending_clock *pending_clocks_take(struct pending_clocks *p, uint32_t list);

/* Removes a pending_clock for good: the first of the list when `before` is NULL, else the one
 * after. */
void pending_clocks_drop(struct pending_clocks *p, uint32_t list, struct pending_clock *before);

#endif
