/* Reads one task's segments record by record. It reads committed bytes only; the rest of a segment
 * may hold anything. */
#ifndef CLEW_PROC_RECORD_SEGMENT_READER_H
#define CLEW_PROC_RECORD_SEGMENT_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/notes.h"
#include "wire/segment.h"

struct row {
    const char *folder;
    uint32_t process, task;
    uint32_t segment_count; /* files 0 .. segment_count-1 are there */

    struct segment *segment; /* mapped, read only; NULL between */
    uint32_t number;         /* of the next one to map */
    uint64_t room;           /* bytes behind its header */
    uint64_t at, committed;  /* bytes after the header */
    uint64_t at_record;      /* of these, where the record at the front begins */
    bool is_finished;        /* the last segment said so */
    uint64_t access_count;   /* the task made, recorded or not */
    uint64_t size_total;     /* bytes read */

    const uint64_t *sites;   /* the process's table, mapped when first needed */
    bool has_no_sites;       /* it cannot be */
    struct record *unfolded; /* the record that an access in one word stands for */

    /* The record at the front, valid when has_record. */
    bool has_record;
    const struct record *record;    /* also of an access in one word */
    uint64_t stamp;                 /* its stamp; 0 for plain accesses */
    const struct record_more *more; /* NULL when nothing follows the record */
    const char *bytes;              /* more->size of them */
};

static inline bool row_is_late(const struct row *r)
{
    return (r->record->flags & RECORD_LATE) != 0;
}

/* Begins at the first record. */
MUST_USE int row_open(struct row *r, struct notes *n, struct err *e);

/* Advances to the next record; has_record is false at the end of the committed ones. A file that is
 * no valid segment ends the row with a note. */
MUST_USE int row_next(struct row *r, struct notes *n, struct err *e);

/* For a row that is still being written, instead of the two above: advances to the next record if
 * it is committed. A later call may find more, also in segments that segment_count did not count
 * the last time. At the end of a finished row is_finished is true. */
MUST_USE int row_follow(struct row *r, struct err *e);

/* Between the two the row, whose front record is known, holds no memory of the system's: there may
 * be more rows than a process may have mappings. */
void row_rest(struct row *r);
MUST_USE int row_wake(struct row *r, struct err *e);

/* Back before the first record: open again. */
void row_rewind(struct row *r);

void row_close(struct row *r);

#endif
