/* Messages of the observed order: datagrams, streams and connections, from their send to their
 * receive. Only for the observed_*.c files. */
#ifndef CLEW_RACE_OBSERVED_OBSERVED_MESSAGES_H
#define CLEW_RACE_OBSERVED_OBSERVED_MESSAGES_H

#include "base/map.h"
#include "race/observed/message_history.h"
#include "race/observed/observed.h"
#include "race/triple_map.h"

struct observed_stream {
    uint32_t sends; /* pending */
    uint64_t sent, received;
};

struct observed_net {
    VEC(uint32_t) message_lists; /* by message name: pending, OBSERVED_NONE until the first */
    struct triples unnamed_of;   /* (channel, size high, size low) to pending */
    struct map stream_of;        /* channel to stream */
    struct map close_of;         /* channel to row */
    struct names endpoints;      /* of connections */
    struct map connection_of;    /* two endpoints to pending */
    VEC(struct observed_stream) streams;
    struct arrivals arrivals;
};

struct observed_step;

/* True when this RECV or ACCEPT needs a SEND, CLOSE or CONNECT that has not come yet. */
bool observed_must_wait(struct observed *o, const struct event *e);

void observed_send(struct observed *o, const struct observed_step *s);
void observed_recv(struct observed *o, const struct observed_step *s);
void observed_connect(struct observed *o, const struct observed_step *s);
void observed_accept(struct observed *o, const struct observed_step *s);
void observed_close(struct observed *o, const struct observed_step *s);
void observed_net_release(struct observed *o);

#endif
