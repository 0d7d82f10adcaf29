/* Online detection of a conjunction: whether all processes could have been in wanted states at
 * once, as their reports arrive. It is the least cut (cuts.h) without the history.
 *
 *     struct online *o = online_new(&ingest, bit);
 *     online_begin(o, process, is_wanted);          the first state of each
 *     ... source->fed goes on ...
 *     online_go_on(o);
 *     if (online_is_found(o)) { ... }
 *     online_pass(o, horizon);
 *     online_free(o);
 *
 * It reads reports where ingest holds them, and each only once. A report that sets or forgets a
 * value has the bit in `wanted` if the state after it is wanted. */
#ifndef CLEW_MONITOR_ONLINE_ONLINE_CUT_H
#define CLEW_MONITOR_ONLINE_ONLINE_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/online/ingest.h"

/* The largest number of concurrent readers: the bits of held.wanted. */
enum { ONLINE_MAX = 16 };

struct online;

/* The ingest must outlive it. */
struct online *online_new(const struct ingest *in, unsigned bit);
void online_free(struct online *o);

/* Sets whether the process is in a wanted state before its first report. */
void online_begin(struct online *o, uint32_t process, bool is_wanted);

/* Advances the processes over the reports handed on. O(processes), and amortized O(1) for each
 * report. */
void online_go_on(struct online *o);

/* Whether the reports handed on have a cut, not before the last online_pass, in which all processes
 * are in wanted states. O(processes). */
bool online_is_found(struct online *o);

/* Restricts later cuts to those with a report at or after this time: takes all reports that
 * certainly precede it, with their needs. O(processes). */
void online_pass(struct online *o, int64_t horizon);

#endif
