/* The source of a stream's RECV of 0 bytes. A call that consumes nothing (poll, MSG_PEEK) is
 * recorded so too:
 *
 *     - if bytes were sent and not yet received, it comes after the send of the first of them;
 *     - else it saw the end of the stream: it comes after the closes of the channel. All of them
 *       count, because a stream ends with its last writer; of a TCP connection, whose addresses
 *       are reused, and after a shutdown, only the first.
 *
 * Where the list is no order of the execution (ORDER_NODE), it saw the first close. A close listed
 * later is not that end: a process that dies closes without an event. */
#ifndef CLEW_ORDER_STREAM_END_H
#define CLEW_ORDER_STREAM_END_H

#include "trace/trace.h"

/* The source comes before the receive. */
struct stream_end {
    event_id source, receive;
};

typedef VEC(struct stream_end) stream_end_list;

/* Appends all pairs, in listed order of the receives. O(events). */
void stream_ends_find(const struct trace *t, stream_end_list *found);

/* Whether the event is a RECV of a stream without bytes. */
bool stream_end_is(const struct event *e);

#endif
