/* Explains a finding of an analysis of a trace: its witness, or where it has none the events before
 * each of its own; the argument; and the first event where the witness parts from the recorded run.
 *
 *     struct explanation x = {0};
 *     if (explain_finding(&finding, &o, &x, e) < 0) { ... the trace is another one ... }
 */
#ifndef CLEW_HUNT_EXPLAIN_FINDING_H
#define CLEW_HUNT_EXPLAIN_FINDING_H

#include "hunt/source_lines.h"
#include "report/explanation.h"
#include "trace/finding.h"

struct explain_finding_options {
    const struct trace *trace; /* sealed, that the events are of; NULL: it is not there */
    const char *trace_name;    /* for messages */
    uint64_t rows_max;         /* rows of the table, those around the finding's; 0: all */
    struct source_lines *source;
};

/* Fills *x, which is {0}. Fails when an event of the finding is not in the trace: that has changed
 * since. */
MUST_USE int explain_finding(const struct finding *f, const struct explain_finding_options *o,
                             struct explanation *x, struct err *e);

#endif
