/* Reproduces a recorded failure: from the trace of a run that failed, a schedule under control that
 * fails in the same way.
 *
 *     struct reproduced r = {0};
 *     struct recorded_end end = recorded_end_of(&trace);
 *     if (end.kind != END_PASSED && reproduce(w, &trace, &options, &r, e) == 0 && r.is_found) {
 *         ... r.schedule ...
 *     }
 *     reproduced_release(&r);
 *
 *     recorded order:  main/1 lock m   main/2 read x   main/1 unlock m   main/2 write x
 *                           |               |               |                 |   task, kind,
 * place, controlled run:  step 4          step 9          step 7            step 12  and occurrence
 *
 * Each run is aligned with the recording, and the next one takes the steps of the last one in the
 * recorded order, until no run changes any more: branches that depend on what was read appear one
 * after the other. A recording does not order plain accesses between two stamps, so a search
 * follows: runs that leave the aligned one at random, then the directed strategy. */
#ifndef CLEW_HUNT_REPRODUCE_H
#define CLEW_HUNT_REPRODUCE_H

#include <signal.h>

#include "base/limit.h"
#include "explore/search.h"
#include "trace/trace.h"
#include "world/world.h"

/* How a recorded run ended. */
enum recorded_end_kind {
    END_PASSED, /* exit status 0 */
    END_EXIT,   /* another exit status */
    END_CRASH,  /* a signal of a crash: SIGABRT, SIGSEGV ... */
    END_KILLED, /* another signal, or no end at all: it hung, or was killed */
};

struct recorded_end {
    enum recorded_end_kind kind;
    int64_t value; /* the exit status or the signal; of END_KILLED 0: not known */
};

/* The end of the first process of the trace. */
struct recorded_end recorded_end_of(const struct trace *t);

/* "ended with status 3", "was killed by signal 6", for messages. */
void recorded_end_print(struct recorded_end end, struct out *out);

struct reproduce_options {
    struct search_options search;
    struct limit limit;                      /* of all runs */
    const volatile sig_atomic_t *is_stopped; /* ends it once it is not 0; not NULL */
};

/* {0} is empty. */
struct reproduced {
    bool is_found;
    const char *way; /* that led to it: "recorded order", "runs beside it", "search" */
    uint64_t run_count;
    uint32_t recorded_count; /* events of the recording that a controlled run can have as steps */
    uint32_t aligned_count;  /* of these, events that some run had */
    enum outcome outcome;
    enum finding_severity severity;
    char what[400];
    char key[120];
    char *schedule;  /* its text */
    char other[300]; /* a failure of another kind that runs showed; "": none */
};

/* Fails when the world breaks. The trace is sealed; its end is not END_PASSED. */
MUST_USE int reproduce(struct world *w, const struct trace *t, const struct reproduce_options *o,
                       struct reproduced *r, struct err *e);
void reproduced_release(struct reproduced *r);

#endif
