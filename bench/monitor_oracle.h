/* All cuts of a small run, one by one: an oracle for the monitor. */
#ifndef CLEW_BENCH_MONITOR_ORACLE_H
#define CLEW_BENCH_MONITOR_ORACLE_H

#include "base/vec.h"
#include "trace/trace.h"

enum { ORACLE_PROCESSES_MAX = 4 };

/* A cut in which at least `least` processes have v = 1. */
struct oracle_cut {
    int64_t latest; /* the time of its latest report */
    int64_t next;   /* and of the earliest that is not in it; INT64_MAX: all are */
};

struct oracle {
    uint64_t cut_count; /* of all kinds */
    VEC(struct oracle_cut) list;
};

/* Walks through the cuts of t, which has nodes, clocks within the skew, and messages that are
 * received once. */
void oracle_walk(struct oracle *o, const struct trace *t, int64_t skew, uint32_t least);
void oracle_release(struct oracle *o);

/* Whether there is a cut of reports before `until` that has all that was over by `from`. */
bool oracle_is_possible(const struct oracle *o, int64_t skew, int64_t from, int64_t until);

#endif
