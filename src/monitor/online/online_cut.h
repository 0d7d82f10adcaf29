/* Whether all processes could have been in wanted states at once, as their reports come: the least
 * cut (cuts.h) without the history.
 *
 *     struct online *o = online_new(&ingest, bit);
 *     online_begin(o, process, is_wanted);          the first state of each
 *     ... source->fed goes on ...
 *     online_go_on(o);
 *     if (online_is_found(o)) { ... }
 *     online_pass(o, horizon);
 *     online_free(o);
 *
 * It reads reports where the ingest holds them; what it has taken it does not read again. Of a
 * report that sets or forgets a value, `wanted` has the bit if the state after it is wanted. */
#ifndef CLEW_MONITOR_ONLINE_ONLINE_CUT_H
#define CLEW_MONITOR_ONLINE_ONLINE_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/online/ingest.h"

/* As many can read along: the bits of held.wanted. */
enum { ONLINE_MAX = 16 };

struct online;

/* The ingest must outlive it. */
struct online *online_new(const struct ingest *in, unsigned bit);
void online_free(struct online *o);

/* Before its first report the process is in such a state. */
void online_begin(struct online *o, uint32_t process, bool is_wanted);

/* Takes what processes must have done, of what was handed on. O(processes), and amortized O(1) for
 * each report. */
void online_go_on(struct online *o);

/* Whether there is a cut of what was handed on, not before the last online_pass, in which all
 * processes are in wanted states. O(processes). */
bool online_is_found(struct online *o);

/* Looks for cuts with reports that are not earlier than this from now on: all that was over by then
 * is taken, with what it needs. O(processes). */
void online_pass(struct online *o, int64_t horizon);

#endif
