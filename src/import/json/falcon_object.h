/* One Falcon object on its way to an event: fields go in as they are met, in any order, and an
 * event comes out. Knows what fields mean; knows nothing of JSON or files.
 *
 *     falcon_object_begin(&o, offset);
 *     field = falcon_object_key(&o, "type", 4);
 *     falcon_object_text(&o, field, "R", 1);  ...
 *     if (falcon_object_end(&o, &event)) { ... }
 *
 * Nothing that an object holds is an error: a field or value without a meaning here is ignored, an
 * object that names no known type or no thread is skipped, and both are counted by reason. */
#ifndef CLEW_IMPORT_JSON_FALCON_OBJECT_H
#define CLEW_IMPORT_JSON_FALCON_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/notes.h"
#include "base/vec.h"
#include "import/id_set.h"
#include "import/json/falcon.h"
#include "import/text_memo.h"
#include "trace/tables.h"
#include "wire/event.h"

/* How often something was met, and where first. */
struct tally {
    uint64_t count;
    uint64_t offset;
};

/* Why the value of a field cannot be used: the event is read without it. */
#define FALCON_FAULT_LIST(FAULT)     \
    FAULT(OBJECT, "an object")       \
    FAULT(ARRAY, "an array")         \
    FAULT(BOOLEAN, "true or false")  \
    FAULT(EMPTY, "empty")            \
    FAULT(NO_NUMBER, "not a number") \
    FAULT(NO_TIME, "not a time")     \
    FAULT(FRACTION, "not whole")     \
    FAULT(RANGE, "out of range")     \
    FAULT(TOO_LONG, "too long")      \
    FAULT(NOT_UTF8, "not UTF-8")

enum falcon_fault {
#define FAULT(id, meaning) FALCON_FAULT_##id,
    FALCON_FAULT_LIST(FAULT)
#undef FAULT
        FALCON_FAULT_COUNT
};

enum { FALCON_NAMED_MAX = 16, FALCON_CHANNEL_SIZE_MAX = 1 << 19 };

/* A count per name for the first names met, and one for all the others. */
struct named_tallies {
    struct names names;
    struct tally of[FALCON_NAMED_MAX + 1];
    struct tally more;
};

struct falcon_object {
    struct tables *tables;
    uint64_t offset; /* of the object in the input */

    uint32_t seen;                       /* fields met, a bit each ... */
    uint32_t given;                      /* ... and those of them that have a usable value */
    const struct falcon_type *type;      /* NULL: none yet ... */
    bool has_unknown_type;               /* ... but for one that Falcon does not have */
    uint32_t number[FALCON_FIELD_COUNT]; /* names; tasks of thread and child */
    uint64_t whole[FALCON_FIELD_COUNT];  /* timestamp, counter, size; two's complement */
    uint8_t mode;
    struct {
        size_t start, size;
    } endpoint[FALCON_FIELD_COUNT]; /* src ... dst_port in `endpoints` */
    VEC(char) endpoints;

    struct id_set ids;
    struct memo names, tasks;

    /* Ignored, with the event kept ... */
    struct named_tallies unknown_fields;
    struct tally misplaced[FALCON_FIELD_COUNT]; /* fields without meaning for their type of event */
    struct tally unusable[FALCON_FIELD_COUNT][FALCON_FAULT_COUNT];
    struct tally repeated[FALCON_FIELD_COUNT]; /* a field that its event has twice */
    struct tally repeated_ids;                 /* an id that two events have */
    struct tally fractions;                    /* parts of a timestamp below a millisecond */
    struct tally transport;                    /* unknown socket types */
    /* ... and whole events skipped. */
    struct named_tallies unknown_types;
    struct tally untyped, unthreaded;
};

void falcon_object_init(struct falcon_object *o, struct tables *t);
void falcon_object_release(struct falcon_object *o);

/* An object opens at this offset of the input. */
void falcon_object_begin(struct falcon_object *o, uint64_t offset);

/* Returns the field that the key names; FALCON_UNKNOWN, counted, for one to be skipped. */
enum falcon_field falcon_object_key(struct falcon_object *o, const char *key, size_t size);

/* The value of a field that is not FALCON_UNKNOWN: a string, or a number as it is written. A value
 * that the field cannot take is counted and ignored. */
void falcon_object_text(struct falcon_object *o, enum falcon_field field, const char *text,
                        size_t size);
void falcon_object_number(struct falcon_object *o, enum falcon_field field, const char *digits,
                          size_t size);

/* Counts the value of the field as unusable. */
void falcon_object_fault(struct falcon_object *o, enum falcon_field field, enum falcon_fault fault);

/* The object closes: fills in *event. False, counted, when it has no known type or no thread and is
 * thus no event. */
bool falcon_object_end(struct falcon_object *o, struct event *event);

/* Fails with the reason why the first object that was skipped is no event; 0 when none was. */
MUST_USE int falcon_object_fail(const struct falcon_object *o, struct err *e);

/* Notes what was ignored so far and forgets it. */
void falcon_object_note(struct falcon_object *o, struct notes *n, const char *path);

#endif
