/* Who decides a candidate: the strict engine, a solver, or another program's rules. */
#ifndef CLEW_RACE_JUDGE_H
#define CLEW_RACE_JUDGE_H

#include "race/race.h"
#include "trace/trace.h"

struct judge {
    /* Could the two accesses, by different tasks, be side by side? */
    enum race_verdict (*data)(void *self, event_id a, event_id b);
    /* Could the send (of the message received later) come before the receive (of the one received
     * earlier)? */
    enum race_verdict (*message)(void *self, event_id send, event_id receive);
    void *self;
};

#endif
