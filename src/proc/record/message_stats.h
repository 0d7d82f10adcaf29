/* Counts the messages of a recording by sender: received from a recorded sender; from no recorded
 * process; or from a recorded sender that had not sent so much. Streams count by bytes, datagrams
 * by their names. */
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
    bool has_unseen; /* more was received than sent: its byte counts are useless from here on */
};

struct traffic {
    struct map channel_of; /* name to index */
    VEC(struct traffic_channel) channels;
    uint64_t matched, unmatched, external; /* receipts */
};

/* Takes the next event of the trace, in its order. False for a receipt without a recorded sender on
 * a channel that has one: libc's stdio writes without a hook. */
bool traffic_take(struct traffic *t, const struct event *event);
void traffic_release(struct traffic *t);

#endif
