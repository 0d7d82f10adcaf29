/* The part of a page that is JSON: findings, explanation, names, lines of the sources. */
#ifndef CLEW_PAGE_PAGE_DATA_H
#define CLEW_PAGE_PAGE_DATA_H

#include "page/page.h"

/* The position of a finding's event in the trace of the page. */
uint64_t page_position_of(const struct finding_event *e);

/* Writes the element "data". The divergence is the event of the first run where the second parts
 * from it; EVENT_NONE: nowhere. */
void page_data_write(const struct page *p, event_id divergence, struct out *out);

#endif
