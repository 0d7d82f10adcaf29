/* A cut that shows something: looked at again by itself, and told. */
#ifndef CLEW_MONITOR_CUT_WITNESS_H
#define CLEW_MONITOR_CUT_WITNESS_H

#include "monitor/offline/state_history.h"
#include "trace/finding.h"

/* Whether `taken` is a cut and the formula certainly holds in it, found out anew from reports and
 * values. */
bool witness_holds(const struct state_history *h, uint32_t root, const uint32_t *taken);

/* The cut in words, a line for each process: its values, the last event taken with its hybrid
 * clock, and from when to when; and the messages on their way. In the arena of f. */
const char *witness_text(const struct state_history *h, const struct spec *s, const uint32_t *taken,
                         struct findings *f);

/* The processes whose variables the formula reads. In the arena. */
struct bits witness_processes(const struct state_history *h, uint32_t root, struct arena *a);

/* The state of each process as a reader of JSON takes it. In the arena of f. */
struct finding_state *witness_states(const struct state_history *h, const struct spec *s,
                                     const uint32_t *taken, struct findings *f);

/* The last events taken that set a variable which the formula reads. */
struct witness_events {
    struct finding_event *at;
    size_t count;
};
struct witness_events witness_events(const struct state_history *h, uint32_t root,
                                     const uint32_t *taken, uint32_t input, struct findings *f);

#endif
