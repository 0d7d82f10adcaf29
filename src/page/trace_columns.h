/* The part of a page that is packed: the events of the trace, the edges between its tasks, the
 * spans of its locks, and the steps of the run. */
#ifndef CLEW_PAGE_TRACE_COLUMNS_H
#define CLEW_PAGE_TRACE_COLUMNS_H

#include "page/page.h"

/* Writes an element for each column of the run. Fails when happens-before cannot be built. */
MUST_USE int trace_columns_write(const struct page_run *run, size_t index, struct out *out,
                                 struct err *e);

/* Writes the partners of the first run's events in the second. */
void trace_columns_write_partners(const struct trace *first, const event_id *partners,
                                  struct out *out);

#endif
