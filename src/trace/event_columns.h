/* Events as columns: the payload of a chunk of events.
 *
 *     0  count of events, 4 bytes, 1 to 4096
 *     4  count of columns, 4 bytes
 *     8  columns (trace/value_column.h), in the order of COLUMN_LIST
 *
 * New columns are added at the end: a reader skips unknown ones, and a missing column is 0. */
#ifndef CLEW_TRACE_EVENT_COLUMNS_H
#define CLEW_TRACE_EVENT_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/value_column.h"
#include "wire/event.h"

#define COLUMN_LIST(COLUMN)                                                                  \
    COLUMN(kind, "number of the event's kind")                                               \
    COLUMN(mode, "its mode, by the kind's list of modes")                                    \
    COLUMN(has, "which optional numbers are set: 1 value, 2 size, 4 count, 8 time, 16 hlc, " \
                "32 peer")                                                                   \
    COLUMN(task, "number of its task")                                                       \
    COLUMN(object, "name of the object")                                                     \
    COLUMN(location, "name of the source place")                                             \
    COLUMN(message, "name of the message; if `has` says peer, number of the other task")     \
    COLUMN(text, "name: what the kind says")                                                 \
    COLUMN(count, "count")                                                                   \
    COLUMN(hlc_count, "counter of the hybrid logical clock")                                 \
    COLUMN(size, "bytes")                                                                    \
    COLUMN(value, "value, signed")                                                           \
    COLUMN(time, "wall time in ticks, signed")                                               \
    COLUMN(hlc_time, "time of the hybrid logical clock in ticks, signed")

enum column_id {
#define COLUMN(field, meaning) COLUMN_##field,
    COLUMN_LIST(COLUMN)
#undef COLUMN
        COLUMN_COUNT
};

enum {
    EVENT_COLUMNS_MAX = 4096, /* events in a payload */
    EVENT_COLUMNS_SIZE_MAX = 8 + COLUMN_COUNT * (COLUMN_HEADER_SIZE + 8 * EVENT_COLUMNS_MAX),
};

/* Upper bounds, exclusive, of the numbers in events. */
struct event_limits {
    size_t name_count;
    size_t task_count;
};

struct event_columns {
    struct event *events; /* a buffer of the caller for EVENT_COLUMNS_MAX */
    size_t count;         /* events that this version knows, first in the buffer */
    size_t newer_count;   /* events of kinds or modes it does not know, left out */
    bool has_newer_fields;
};

/* Decodes a payload. Returns NULL, or a text that says what is wrong; on success every number of
 * every event is within the limits and the list of kinds. */
const char *event_columns_parse(struct event_columns *c, const uint8_t *payload, size_t size,
                                const struct event_limits *limits);

/* Encodes 1 to 4096 events into `to`, which has event_columns_size_max(count) bytes; returns the
 * number of bytes used. values is scratch memory for count numbers. */
size_t event_columns_print(uint8_t *to, const struct event *events, size_t count, uint64_t *values);

static inline size_t event_columns_size_max(size_t count)
{
    return 8 + COLUMN_COUNT * column_size_max(count);
}

#endif
