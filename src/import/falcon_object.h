/* One Falcon object on its way to an event: fields go in as they are met, in any order, and an
 * event comes out. Knows what fields mean; knows nothing of JSON or files.
 *
 *     falcon_object_begin(&o, offset);
 *     field = falcon_object_key(&o, "type", 4, e);
 *     falcon_object_text(&o, field, "R", 1, e);  ...
 *     falcon_object_end(&o, &event, e);
 */
#ifndef CLEW_IMPORT_FALCON_OBJECT_H
#define CLEW_IMPORT_FALCON_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/notes.h"
#include "base/vec.h"
#include "import/falcon.h"
#include "import/id_set.h"
#include "import/memo.h"
#include "trace/tables.h"
#include "wire/event.h"

/* How often something was met, and where first. */
struct tally {
    uint64_t count;
    uint64_t offset;
};

enum { FALCON_STRANGE_MAX = 16, FALCON_CHANNEL_SIZE_MAX = 1 << 19 };

struct falcon_object {
    struct tables *tables;
    uint64_t offset; /* of the object in the input */

    uint32_t seen;  /* fields met, a bit each ... */
    uint32_t given; /* ... and those of them that had a value */
    const struct falcon_type *type;
    uint32_t number[FALCON_FIELD_COUNT]; /* names; tasks of thread and child */
    uint64_t whole[FALCON_FIELD_COUNT];  /* timestamp, counter, size, id; two's complement */
    uint8_t mode;
    struct {
        size_t start, size;
    } endpoint[FALCON_FIELD_COUNT]; /* src ... dst_port in `endpoints` */
    VEC(char) endpoints;

    struct id_set ids;
    struct memo names, tasks;

    struct tally misplaced[FALCON_FIELD_COUNT]; /* fields that mean nothing for their type */
    struct names strange;                       /* fields that mean nothing at all ... */
    struct tally strange_tally[FALCON_STRANGE_MAX + 1];
    struct tally strange_more; /* ... and those beyond the first few */
    struct tally transport;    /* socket types that are none */
};

void falcon_object_init(struct falcon_object *o, struct tables *t);
void falcon_object_release(struct falcon_object *o);

/* An object opens at this offset of the input. */
void falcon_object_begin(struct falcon_object *o, uint64_t offset);

/* Which field the key names: *field is FALCON_UNKNOWN for one to be skipped, which is counted.
 * Fails when the field was there before. */
MUST_USE int falcon_object_key(struct falcon_object *o, const char *key, size_t size,
                               enum falcon_field *field, struct err *e);

/* The value of a field that is not FALCON_UNKNOWN: a string, a number as it is written. Fails
 * (without a place) when the field cannot be that. */
MUST_USE int falcon_object_text(struct falcon_object *o, enum falcon_field field, const char *text,
                                size_t size, struct err *e);
MUST_USE int falcon_object_number(struct falcon_object *o, enum falcon_field field,
                                  const char *digits, size_t size, struct err *e);

/* For values of other types: "true or false", "an array"; always fails. */
int falcon_object_wrong(enum falcon_field field, const char *what, struct err *e);

/* The object closes: fills in *event, or fails when a field it needs is not there. */
MUST_USE int falcon_object_end(struct falcon_object *o, struct event *event, struct err *e);

/* Remarks what was skipped so far and forgets it. */
void falcon_object_note(struct falcon_object *o, struct notes *n, const char *path);

#endif
