/* What a stream's RECV of 0 bytes has seen. A call that takes nothing (poll, MSG_PEEK) is recorded
 * so too:
 *
 *   - bytes are there that were sent and not yet received: it comes after the send of the first;
 *   - else it has seen the end: it comes after the closes of the channel. All of them, because the
 *     stream ends with its last writer; of a TCP connection, whose addresses are used again, and
 *     behind a shutdown, the first.
 *
 * Where the list is no order of what happened (ORDER_NODE), it has seen the first close. A close
 * listed later is not that end: a process that dies closes without a word. */
#ifndef CLEW_ORDER_STREAM_END_H
#define CLEW_ORDER_STREAM_END_H

#include "trace/trace.h"

/* The source comes before the receive. */
struct stream_end {
    event_id source, receive;
};

typedef VEC(struct stream_end) stream_end_list;

/* Appends all of them, in listed order of the receives. O(events). */
void stream_ends_find(const struct trace *t, stream_end_list *found);

/* A RECV of a stream that brings nothing. */
bool stream_end_is(const struct event *e);

#endif
