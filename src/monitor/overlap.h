/* The states of a cut on the clocks of their processes, and why they can have occurred at one
 * moment.
 *
 * A process is in its state from its last report taken up to its next one. Two states whose times
 * do not overlap occur at one moment only if the clocks differ by the distance between them. */
#ifndef CLEW_MONITOR_OVERLAP_H
#define CLEW_MONITOR_OVERLAP_H

#include "monitor/offline/state_history.h"
#include "trace/finding.h"

/* The interval in which a process is in its state, by its own clock. */
struct overlap_state {
    bool has_entered; /* false: the state is the first, or the report has no time */
    bool has_left;    /* false: the state is the last */
    int64_t entered, left;
};
struct overlap_state overlap_state(const struct state_history *h, uint32_t process, uint32_t taken);

struct overlap {
    bool has_pair; /* some state was left, and some entered */
    uint32_t early,
        late; /* the process that left its state first, and the one that entered its state last */
    int64_t left, entered;
    int64_t skew_needed; /* the least clock difference with which the cut exists; in ticks */
};
/* Examines the processes of `among`, or all processes when it is NULL. */
struct overlap overlap_find(const struct state_history *h, const uint32_t *taken,
                            const struct bits *among);

/* The least skew with which some cut shows the property. */
struct overlap_least {
    int64_t skew;
    bool is_exact; /* false: a smaller skew may suffice */
};

/* Sentences: by how much the states miss each other or overlap, which message would have ruled the
 * cut out, and the least skew. One line for each process of `reads` shows its state as a bar. ""
 * where clocks say nothing. In the arena of f. */
const char *overlap_text(const struct state_history *h, const uint32_t *taken,
                         const struct bits *reads, const struct overlap_least *least,
                         struct findings *f);

#endif
