/* Is a cycle of requests a deadlock that a prefix of a real execution reaches?
 *
 *     struct deadlock_prover *p = deadlock_prover_new(hb, &cycles, &options);
 *     if (deadlock_show(p, cycle)) { ... sync-preserving reordering shows it ... }
 *     deadlock_check(p);
 *     ... deadlock_is_proved(p, cycle) ... deadlock_decide(p, other, choice_max, &order) ...
 *     deadlock_prover_free(p);
 *
 * A request stands for all events that look alike; which of them meet is chosen here, and noted in
 * the members of the cycle. */
#ifndef CLEW_RACE_DEADLOCK_DEADLOCK_PREFIX_H
#define CLEW_RACE_DEADLOCK_DEADLOCK_PREFIX_H

#include "race/deadlock/lock_cycle.h"
#include "race/feasible/feasible.h"

struct deadlock_prover;

/* For cycles of the trace of hb, which was built with HB_STRICT; both outlive it. The options are
 * those of single questions to feasible.h. */
struct deadlock_prover *deadlock_prover_new(const struct hb *hb, struct lock_cycles *c,
                                            const struct feasible_options *o);
void deadlock_prover_free(struct deadlock_prover *p);

/* Whether some choice of events is reached by a sync-preserving prefix: the least closed cut with
 * all that they need holds none of them. Events are given up for good when a cut of the others
 * holds them, so this takes one cut per event at most (Tunc et al., PLDI 2023). */
bool deadlock_show(struct deadlock_prover *p, const struct lock_cycle *cycle);

/* Replays the witnesses of all that was shown since the last call, by the independent checker. */
void deadlock_check(struct deadlock_prover *p);

/* Whether the cycle was shown, and its witness holds. */
bool deadlock_is_proved(const struct deadlock_prover *p, const struct lock_cycle *cycle);

/* The witness of a proved cycle: the events of its prefix and then its requests. O(events). */
void deadlock_order(struct deadlock_prover *p, const struct lock_cycle *cycle, sound_order *order);

/* Whether some choice of events, of the first choice_max, is reached by a prefix in which every
 * read sees the write it saw. When yes, the order is a witness that holds. */
enum race_verdict deadlock_decide(struct deadlock_prover *p, const struct lock_cycle *cycle,
                                  uint32_t choice_max, sound_order *order);

/* The counters of feasible.h. */
const struct feasible_stats *deadlock_stats(const struct deadlock_prover *p);

/* The section in which the index-th member of a cycle holds the lock that the one before it asks
 * for. */
const struct section *deadlock_hold(const struct lock_cycles *c, const struct lock_cycle *cycle,
                                    uint32_t index);

#endif
