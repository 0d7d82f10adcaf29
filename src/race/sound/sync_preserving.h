/* Races that a prefix of a real execution shows, found by sync-preserving reordering: near-linear,
 * without a solver. The definitions and the proof are in docs/theory/races.md; a race that it
 * misses may still be feasible (feasible.h).
 *
 * A prefix is given as a cut (closure.h): the number of events of each task, in the order of the
 * execution. */
#ifndef CLEW_RACE_SOUND_SYNC_PRESERVING_H
#define CLEW_RACE_SOUND_SYNC_PRESERVING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limit.h"
#include "base/vec.h"
#include "order/hb.h"

struct sound_pair {
    bool is_message;
    /* Two accesses by different tasks, as listed; or the SEND of the message received later and the
     * RECV of the one received earlier. */
    event_id a, b;
};

/* A race found. The cut is valid during the call only. */
struct sound_race {
    struct sound_pair pair;
    const uint32_t *cut; /* per task: how many of its events come before the pair */
};

struct sound_options {
    /* Called for each race; false: enough, the search ends. */
    bool (*found)(void *context, const struct sound_race *race);
    void *context;
    bool skips_data, skips_messages;
    /* Cuts also hold all events listed before the pair, if those are a prefix too: the difference
     * from the list is then short, and fast to check. */
    bool extends_cuts;
    struct limit_watch *watch; /* ends the search; NULL: none */
    size_t past_max;           /* cuts kept of the past; 0: as many as fit into 256 MiB */
};

/* A cut has a number per task, and every task has a cut: beyond this many, nothing is searched. */
enum { SOUND_TASKS_MAX = 8192 };

/* Why nothing can be proved about the trace of hb, NULL when something can: a recording needs
 * hb->reads. */
const char *sound_refusal(const struct hb *hb);

/* False if the trace contradicts every execution (sections of one lock that overlap, contradictory
 * orders), or has no linear order. Races found must then be checked; otherwise a check can only
 * find bugs of clew. O(sections). */
bool sound_is_certain(const struct hb *hb);

/* Finds the races of the trace of hb, which was built with HB_STRICT: for every variable and pair
 * of places (source place, kind of access), or receiver and pair of places, the first pair that is
 * shown. O(events * tasks), about. */
void sound_find(const struct hb *hb, const struct sound_options *o);

/* Decides these pairs, in any order; `found` is called for those that are shown. O(events + pairs),
 * about. */
void sound_ask(const struct hb *hb, const struct sound_pair *pairs, size_t count,
               const struct sound_options *o);

/* Events in an order. */
typedef VEC(event_id) sound_order;

/* Fills the order with the events of the cut and then the pair (for messages: the receive). */
void sound_order_of(const struct hb *hb, const struct sound_race *race, sound_order *order);

#endif
