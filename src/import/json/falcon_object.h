/* One Falcon object under conversion to an event: fields are set in any order, and an event
 * results. It defines the meaning of fields and is independent of JSON and files.
 *
 *     falcon_object_begin(&o, offset);
 *     field = falcon_object_key(&o, "type", 4);
 *     falcon_object_text(&o, field, "R", 1);  ...
 *     if (falcon_object_end(&o, &event)) { ... }
 *
 * No content of an object is an error: a field or value without a meaning is ignored, an object
 * without a known type or a thread is skipped, and both are counted by reason. */
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

/* A count, and the first place. */
struct tally {
    uint64_t count;
    uint64_t offset;
};

/* The reasons why the value of a field is unusable: the event is read without it. */
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

/* A count per name for the first names, and one for all the others. */
struct named_tallies {
    struct names names;
    struct tally of[FALCON_NAMED_MAX + 1];
    struct tally more;
};

struct falcon_object {
    struct tables *tables;
    uint64_t offset; /* of the object in the input */

    uint32_t seen;                       /* fields present, a bit each ... */
    uint32_t given;                      /* ... and those of them with a usable value */
    const struct falcon_type *type;      /* NULL: none yet ... */
    bool has_unknown_type;               /* ... except an unknown one */
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
    struct tally repeated[FALCON_FIELD_COUNT]; /* a field that occurs twice in its event */
    struct tally repeated_ids;                 /* an id that two events share */
    struct tally fractions;                    /* parts of a timestamp below a millisecond */
    struct tally transport;                    /* unknown socket types */
    /* ... and whole events skipped. */
    struct named_tallies unknown_types;
    struct tally untyped, unthreaded;
};

void falcon_object_init(struct falcon_object *o, struct tables *t);
void falcon_object_release(struct falcon_object *o);

/* Begins an object at this offset of the input. */
void falcon_object_begin(struct falcon_object *o, uint64_t offset);

/* Returns the field that the key names; FALCON_UNKNOWN, counted, for one to be skipped. */
enum falcon_field falcon_object_key(struct falcon_object *o, const char *key, size_t size);

/* Sets the value of a field that is not FALCON_UNKNOWN: a string, or a number as written. An
 * invalid value is counted and ignored. */
void falcon_object_text(struct falcon_object *o, enum falcon_field field, const char *text,
                        size_t size);
void falcon_object_number(struct falcon_object *o, enum falcon_field field, const char *digits,
                          size_t size);

/* Counts the value of the field as unusable. */
void falcon_object_fault(struct falcon_object *o, enum falcon_field field, enum falcon_fault fault);

/* Ends the object: fills in *event. False, counted, when it has no known type or no thread and is
 * thus no event. */
bool falcon_object_end(struct falcon_object *o, struct event *event);

/* Fails with the reason why the first skipped object is no event; 0 when none was skipped. */
MUST_USE int falcon_object_fail(const struct falcon_object *o, struct err *e);

/* Notes the ignored parts so far and resets the counts. */
void falcon_object_note(struct falcon_object *o, struct notes *n, const char *path);

#endif
