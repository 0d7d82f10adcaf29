/* Makes a trace that fails a test small: drops events as long as it keeps failing. */
#ifndef CLEW_TEST_SHRINK_H
#define CLEW_TEST_SHRINK_H

#include <stdbool.h>

#include "trace/trace.h"

/* Fills `to`, which must be empty, with as few events of `from` as still fail: no single event can
 * be dropped any more. `from` must fail. */
void trace_shrink(struct trace *to, const struct trace *from,
                  bool (*fails)(const struct trace *t, void *context), void *context);

/* Fills `to`, which must be empty, with the events of `from` that `keep` says, and seals it. */
void trace_keep(struct trace *to, const struct trace *from, const bool *keep);

/* Makes `to`, which must be empty, a trace without events whose names and tasks have the same
 * numbers. */
void trace_copy_tables(struct trace *to, const struct trace *from);

#endif
