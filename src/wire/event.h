/* One event: 64 bytes, the same in memory, in rings and (column by column) in files.
 *
 *   0  kind mode has task | object location
 *  16  message or peer, text | count hlc_count
 *  32  size | value
 *  48  time | hlc_time
 *
 * Names are numbers into the trace's table of names (0: none). All fields but kind and task are
 * optional; `has` says which of the numeric ones are set, so that 0 can be a value; those not set
 * are 0. */
#ifndef CLEW_WIRE_EVENT_H
#define CLEW_WIRE_EVENT_H

#include <stdint.h>

#define WIRE_VERSION 1

enum event_has {
    HAS_VALUE = 1 << 0,
    HAS_SIZE = 1 << 1,
    HAS_COUNT = 1 << 2,
    HAS_TIME = 1 << 3,
    HAS_HLC = 1 << 4,
    HAS_PEER = 1 << 5,
};

struct event {
    uint16_t kind;     /* enum event_kind */
    uint8_t mode;      /* enum event_mode, by the kind's list of modes */
    uint8_t has;       /* enum event_has */
    uint32_t task;     /* index into the trace's tasks; a task knows its node */
    uint32_t object;   /* name of the variable, lock, condition, channel, file, resource ... */
    uint32_t location; /* name of the source place */
    union {
        uint32_t message; /* name of the message; 0 for kinds that have a peer instead */
        uint32_t peer;    /* the other task, if HAS_PEER */
    };
    uint32_t text;      /* name: its meaning depends on the kind (wire/kind.h) */
    uint32_t count;     /* if HAS_COUNT */
    uint32_t hlc_count; /* hybrid logical clock, its counter c, if HAS_HLC */
    uint64_t size;      /* bytes, if HAS_SIZE */
    int64_t value;      /* if HAS_VALUE */
    int64_t time;       /* wall time in ticks of the trace, if HAS_TIME */
    int64_t hlc_time;   /* hybrid logical clock, its time l in ticks, if HAS_HLC */
};

_Static_assert(sizeof(struct event) == 64, "an event is one cache line");

/* The bits of `has` that must be set because their numbers are not 0. */
static inline unsigned event_numbers_set(const struct event *e)
{
    return (unsigned)(e->value != 0) * HAS_VALUE | (unsigned)(e->size != 0) * HAS_SIZE |
           (unsigned)(e->count != 0) * HAS_COUNT | (unsigned)(e->time != 0) * HAS_TIME |
           (unsigned)((e->hlc_time != 0) | (e->hlc_count != 0)) * HAS_HLC;
}

#endif
