/* The monitor on a stream: properties decided as reports come, in bounded memory.
 *
 *     struct stream *s = stream_new(&spec, &tables, &options, &findings, &notes);
 *     while (... a batch of events ...) {
 *         if (stream_take(s, b.events, b.count, e) < 0) { ... }
 *     }
 *     if (stream_end(s, &result, e) < 0) { ... }
 *     stream_free(s);
 *
 * The answers are those of monitor_find on the whole. Reports are held within the skew of where the
 * slowest process is; a finding is added as soon as what it takes has come. Messages are matched by
 * their names.
 *
 * Processes are those that report anything within the first `lag`, unless all are known. */
#ifndef CLEW_MONITOR_ONLINE_STREAM_H
#define CLEW_MONITOR_ONLINE_STREAM_H

#include "monitor/monitor.h"

struct stream_options {
    int64_t skew;          /* clocks differ by at most so many ticks */
    bool is_paper;         /* as in struct monitor_options */
    int64_t check_ticks;   /* decides whenever time went on by so much; 0: not for that */
    uint64_t check_events; /* and after so many events; 0: not for that */
    int64_t lag; /* a process that is behind by more is not waited for; INT64_MAX: all are */
    bool knows_processes; /* the tables have the tasks of all at the start */
    uint32_t input;
    struct decide_options decide;
};

struct stream_stats {
    uint64_t events;
    uint64_t checks;   /* how often something was decided */
    uint64_t possible; /* how often a property was */
    int64_t horizon;   /* up to which all is decided; INT64_MIN: nothing is yet */
    uint64_t held_max; /* reports at once */
};

struct stream;

struct stream *stream_new(const struct spec *s, const struct tables *t,
                          const struct stream_options *o, struct findings *f, struct notes *n);
void stream_free(struct stream *s);

/* Takes events whose names and tasks are in the tables. Fails when the specification does not fit
 * the processes. */
MUST_USE int stream_take(struct stream *s, const struct event *events, size_t count, struct err *e);

/* Adds the names that it still needs; others may be forgotten, if that is done before the next
 * events. Of messages that have been on their way for longer than the lag, the sends are forgotten.
 * False when it needs all of them. */
bool stream_keep_names(struct stream *s, struct bits is_kept);

/* The stream is over: decides the rest. */
MUST_USE int stream_end(struct stream *s, struct monitor_result *r, struct err *e);

const struct stream_stats *stream_stats(const struct stream *s);

#endif
