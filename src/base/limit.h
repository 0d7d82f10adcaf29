/* Limits of an analysis: time, runs, memory. Also the tool's only clock. */
#ifndef CLEW_BASE_LIMIT_H
#define CLEW_BASE_LIMIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct time_unit {
    const char *name;
    uint64_t ns;
};

/* The units of time in user input: d h m s ms us ns. Ended by a NULL name. */
extern const struct time_unit limit_time_units[];

/* {0} is no limit at all; so is 0 in each field. */
struct limit {
    uint64_t time_ns;
    uint64_t runs;
    uint64_t bytes;
    uint64_t begin_ns; /* set by limit_begin */
    /* Not 0 once a stop was requested, regardless of the rest; NULL: no stop. */
    const volatile sig_atomic_t *is_stopped;
};

/* Adds the limits of the text: a number and a unit ("30s", "1.5h", "10000runs", "2GB"), or several
 * joined by commas. Units: those of time, runs, and B KB MB GB TB (thousands) KiB MiB GiB TiB.
 * Fails on anything else and leaves *l unchanged. */
MUST_USE int limit_parse(struct limit *l, const char *text, struct err *e);

/* Reads a span of time alone, which may be zero ("0s"). */
MUST_USE int limit_parse_time(uint64_t *time_ns, const char *text, struct err *e);

/* Starts the clock of the limit. */
void limit_begin(struct limit *l);

/* The reason for the end. */
enum limit_end { LIMIT_OPEN, LIMIT_STOPPED, LIMIT_RUNS, LIMIT_TIME, LIMIT_BYTES };

/* LIMIT_OPEN until a stop is requested, or the runs, the time or the memory are used up. Cheap
 * enough for every batch of events, not for every event. */
enum limit_end limit_end(const struct limit *l, uint64_t runs_done);

static inline bool limit_is_spent(const struct limit *l, uint64_t runs_done)
{
    return limit_end(l, runs_done) != LIMIT_OPEN;
}

/* Whether a stop was requested. */
static inline bool limit_is_stopped(const struct limit *l)
{
    return l->is_stopped != NULL && *l->is_stopped != 0;
}

/* The remaining time, UINT64_MAX when it is unlimited. */
uint64_t limit_time_left_ns(const struct limit *l);

/* A limit for loops of small steps, which reads the clock only once in a while:
 *
 *     struct limit_watch watch = {.limit = l};
 *     for (...; !limit_is_over(&watch, 1); ...)
 *
 * A whole analysis shares one watch: is_over says whether some loop of it was cut short. */
struct limit_watch {
    const struct limit *limit; /* NULL: none */
    uint32_t steps_left;       /* until the next check */
    bool is_over;              /* sticky */
};

/* The number of steps, of a few microseconds at most, between two reads of the clock. */
enum { LIMIT_STEPS = 1024 };

bool limit_ask(struct limit_watch *w);

/* True when the limit is used up; `steps` were taken since the last call. The first call checks.
 * The watch may be NULL: no limit. */
static inline bool limit_is_over(struct limit_watch *w, uint32_t steps)
{
    if (w == NULL || w->limit == NULL || w->is_over) {
        return w != NULL && w->is_over;
    }
    if (w->steps_left > steps && !limit_is_stopped(w->limit)) {
        w->steps_left -= steps;
        return false;
    }
    return limit_ask(w);
}

/* Nanoseconds on a monotonic clock. */
uint64_t limit_now_ns(void);

/* Nanoseconds of CPU time of this process. Async-signal-safe. */
uint64_t limit_processor_ns(void);

/* The same of another process; 0 when it has ended. */
uint64_t limit_processor_ns_of(pid_t process);

/* The resource usage so far: CPU time including awaited child processes, and the peak memory of any
 * one. */
struct usage {
    double cpu_seconds;
    uint64_t peak_bytes;
};
struct usage limit_usage(void);

#endif
