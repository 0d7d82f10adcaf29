/* Reads a recording while the program runs. It merges the same segments as collect.h, up to the
 * smallest stamp that a task can still write.
 *
 *     struct live *l = live_open(folder, &tables, &sink, &notes, e);
 *     while (the program runs) { live_step(l, false, e); sleep for a moment; }
 *     live_step(l, true, e);
 *     live_close(l);
 *
 * A step takes the records that were certain one step ago. Within that time a task must correct a
 * record that it wrote before its call: less was sent, or the call failed. The events of a step are
 * a linear extension of happens-before, but not yet the trace: accesses that another task recorded
 * late come late, and names may still change. */
#ifndef CLEW_PROC_RECORD_LIVE_H
#define CLEW_PROC_RECORD_LIVE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/notes.h"
#include "trace/tables.h"
#include "wire/event.h"

/* Receives the events. An epoch is the number of stamped records of a task so far, void ones
 * included; it orders the event within its task. */
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

/* Takes the records that have become certain; all of them if the recording is over. */
MUST_USE int live_step(struct live *l, bool is_over, struct err *e);

void live_close(struct live *l);

#endif
