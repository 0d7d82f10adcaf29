/* The monitor: could it have gone wrong? Whether some moment that the clocks and messages of an
 * execution allow has a state that a property forbids.
 *
 *     struct monitor_result result = {0};
 *     const struct monitor_options options = {.spec = &spec, .skew = 10};
 *     if (monitor_find(t, &options, &findings, &result, &notes, e) < 0) { ... }
 *     vec_each (&result.properties, answer) { ... answer->verdict ... }
 *     monitor_result_release(&result);
 *
 * A moment is a cut (cuts.h). Properties are those of spec/: state formulas over the variables that
 * processes report. What is decided, and how, is in docs/theory/monitor.md. */
#ifndef CLEW_MONITOR_MONITOR_H
#define CLEW_MONITOR_MONITOR_H

#include "base/err.h"
#include "base/notes.h"
#include "monitor/offline/decide_clause.h"
#include "spec/spec.h"
#include "trace/finding.h"
#include "trace/trace.h"

struct monitor_options {
    const struct spec *spec; /* what is asked */
    int64_t skew;            /* clocks differ by at most so many ticks; INT64_MAX: by any */
    bool is_paper;           /* the skew is on the time of the hybrid logical clock, as published */
    uint32_t input;          /* which of the inputs the trace is, for the findings */
    const char *smtlib;      /* a folder that the formulas are written to; NULL: none */
    struct decide_options decide;
};

/* What became of one property: YES, its formula holds in some cut (of always: fails there). */
struct monitor_answer {
    enum cut_verdict verdict;
    enum method method; /* that decided it */
    const char *reason; /* of UNKNOWN */
    bool is_violation;  /* YES, and the property says never or always */
    uint64_t clause_count;
    uint64_t check_count; /* of a stream: at how many checks it was possible */
};

struct monitor_result {
    VEC(struct monitor_answer) properties; /* as in the specification */
    uint64_t process_count, report_count, message_count;
    uint64_t gap_count;  /* where reports are missing */
    uint64_t late_count; /* reports of a stream that came after what they could have changed */
    bool is_misfit;      /* of a failure: it is the specification that does not fit */
};

void monitor_result_release(struct monitor_result *r);

/* Decides every property on t, which is sealed. A finding for each YES: of a violation, or a note
 * for what is only asked to be possible; its events are the reports that last set what the formula
 * reads, its argument has the whole cut. Fails when the specification does not fit the trace: a
 * process it names is not there, or it is too long; and when a formula cannot be written. */
MUST_USE int monitor_find(const struct trace *t, const struct monitor_options *o,
                          struct findings *f, struct monitor_result *r, struct notes *n,
                          struct err *e);

#endif
