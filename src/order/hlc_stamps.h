/* Hybrid logical clocks for a trace that has none. They are computed from the physical times of its
 * events and from its messages, as processes with such clocks would (wire/hlc.h). */
#ifndef CLEW_ORDER_HLC_STAMPS_H
#define CLEW_ORDER_HLC_STAMPS_H

#include "order/order_graph.h"
#include "trace/trace.h"
#include "wire/hlc.h"

/* The processes that stamp, and the messages between them. */
struct hlc_processes {
    const uint32_t *process_of; /* per task */
    uint32_t process_count;
    const struct edges *messages; /* from a send to its receive */
    const event_id *order;        /* the events, those of each process in its order; NULL: t's */
};

/* The stamp of every event, in the arena. An event without a time has that of its predecessor in
 * its process. Where messages form a cycle, which no clocks allow, the first waiting event of the
 * trace is stamped without its message. O(events + messages). */
const struct hlc *hlc_build(const struct trace *t, const struct hlc_processes *p, struct arena *a);

#endif
