/* The trace a verb writes: to --output, in the format that --to or its ending names.
 *
 *     struct writing w;
 *     if ((status = writing_choose(&w, s, e)) < 0) { return status; }     before anything is read
 *     if (writing_open(&w, &tables, e) < 0) { ... }
 *     writing_write(&w, events, count, e) ...
 *     writing_close(&w, e), or writing_abandon(&w)
 */
#ifndef CLEW_CLI_TEXT_TRACE_OUTPUT_H
#define CLEW_CLI_TEXT_TRACE_OUTPUT_H

#include "base/notes.h"
#include "cli/session.h"
#include "trace/format.h"

struct writing {
    struct session *session;
    const struct format *format;
    struct writer *writer;
    struct notes lost; /* events that the format could not hold */
    uint64_t event_count;
};

/* Decides on the format. Fails, -1 or MISUSED, when there is none or standard output is not fit. */
MUST_USE int writing_choose(struct writing *w, struct session *s, struct err *e);

/* The tables are those of the events to come, and outlive w. */
MUST_USE int writing_open(struct writing *w, const struct tables *tables, struct err *e);

/* After a failure only writing_abandon is left. */
MUST_USE int writing_write(struct writing *w, const struct event *events, size_t count,
                           struct err *e);

/* Puts the output in place, counts the events that could not be held and, with --json, prints the
 * object. In all cases there is nothing left to abandon. */
MUST_USE int writing_close(struct writing *w, struct err *e);

/* Leaves nothing behind; also where nothing was opened. */
void writing_abandon(struct writing *w);

#endif
