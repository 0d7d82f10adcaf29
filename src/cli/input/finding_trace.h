/* The traces that the findings of a file are of, loaded when the first finding needs one.
 *
 *     struct finding_trace l;
 *     finding_trace_init(&l, s, &from);
 *     vec_each (&from.findings.list, f) {
 *         if (finding_trace_load(&l, f, e) < 0) { ... }
 *         ... l.reading.trace ...
 *     }
 *     finding_trace_close(&l);
 */
#ifndef CLEW_CLI_INPUT_FINDING_TRACE_H
#define CLEW_CLI_INPUT_FINDING_TRACE_H

#include "cli/input/trace_input.h"
#include "report/findings_file.h"

struct finding_trace {
    struct session session; /* that reads the inputs of the findings */
    struct common common;
    struct reading reading;
    size_t input;   /* SIZE_MAX: none is loaded */
    bool is_joined; /* all inputs are, as one run */
};

void finding_trace_init(struct finding_trace *l, const struct session *s,
                        const struct finding_file *from);

/* Loads the trace with the events of the finding, which has some. */
MUST_USE int finding_trace_load(struct finding_trace *l, const struct finding *f, struct err *e);
void finding_trace_close(struct finding_trace *l);

/* Whether `name`, its number or its key, is the finding's, which is the number-th of its file; NULL
 * is any. */
bool finding_is_named(const struct finding *f, uint32_t number, const char *name);

/* Fails, with the command for its schedule where that is known: for a finding of a run. */
int finding_has_no_trace(const struct finding *f, const char *verb, struct err *e);

#endif
