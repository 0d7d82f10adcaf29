/* The witness of a property: a cut that shows it, checked again independently and described in
 * words and as JSON. */
#ifndef CLEW_MONITOR_CUT_WITNESS_H
#define CLEW_MONITOR_CUT_WITNESS_H

#include "monitor/offline/state_history.h"
#include "trace/finding.h"

/* Whether `taken` is a cut and the formula certainly holds in it. The check reads reports and
 * values again and uses no result of the search. */
bool witness_holds(const struct state_history *h, uint32_t root, const uint32_t *taken);

/* The cut as text, one line a process: its values, the last event taken with its hybrid logical
 * clock, and the interval of the state. The messages in transit follow. In the arena of f. */
const char *witness_text(const struct state_history *h, const struct spec *s, const uint32_t *taken,
                         struct findings *f);

/* The processes whose variables the formula reads. In the arena. */
struct bits witness_processes(const struct state_history *h, uint32_t root, struct arena *a);

/* The state of each process, for the findings as JSON. In the arena of f. */
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
