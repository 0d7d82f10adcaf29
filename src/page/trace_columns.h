/* The part of a page that is packed: the events of the trace, the edges between its tasks, the
 * spans of its locks, and the steps of the run. */
#ifndef CLEW_PAGE_TRACE_COLUMNS_H
#define CLEW_PAGE_TRACE_COLUMNS_H

#include "page/page.h"

/* Writes an element for each column. Fails when happens-before cannot be built. */
MUST_USE int trace_columns_write(const struct page *p, struct out *out, struct err *e);

#endif
