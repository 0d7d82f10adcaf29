/* Times and spans of time of a trace as a person reads them: 45 ms, 1.5 s, 2026-11-18 13:02:11.25.
 *
 *     char text[TIME_TEXT_SIZE];
 *     time_text(text, e->time, t->tables.tick_ns);
 */
#ifndef CLEW_TRACE_TIME_TEXT_H
#define CLEW_TRACE_TIME_TEXT_H

#include <stdint.h>

enum { TIME_TEXT_SIZE = 48 };

/* A time, `ticks` after 0. Where ticks have no unit (tick_ns is 0) it is their number; from the
 * year 2001 on it is a date with the time of day, in UTC. */
void time_text(char text[TIME_TEXT_SIZE], int64_t ticks, uint64_t tick_ns);

/* A span of `ticks` ticks, in the largest unit of which it has one; "5 ticks" where ticks have no
 * unit. */
void time_span_text(char text[TIME_TEXT_SIZE], int64_t ticks, uint64_t tick_ns);

#endif
