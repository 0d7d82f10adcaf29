/* The source files that the events of a trace name, for its page. */
#ifndef CLEW_CLI_VERBS_VIEW_SOURCES_H
#define CLEW_CLI_VERBS_VIEW_SOURCES_H

#include "cli/options.h"
#include "hunt/source_lines.h"
#include "page/page.h"

/* {0} is empty. */
struct view_sources {
    struct source_lines lines;
    struct arena arena;
    VEC(struct page_file) files;
};

/* Looks in the current directory, then in the folders. Names with ".." are passed over: a trace
 * from elsewhere must not put other files of this machine into the page. */
void view_sources_find(struct view_sources *v, const struct trace *t, const struct texts *folders);
void view_sources_release(struct view_sources *v);

#endif
