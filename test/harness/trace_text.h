/* A trace as the text that trace_of() takes, so that a trace printed by a failing test can be
 * pasted into another. */
#ifndef CLEW_TEST_TRACE_TEXT_H
#define CLEW_TEST_TRACE_TEXT_H

#include "trace/trace.h"

/* A statement per line. The text is valid until the next call. */
const char *trace_text(const struct trace *t);

#endif
