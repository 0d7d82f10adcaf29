/* The vector clock of each event: the number of events of every task that come before
 * it. Program order is each task's whole list, so the clock is complete: a is before b exactly when
 * b's clock counts a. */
#ifndef CLEW_ORDER_EVENT_CLOCK_H
#define CLEW_ORDER_EVENT_CLOCK_H

#include <stdint.h>

#include "order/hb.h"

/* Writes a number for each task of the trace: how many of its events are before the event, which
 * counts itself. The relation is HB_OBSERVED with REACH_ALL. O(tasks). */
void clock_at(const struct hb *hb, event_id id, uint32_t *counts);

#endif
