/* Hybrid logical stamps of a trace that has none: computed from the physical times of its events
 * and from its messages, as processes that carry such clocks would have (wire/hlc.h). */
#ifndef CLEW_ORDER_HLC_STAMPS_H
#define CLEW_ORDER_HLC_STAMPS_H

#include "order/order_graph.h"
#include "trace/trace.h"
#include "wire/hlc.h"

/* Who stamps, and what was received from whom. */
struct hlc_processes {
    const uint32_t *process_of; /* per task */
    uint32_t process_count;
    const struct edges *messages; /* from a send to its receive */
    const event_id *order;        /* the events, those of each process in its order; NULL: t's */
};

/* The stamp of every event, in the arena. An event without a time has that of the one before it in
 * its process. Where messages need each other in a circle, which no clocks allow, the first event
 * of the trace that waits is stamped as if its message said nothing. O(events + messages). */
const struct hlc *hlc_build(const struct trace *t, const struct hlc_processes *p, struct arena *a);

#endif
