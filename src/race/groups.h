/* The results so far: counts, and for each pair of places its first pair of events.
 *
 * Pairs of events with the same two places and variable are one finding, which contains their
 * number. */
#ifndef CLEW_RACE_GROUPS_H
#define CLEW_RACE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "race/allocation_class.h"
#include "race/race.h"
#include "trace/trace.h"

/* Two accesses, with the messages that brought them if the messages race. If `first` is EVENT_NONE:
 * two messages whose handlers access no common variable. */
struct race_pair {
    event_id first, second; /* as listed */
    event_id send;          /* of the message received later; EVENT_NONE: no messages */
    event_id receive;       /* of the message received earlier */
};

/* Pairs that look alike. */
struct race_group {
    struct race_pair
        pair; /* the one whose second access is listed first, or the one that is shown */
    uint64_t pair_count;
    enum finding_grade grade;
    bool is_infeasible;      /* no prefix in which each read sees its write shows the pair; in a
                                recording: any of its pairs */
    bool is_use;             /* one of the two accesses is a free (use_after_free.h) */
    bool is_observed;        /* the run itself leaves a pair unordered; where places are decided */
    enum race_open open;     /* then: why it is neither sound, observed nor infeasible */
    const uint64_t *witness; /* an order that shows the pair, in groups.arena; NULL: none */
    size_t witness_count;
};

struct race_groups {
    const struct trace *t;
    const struct trace *run; /* t as it was observed, before it was relaxed (sync_relaxation.h) */
    const struct race_options *o;
    struct race_stats *stats;
    struct limit_watch watch; /* on the budget */
    VEC(struct race_group) groups;
    struct arena arena;
    struct map places;   /* (location, location) to a number */
    struct alike alike;  /* variables */
    struct map group_of; /* (number of the places, number of the variables) to group */

    /* Where places are decided: those that are shown or left open, by race_groups_key, and of uses
     * after free by their two places. */
    struct map judged, judged_uses;
    /* For a relaxed trace: the groups of the run itself, which was judged before, and the reason
     * to leave a pair open that only the relaxed trace allows. NULL: this is the run. */
    struct race_groups *before;
    enum race_open relaxed;

    /* Where the work is shared: ours is every turn_count-th turn, from turn_of on. */
    uint32_t turn_of, turn_count;
    uint64_t turn;
};

/* *stats is cleared. */
void race_groups_init(struct race_groups *y, const struct trace *t, const struct race_options *o,
                      struct race_stats *stats);
void race_groups_release(struct race_groups *y);

/* Counts pair_count races that look like this one, which is the first of them. */
void race_groups_add(struct race_groups *y, const struct race_pair *pair, uint64_t pair_count);

/* A number for the common properties of similar pairs: their places, in either order, and their
 * variable. Two groups give the same numbers only if they met the same pairs in the same order. */
uint64_t race_groups_key(struct race_groups *y, const struct race_pair *pair);

/* The group that looks like this pair, NULL when there is none; not where pairs are wanted one by
 * one. */
struct race_group *race_groups_find(struct race_groups *y, const struct race_pair *pair);

/* True if this process decides the next candidate; always, unless the work is shared. */
static inline bool race_groups_takes(struct race_groups *y)
{
    return y->turn_count == 0 || y->turn++ % y->turn_count == y->turn_of;
}

/* Tells whoever wants to hear of each candidate, and counts those nobody could decide. */
void race_groups_decided(struct race_groups *y, const struct race_decided *d);

/* Whether each pair of places is to be shown, refuted or left open. A pair that strict cannot
 * decide is then a candidate like one that it allows. */
bool race_groups_decides_places(const struct race_groups *y);

/* True when races are kept one by one: pairs are wanted, and somebody will see them. */
bool race_groups_keeps_pairs(const struct race_groups *y);

/* True if the options ask for a report of every candidate. */
bool race_groups_wants_each(const struct race_groups *y);

/* The groups in listed order of their pairs; ends adding. */
void race_groups_sort(struct race_groups *y);

#endif
