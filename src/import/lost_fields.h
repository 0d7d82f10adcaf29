/* The fields and events that a foreign format cannot hold: counted during writing, noted at the
 * end. */
#ifndef CLEW_IMPORT_LOST_FIELDS_H
#define CLEW_IMPORT_LOST_FIELDS_H

#include <stdint.h>

#include "base/notes.h"
#include "wire/event.h"
#include "wire/kind.h"

#define LOST_LIST(LOST)                                   \
    LOST(OBJECT, "the event's object")                    \
    LOST(LOCATION, "the event's location")                \
    LOST(MESSAGE, "the event's message")                  \
    LOST(PEER, "the event's peer")                        \
    LOST(TEXT, "the event's text")                        \
    LOST(COUNT, "the event's count")                      \
    LOST(SIZE, "the event's size")                        \
    LOST(VALUE, "the event's value")                      \
    LOST(TIME, "the event's time")                        \
    LOST(HLC, "the event's hybrid logical clock")         \
    LOST(MODE, "the event's mode")                        \
    LOST(PRECISION, "part of a time below a millisecond") \
    LOST(OPERAND, "an event without its object or peer")  \
    LOST(CODED, "some bytes of a name (now %XX)")         \
    LOST(BYTES, "bytes of a name that are not UTF-8 (now U+FFFD)")

enum lost_thing {
#define LOST(id, meaning) LOST_##id,
    LOST_LIST(LOST)
#undef LOST
        LOST_COUNT_OF_THINGS
};

#define LOST_BIT(thing) (UINT32_C(1) << (thing))

/* {0} has lost nothing. */
struct lost {
    uint64_t events[KIND_LIMIT]; /* left out, by kind */
    uint64_t things[LOST_COUNT_OF_THINGS];
};

/* The fields that the event has: LOST_BIT of OBJECT to MODE. */
uint32_t lost_fields_of(const struct event *e);

/* Counts each loss whose bit is set. */
void lost_add(struct lost *l, uint32_t things);

/* Notes all losses of `format`. */
void lost_note(const struct lost *l, struct notes *n, const char *format);

#endif
