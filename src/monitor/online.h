/* Whether all processes could have been in wanted states at once, as their reports come: the least
 * cut (cuts.h) without the history.
 *
 *     struct online *o = online_new(process_count, skew);
 *     online_begin(o, process, is_wanted);                 the first state of each
 *     online_report(o, process, &(struct online_report){.time = 5, .is_wanted = true});
 *     if (online_is_found(o)) { ... online_go_on(o, floor); }
 *     online_free(o);
 *
 * Reports of a process come in its order. Those that neither change what it wants nor receive
 * anything need not come at all. What was taken is forgotten: memory is for the reports within the
 * skew of the latest that was taken, and a few per process. */
#ifndef CLEW_MONITOR_ONLINE_H
#define CLEW_MONITOR_ONLINE_H

#include <stdbool.h>
#include <stdint.h>

#define ONLINE_NONE UINT32_MAX

struct online_report {
    int64_t time;
    uint64_t ordinal;      /* which report of its process it is, counting all of them */
    uint32_t need_process; /* who sent what it receives; ONLINE_NONE: it receives nothing */
    uint64_t need_ordinal; /* which report that was */
    int64_t need_time;
    bool is_wanted; /* the state after it */
};

struct online;

struct online *online_new(uint32_t process_count, int64_t skew);
void online_free(struct online *o);

/* Before its first report the process is in such a state. */
void online_begin(struct online *o, uint32_t process, bool is_wanted);

/* Amortized O(1), whatever the number of processes. */
void online_report(struct online *o, uint32_t process, const struct online_report *report);

/* Whether there is a cut of what came so far, not before the last online_go_on, in which all
 * processes are in wanted states. O(processes). */
bool online_is_found(struct online *o);

/* Looks for cuts with reports that are not earlier than this from now on. O(processes). */
void online_go_on(struct online *o, int64_t floor);

#endif
