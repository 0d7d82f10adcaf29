/* The monitor: whether some moment that the clocks and messages of an execution allow has a state
 * that a property forbids.
 *
 *     struct monitor_result result = {0};
 *     const struct monitor_options options = {.spec = &spec, .skew = 10};
 *     if (monitor_find(t, &options, &findings, &result, &notes, e) < 0) { ... }
 *     vec_each (&result.properties, answer) { ... answer->verdict ... }
 *     monitor_result_release(&result);
 *
 * A moment is a cut (cuts.h). Properties are those of spec/: state formulas over the variables that
 * processes report. docs/theory/monitor.md describes the algorithms and their verdicts. */
#ifndef CLEW_MONITOR_MONITOR_H
#define CLEW_MONITOR_MONITOR_H

#include "base/err.h"
#include "base/notes.h"
#include "monitor/offline/decide_clause.h"
#include "spec/spec.h"
#include "trace/finding.h"
#include "trace/trace.h"

struct monitor_options {
    const struct spec *spec; /* the properties to decide */
    int64_t skew;       /* the largest difference of two clocks, in ticks; INT64_MAX: unbounded */
    bool is_paper;      /* the skew is on the time of the hybrid logical clock, as published */
    uint32_t input;     /* the index of the trace among the inputs, for the findings */
    const char *smtlib; /* the folder that receives the formulas as SMT-LIB; NULL: none */
    struct decide_options decide;
};

/* The answer for one property. YES: its formula holds in some cut (of always: fails there). */
struct monitor_answer {
    enum cut_verdict verdict;
    enum method method; /* the method that decided it */
    const char *reason; /* of UNKNOWN */
    bool is_violation;  /* YES, and the property says never or always */
    uint64_t clause_count;
    uint64_t check_count; /* of a stream: the number of checks at which it was possible */
};

struct monitor_result {
    VEC(struct monitor_answer) properties; /* in the order of the specification */
    uint64_t process_count, report_count, message_count;
    uint64_t gap_count;  /* intervals in which reports are missing */
    uint64_t late_count; /* reports of a stream that arrived after the cuts they belong to were
                            decided */
    bool is_misfit;      /* of a failure: the specification does not fit the trace */
};

void monitor_result_release(struct monitor_result *r);

/* Decides every property on t, which is sealed. Adds a finding for each YES: a violation, or a note
 * for a property that is only asked to be possible. The events of a finding are the reports that
 * last set the variables of the formula; its argument has the whole cut. Fails when the
 * specification does not fit the trace (a process that it names does not exist, or it is too long)
 * and when a formula cannot be written. */
MUST_USE int monitor_find(const struct trace *t, const struct monitor_options *o,
                          struct findings *f, struct monitor_result *r, struct notes *n,
                          struct err *e);

#endif
