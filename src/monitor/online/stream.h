/* The monitor on a stream: decides properties as reports arrive, in bounded memory.
 *
 *     struct stream *s = stream_new(&spec, &tables, &options, &findings, &notes);
 *     while (... a batch of events ...) {
 *         if (stream_take(s, b.events, b.count, e) < 0) { ... }
 *     }
 *     if (stream_end(s, &result, e) < 0) { ... }
 *     stream_free(s);
 *
 * The answers are those of monitor_find on the whole trace. Reports are held within the skew of the
 * slowest process. A finding is added as soon as all reports of its cut have arrived. Messages are
 * matched by their names.
 *
 * The processes are those that report anything within the first `lag`, unless all are known. */
#ifndef CLEW_MONITOR_ONLINE_STREAM_H
#define CLEW_MONITOR_ONLINE_STREAM_H

#include "monitor/monitor.h"

struct stream_options {
    int64_t skew;          /* the largest difference of two clocks, in ticks */
    bool is_paper;         /* as in struct monitor_options */
    int64_t check_ticks;   /* decides whenever time has advanced by this much; 0: not by time */
    uint64_t check_events; /* and after this many events; 0: not by events */
    int64_t lag; /* a process that is behind by more is not waited for; INT64_MAX: all are */
    bool knows_processes; /* the tables have the tasks of all processes at the start */
    uint32_t input;
    struct decide_options decide;
};

struct stream_stats {
    uint64_t events;
    uint64_t checks;   /* the number of checks */
    uint64_t possible; /* the number of checks at which a property was possible */
    int64_t horizon;   /* everything up to here is decided; INT64_MIN: nothing yet */
    uint64_t held_max; /* the largest number of reports held at once */
};

struct stream;

struct stream *stream_new(const struct spec *s, const struct tables *t,
                          const struct stream_options *o, struct findings *f, struct notes *n);
void stream_free(struct stream *s);

/* Accepts events whose names and tasks are in the tables. Fails when the specification does not fit
 * the processes. */
MUST_USE int stream_take(struct stream *s, const struct event *events, size_t count, struct err *e);

/* Adds the names that it still needs; the caller may forget others before the next events. Sends of
 * messages in transit for longer than the lag are forgotten. False when it needs all names. */
bool stream_keep_names(struct stream *s, struct bits is_kept);

/* Ends the stream: decides the rest. */
MUST_USE int stream_end(struct stream *s, struct monitor_result *r, struct err *e);

const struct stream_stats *stream_stats(const struct stream *s);

#endif
