/* Lines of source files near the events of a trace: each line that an event names, with a few lines
 * around it. */
#ifndef CLEW_PAGE_SOURCE_WINDOWS_H
#define CLEW_PAGE_SOURCE_WINDOWS_H

#include "base/json.h"
#include "page/page.h"

/* Writes the object "sources": by file, the lines by their numbers from 1. */
void source_windows_print(const struct page *p, struct json *j);

#endif
