/* Small random systems whose runs always end: nodes with a few bits of state, which react to a
 * message by a table: a new state, and messages to others. Messages wear out, so that a run has at
 * most a dozen steps. */
#ifndef CLEW_TEST_RANDOM_SYSTEM_H
#define CLEW_TEST_RANDOM_SYSTEM_H

#include "sim/sim.h"
#include "wire/prng.h"

struct random_system_options {
    bool has_timers;
    bool has_disk;
    bool tells_writes;    /* a completed write sends a message to some node */
    bool can_fail;        /* some states break a property */
    bool can_clash;       /* some states of two nodes at the same moment break properties */
    bool can_crash;       /* a node crashes in some state */
    bool has_unignorable; /* some messages may not be ignored */
};

/* Makes the system that all handlers speak for, until the next is made. */
const struct clew_system *random_system(struct prng *prng, const struct random_system_options *o);

#endif
