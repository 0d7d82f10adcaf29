/* The order graph of a trace in the language of Graphviz: a cluster for each task, its events in
 * program order, and an edge for each order between tasks. */
#ifndef CLEW_REPORT_DOT_H
#define CLEW_REPORT_DOT_H

#include "trace/format.h"

extern const struct format format_dot;

#endif
