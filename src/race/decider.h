/* The engine that decides a candidate: the strict engine, a solver, or another program's rules. */
#ifndef CLEW_RACE_DECIDER_H
#define CLEW_RACE_DECIDER_H

#include "order/hb.h"
#include "race/access_classes.h"
#include "race/race.h"
#include "trace/trace.h"

struct judge {
    /* Could the two accesses, by different tasks, be side by side? */
    enum race_verdict (*data)(void *self, event_id a, event_id b);
    /* Could the send (of the message received later) come before the receive (of the one received
     * earlier)? */
    enum race_verdict (*message)(void *self, event_id send, event_id receive);
    /* Whether no access of the one class is ever beside one of the other: `data` would deny every
     * pair of theirs. NULL: that is not known of any classes. */
    bool (*excludes)(void *self, const struct access_class *first,
                     const struct access_class *second);
    /* `data` denies every pair that this orders, and the accesses of a class come in their order.
     * NULL: there is none. */
    const struct hb *order;
    void *self;
};

#endif
