/* Traces made to measure: valid executions of a chosen size, the same bytes for the same options.
 */
#ifndef CLEW_BENCH_GEN_H
#define CLEW_BENCH_GEN_H

#include <stdint.h>

#include "base/out.h"

/* Cyclon, a gossip protocol: in each cycle the main thread of every node reads its view and sends
 * it to a random other node, whose gossip thread merges it and answers.
 *
 *     main     gossip thread of the peer            gossip thread of the sender
 *     R SND -> RCV HB LOCK R W SND UNLOCK HE   ->   RCV HB LOCK W UNLOCK HE
 *
 * That is 16 events a cycle; a node has 4 more (W CREATE END, and START of its gossip thread).
 * Messages take random times and overtake each other. Every node's view is one variable, so there
 * are nodes * (2 * cycles^2 + 3 * cycles) pairs of conflicting accesses by two threads. */
struct gen_cyclon_options {
    uint32_t node_count; /* at least 2 */
    uint32_t cycle_count;
    uint64_t seed;
};

/* Writes nodes * (4 + 16 * cycles) events as Falcon JSON, a line each. O(events * log nodes). */
void gen_cyclon(struct out *o, const struct gen_cyclon_options *options);

/* Threads that share variables under locks, nested up to three deep, and now and then without. The
 * first thread forks the others and joins them at the end. */
struct gen_std_options {
    uint32_t thread_count;
    uint32_t lock_count;     /* 0: every shared access is without a lock */
    uint32_t variable_count; /* at least 1 */
    uint64_t event_count;    /* at least 2 * (thread_count - 1) */
    uint64_t seed;
};

/* Writes exactly event_count events as RAPID STD, a line each. */
void gen_std(struct out *o, const struct gen_std_options *options);

/* Threads that access all variables at random, in sections of one lock and without: nothing is
 * guarded, so that nearly every pair of accesses is a candidate. */
struct gen_mixed_options {
    uint32_t thread_count;
    uint32_t lock_count;       /* 0: no access is in a section */
    uint32_t variable_count;   /* at least 1 */
    uint64_t event_count;      /* at least 3 * thread_count */
    uint64_t place_count;      /* source places that accesses choose from; 0: each has its own */
    uint32_t unlocked_percent; /* of the steps outside of sections that are accesses */
    uint64_t seed;
};

/* Writes event_count events, or one or two fewer, as RAPID STD, a line each. */
void gen_mixed(struct out *o, const struct gen_mixed_options *options);

/* The whole of a generator's main(): reads numbers from the command line, one for each word of
 * `usage` (those in brackets may be missing and are then 1), and has `run` write to standard
 * output. `run` returns NULL, or, before it writes, a message about wrong numbers. Returns the
 * status. */
int gen_main(int argc, char **argv, const char *usage,
             const char *(*run)(struct out *o, const uint64_t *numbers));

enum { GEN_NUMBERS_MAX = 7 };

#endif
