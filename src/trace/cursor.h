/* A cursor: a stream of events. Every reader of a format is one, and online analyses consume it.
 *
 *     struct batch b;
 *     int more;
 *     while ((more = cursor_next(c, &b, e)) > 0) { for (i < b.count) use(&b.events[i]); }
 *     cursor_close(c);
 *
 * A reader adds names and tasks to its tables as it meets them and notes the parts of the input
 * that it skipped. It holds one batch of events at a time, so memory is constant plus names. */
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

/* A run of events, valid until the next call. `offsets` has the byte position of each in the input.
 */
struct batch {
    const struct event *events;
    const uint64_t *offsets;
    size_t count;
    size_t input; /* the index of the input, when several are joined (trace/merge_inputs.h) */
};

struct cursor;

/* The operations of a reader; `close` releases everything but the cursor's own `in`. */
struct cursor_ops {
    int (*next)(struct cursor *c, struct batch *b, struct err *e);
    void (*close)(struct cursor *c);
    /* Forgets the numbers of names that it remembers; false when all names must stay. NULL: they
     * must. */
    bool (*forget)(struct cursor *c);
};

/* A reader's struct begins with this. */
struct cursor {
    const struct cursor_ops *ops;
    struct tables *tables;
    struct notes *notes;
    const char *path;  /* for places in notes */
    struct in in;      /* the bytes; in.offset and in.size are the progress */
    bool is_cut_short; /* at the end: the input ends before the trace does, as a note says */
};

/* Returns 1 and a batch that is not empty, 0 at the end, or -1 on error (with the byte, without the
 * path). */
MUST_USE int cursor_next(struct cursor *c, struct batch *b, struct err *e);

/* Between two batches, forgets all names but these and those of tasks, for endless streams; false
 * when the reader needs them all. is_kept covers the names of its tables. */
bool cursor_keep_names(struct cursor *c, struct bits is_kept);

/* For readers of lines: notes that the last line, at this byte, is well formed but lacks its line
 * end. */
void cursor_note_unended(struct cursor *c, uint64_t offset);

/* Closes and frees; NULL is nothing. */
void cursor_close(struct cursor *c);

#endif
