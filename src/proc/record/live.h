/* A recording that is still going on, read as it grows: the same rows as collect.h merges, up to
 * where no task can add an earlier stamp any more.
 *
 *     struct live *l = live_open(folder, &tables, &sink, &notes, e);
 *     while (the program runs) { live_step(l, false, e); a moment's rest; }
 *     live_step(l, true, e);
 *     live_close(l);
 *
 * Every step takes what was certain at the step before. So long a record has to be corrected by the
 * task that announced it: less was sent, or nothing happened. What a step gives is a linear
 * extension of what happened, but not yet the trace: an access that comes to light late is told
 * when it does, and names are what they seem so far. */
#ifndef CLEW_PROC_RECORD_LIVE_H
#define CLEW_PROC_RECORD_LIVE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/notes.h"
#include "trace/tables.h"
#include "wire/event.h"

/* Where events go. An epoch counts the stamped records of a task so far, void ones included: it
 * tells when in the task's life something happened. */
struct live_sink {
    void *context;
    /* Events of one task in its epoch, in order. */
    int (*take)(void *context, const struct event *events, size_t count, uint64_t epoch,
                struct err *e);
    /* An access that the event's task made in an earlier epoch. */
    int (*take_late)(void *context, const struct event *event, uint64_t epoch, struct err *e);
};

struct live;

/* The folder's recording has begun. The tables, which must be new, and the notes outlive it. NULL
 * when there is nothing to be read. */
MUST_USE struct live *live_open(const char *folder, struct tables *t, const struct live_sink *sink,
                                struct notes *n, struct err *e);

/* Takes what has become certain; all there is when the recording is over. */
MUST_USE int live_step(struct live *l, bool is_over, struct err *e);

void live_close(struct live *l);

#endif
