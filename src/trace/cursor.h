/* A stream of events: what every reader of a format is, and what online analyses take.
 *
 *     struct batch b;
 *     int more;
 *     while ((more = cursor_next(c, &b, e)) > 0) { for (i < b.count) use(&b.events[i]); }
 *     cursor_close(c);
 *
 * A reader puts names and tasks into its tables as it meets them and remarks what it skipped into
 * its notes; it holds one batch of events at a time, so memory is constant plus names. */
#ifndef CLEW_TRACE_CURSOR_H
#define CLEW_TRACE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/in.h"
#include "base/notes.h"
#include "trace/tables.h"
#include "wire/event.h"

enum { BATCH_MAX = 4096 };

/* Some events in a row, valid until the next call. `offsets` says where each stands in the input
 * (bytes). */
struct batch {
    const struct event *events;
    const uint64_t *offsets;
    size_t count;
    size_t input; /* which of the inputs, when several are joined (trace/merge_inputs.h) */
};

struct cursor;

/* What a reader fills in; `close` releases everything but the cursor's own `in`. */
struct cursor_ops {
    int (*next)(struct cursor *c, struct batch *b, struct err *e);
    void (*close)(struct cursor *c);
    /* Forgets numbers of names that it remembers; false when it needs all names to stay. Left out:
     * it does. */
    bool (*forget)(struct cursor *c);
};

/* A reader's struct begins with this. */
struct cursor {
    const struct cursor_ops *ops;
    struct tables *tables;
    struct notes *notes;
    const char *path;  /* for places in notes */
    struct in in;      /* the bytes; in.offset and in.size tell progress */
    bool is_cut_short; /* at the end: the input ends before the trace does, as a note says */
};

/* 1 and a batch that is not empty, 0 at the end, -1 on error (with the byte, without the path). */
MUST_USE int cursor_next(struct cursor *c, struct batch *b, struct err *e);

/* Between two batches, forgets all names but these and those of tasks, for streams that have no
 * end; false when the reader needs them all. is_kept has room for the names of its tables. */
bool cursor_keep_names(struct cursor *c, struct bits is_kept);

/* For readers of lines: notes that the last line, at this byte, is whole as far as anybody can tell
 * but has no end. */
void cursor_note_unended(struct cursor *c, uint64_t offset);

/* Closes and frees; NULL is nothing. */
void cursor_close(struct cursor *c);

#endif
