/* Races shown by cuts, each checked by replay before it is reported.
 *
 *     struct proof_stats stats;
 *     proof_find(hb, &(struct proof_options){.found = tell, .context = c}, &stats);
 *
 * The search (sync_preserving.h) and the checker (witness.h) share no code: an error of the search
 * is refused and counted. */
#ifndef CLEW_RACE_SOUND_VERIFY_H
#define CLEW_RACE_SOUND_VERIFY_H

#include <stdint.h>

#include "order/hb.h"
#include "race/sound/sync_preserving.h"
#include "race/witness/witness.h"

struct proof_options {
    /* Asked about each race as it is found, before it is checked: whether the search may end. NULL:
     * it may not. */
    bool (*is_enough)(void *context, const struct sound_pair *pair);
    /* Called for each race that holds, in the order they were found. */
    void (*found)(void *context, const struct sound_race *race);
    void *context;
    bool skips_data, skips_messages;
    bool wants_least_cuts; /* the reported and checked cut holds only the needs of the pair. A check
                            * then replays the whole cut, not its difference from the list */
    struct limit_watch *watch; /* ends searching and checking; NULL: none */
};

struct proof_stats {
    uint64_t shown;   /* checked and reported */
    uint64_t refused; /* by the checker, hence not reported. A bug of clew where sound_is_certain */
};

/* Finds races by places as sound_find does, and tells those whose witness holds, in the order they
 * were found. O(events * tasks), about, and for each race the part of its witness that is not the
 * list itself. */
void proof_find(const struct hb *hb, const struct proof_options *o, struct proof_stats *stats);

/* The same for pairs that are asked about. */
void proof_ask(const struct hb *hb, const struct sound_pair *pairs, size_t count,
               const struct proof_options *o, struct proof_stats *stats);

/* A checker that knows the orders given by the user, if any. */
MUST_USE struct witness_checker *proof_checker_new(const struct hb *hb);

#endif
