/* Saturation: the orders that follow because sections of a lock and handlers of a task cannot
 * overlap, and waits need a notify.
 *
 *     L1 [ .... ] U1                   if L1 is not after U2, the first section is not the later
 *            \                         one: it is over before the other begins, U1 < L2
 *        L2 [ .... ] U2
 *
 * Each order found may force the next, up to a fixpoint. Choices that remain stay open. */
#ifndef CLEW_ORDER_SATURATE_H
#define CLEW_ORDER_SATURATE_H

#include <stdbool.h>

#include "base/limit.h"
#include "order/hb.h"

/* Whether edges lead into a handler behind its first event. Where no handler has such edges, an
 * event of another context is before a handler's exactly when it is before the handler's first. */
bool saturate_handler_is_joined(const struct hb *hb, uint32_t context);

/* Whether an event of a handler precedes anything outside of it except the main event after the
 * handler's end. */
bool saturate_leads_out(const struct hb *hb, event_id id);

/* Adds the forced orders to a strict relation, in scope REACH_ALL and HB_BOTH. Sets
 * is_contradictory when they leave no order at all. False when the watch (NULL: none) expired: the
 * relation then lacks some of the orders. O(rounds * (joins * tasks + sections * tasks)), and where
 * handlers take part pairs of handlers. */
MUST_USE bool saturate(struct hb *hb, struct limit_watch *w);

/* The same in scope REACH_NODE, for a relation in which no handler is joined, no lock contended and
 * no wait notified; it is never contradictory. O(joins * tasks), and a sweep over all edges for
 * each 64 handlers that lead out. */
void saturate_handlers(struct hb *hb);

#endif
