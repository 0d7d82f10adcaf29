/* A writer of a format that needs the whole trace: it holds the events, and prints them at the end.
 *
 *     static int print_dot(const struct trace *t, struct out *out, struct notes *n, struct err *e);
 *     static struct writer *create(struct out *out, const struct tables *t, struct notes *n)
 *     {
 *         return whole_trace_writer(print_dot, out, t, n);
 *     }
 */
#ifndef CLEW_REPORT_WHOLE_TRACE_H
#define CLEW_REPORT_WHOLE_TRACE_H

#include "trace/format.h"

/* Writes the trace, which is sealed. */
typedef int whole_trace_print(const struct trace *t, struct out *out, struct notes *n,
                              struct err *e);

/* A new writer over *out, which it owns (trace/format.h). */
struct writer *whole_trace_writer(whole_trace_print *print, struct out *out, const struct tables *t,
                                  struct notes *n);

#endif
