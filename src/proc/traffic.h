/* How the messages of a recording fared: received from a recorded sender, from nobody that was
 * recorded, or, which must not be, from a recorded one that had not sent so much. Streams count by
 * bytes, datagrams by their names. */
#ifndef CLEW_PROC_TRAFFIC_H
#define CLEW_PROC_TRAFFIC_H

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "wire/event.h"

/* One directed channel. */
struct traffic_channel {
    uint64_t sent, received; /* bytes */
};

struct traffic {
    struct map channel_of; /* name to index */
    VEC(struct traffic_channel) channels;
    uint64_t matched, unmatched, external; /* receipts */
};

/* Takes the next event of the trace, in its order. */
void traffic_take(struct traffic *t, const struct event *event);
void traffic_release(struct traffic *t);

#endif
