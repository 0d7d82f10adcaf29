/* Message races across a pool of workers: messages to one address that different tasks handle.
 *
 *     a  SND m1 --.                    .--> w1  RCV m1  handler
 *                  >-- one address ---<
 *     b  SND m2 --'                    '--> w2  RCV m2  handler
 *
 * Either worker may get either message first. The address is the destination of the channel. Only
 * messages that are handled count: without handlers a server with many connections would be nothing
 * but such pairs. */
#ifndef CLEW_RACE_WORKER_POOL_H
#define CLEW_RACE_WORKER_POOL_H

#include <stdbool.h>

#include "race/decider.h"
#include "race/groups.h"
#include "race/message_races.h"

/* Per event, into the arena: the number, from 1, of the address of a receive whose message is
 * handled and goes to a pool; 0 for all others. NULL when there is no pool. */
const uint32_t *pool_addresses(const struct hb *hb, struct arena *a);

/* Whether different tasks handle messages to one address. O(handlers). */
bool pool_is_there(const struct hb *hb);

/* Decides every two messages of a pool by the judge, and reports the accesses of their handlers
 * that conflict, unless these race by themselves. O(pairs of messages). */
void pool_judge(struct race_groups *y, const struct swap_input *in, const struct judge *judge);

#endif
