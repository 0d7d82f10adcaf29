/* How the messages of a recording fared: received from a recorded sender, from nobody that was
 * recorded, or from a recorded one that had not sent so much as far as anybody saw. Streams count
 * by bytes, datagrams by their names. */
#ifndef CLEW_PROC_RECORD_MESSAGE_STATS_H
#define CLEW_PROC_RECORD_MESSAGE_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "wire/event.h"

/* One directed channel. */
struct traffic_channel {
    uint64_t sent, received; /* bytes */
    bool has_unseen;         /* more was received than sent: from there on bytes tell nothing */
};

struct traffic {
    struct map channel_of; /* name to index */
    VEC(struct traffic_channel) channels;
    uint64_t matched, unmatched, external; /* receipts */
};

/* Takes the next event of the trace, in its order. False for a receipt whose sender nobody saw,
 * though others of its channel were seen: libc writes for stdio where no hook is. */
bool traffic_take(struct traffic *t, const struct event *event);
void traffic_release(struct traffic *t);

#endif
