/* Synthetic workloads to test and measure the monitor: those of Tekken Valapil et al. (2017),
 * section 7, and the token passing of their figure 1.
 *
 *     synthetic   every process flips its variable v at random, and sends messages at random
 *     tdm         processes take turns by the clock; at random one overruns its turn
 *     token       processes take turns by passing a token
 *
 * Clocks drift within the skew. The same options produce the same trace. */
#ifndef CLEW_MONITOR_WORKLOAD_H
#define CLEW_MONITOR_WORKLOAD_H

#include <stdint.h>

#include "trace/trace.h"

#define WORKLOAD_LIST(WORKLOAD)      \
    WORKLOAD(SYNTHETIC, "synthetic") \
    WORKLOAD(TDM, "tdm")             \
    WORKLOAD(TOKEN, "token")

enum workload_kind {
#define WORKLOAD(id, name) WORKLOAD_##id,
    WORKLOAD_LIST(WORKLOAD)
#undef WORKLOAD
        WORKLOAD_COUNT
};

const char *workload_name(enum workload_kind kind);

/* Times in ticks, probabilities in millionths. */
struct workload {
    enum workload_kind kind;
    uint32_t process_count;
    uint64_t tick_ns;
    int64_t skew;
    int64_t delay;         /* of a message */
    uint32_t beta;         /* probability, each tick, that a variable changes */
    int64_t interval;      /* for which it then stays unchanged */
    uint32_t message_rate; /* probability, each tick, that a process sends */
    int64_t duration;
    uint32_t fault; /* tdm: probability that a process overruns its turn */
    uint64_t seed;
};

/* The published parameters: 10 processes for a second, ticks of 0.01 ms, skew 10 ms, delay 1 ms,
 * 1,000 messages a second each. */
struct workload workload_default(enum workload_kind kind);

/* The same in other ticks. */
void workload_rescale(struct workload *w, uint64_t tick_ns);

/* Fills t, which must be empty, with a run, and seals it. */
void workload_run(const struct workload *w, struct trace *t);

/* The specification to check on such a run. */
const char *workload_spec(enum workload_kind kind);

#endif
