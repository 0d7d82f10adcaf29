/* Messages: pairs of sends and receives.
 *
 * Streams (TCP, Unix, pipes) are matched per directed channel by byte ranges, so that a message may
 * be sent and received in pieces; everything else by the message's name, or by channel and size. */
#ifndef CLEW_ORDER_MESSAGE_H
#define CLEW_ORDER_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/notes.h"
#include "order/order_graph.h"
#include "trace/trace.h"

/* The least set of sends and receives whose bytes coincide. */
struct message {
    event_id send;    /* the first of its sends */
    event_id receive; /* the first of its receives */
    uint32_t stream;  /* name of its channel, 0 when it was no stream */
};

/* A receive, and the message of which it has a part. */
struct message_part {
    event_id receive;
    uint32_t message;
};

/* In listed order of the receives. */
struct messages {
    const struct message *list;
    size_t count;
    const struct message_part *parts; /* every receive that has a matched part */
    size_t part_count;
};

/* Matches all messages of t; adds an edge for each send and receive that share bytes, and those of
 * connections and their ends. Notes receives whose send is not in the trace. O(events). */
void messages_build(struct messages *m, const struct trace *t, struct edges *edges, struct arena *a,
                    struct notes *n);

#define MESSAGE_NONE UINT32_MAX

/* The message of which the receive has a part, MESSAGE_NONE when its send is not in the trace.
 * O(log). */
uint32_t message_of_receive(const struct messages *m, event_id receive);

/* True when bytes of this channel arrive in the order they were sent. */
bool message_is_stream(const struct event *e);

#endif
