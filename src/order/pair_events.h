/* Pairs the events of two traces, for showing them side by side: for each task that both have, a
 * longest common subsequence of its operations. (order/align.h compares by causality too, and
 * reports differences instead of pairs.)
 *
 *     uint32_t *partners = mem_zero(first->events.count + 1, sizeof *partners);
 *     pair_events(first, second, partners);
 *     const event_id from = pair_divergence(first, second, partners);
 */
#ifndef CLEW_ORDER_PAIR_EVENTS_H
#define CLEW_ORDER_PAIR_EVENTS_H

#include "trace/trace.h"

/* For each event of the first, its partner in the second or EVENT_NONE. An operation is a kind, an
 * object, the other task, and the message without its number. O(events), and for differences as
 * order/subsequence.h says. */
void pair_events(const struct trace *first, const struct trace *second, event_id *partners);

/* The event of the first where the two part; EVENT_NONE: nowhere. Where both lists are executions
 * (ORDER_EXACT), the first event that is another one in the second; else the first without a
 * partner. */
event_id pair_divergence(const struct trace *first, const struct trace *second,
                         const event_id *partners);

#endif
