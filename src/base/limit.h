/* How much may be spent on an answer: time, runs, memory. Also the tool's only clock. */
#ifndef CLEW_BASE_LIMIT_H
#define CLEW_BASE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* {0} is no limit at all; so is 0 in each field. */
struct limit {
    uint64_t time_ns;
    uint64_t runs;
    uint64_t bytes;
    uint64_t begin_ns; /* set by limit_begin */
};

/* Adds what the text says: a number and a unit ("30s", "1.5h", "10000runs", "2GB"), or several
 * joined by commas. Units: ms s m h d, runs, and B KB MB GB TB (thousands) KiB MiB GiB TiB. Fails
 * on anything else and leaves *l as it was. */
MUST_USE int limit_parse(struct limit *l, const char *text, struct err *e);

/* Reads a span of time alone, which may be none ("0s"). */
MUST_USE int limit_parse_time(uint64_t *time_ns, const char *text, struct err *e);

/* Time counts from here. */
void limit_begin(struct limit *l);

/* True when the time, the runs or the memory are used up. Cheap enough for every batch of events,
 * not for every event. */
bool limit_is_spent(const struct limit *l, uint64_t runs_done);

/* Nanoseconds on a clock that only moves forward. */
uint64_t limit_now_ns(void);

/* What the process has used so far: time together with the processes it has waited for, and the
 * most memory of any one. */
struct usage {
    double cpu_seconds;
    uint64_t peak_bytes;
};
struct usage limit_usage(void);

#endif
