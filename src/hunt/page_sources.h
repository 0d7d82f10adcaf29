/* A page with the lines of the source files that its events name.
 *
 *     const char *folders[] = {".", "src"};
 *     if (page_write_with_sources(&p, &(struct page_folders){folders, 2}, &out, e) < 0) { ... }
 */
#ifndef CLEW_HUNT_PAGE_SOURCES_H
#define CLEW_HUNT_PAGE_SOURCES_H

#include "page/page.h"

/* Where source files are looked for, in this order. */
struct page_folders {
    const char *const *at;
    size_t count;
};

/* Finds the files and writes the page, as page_write does. Names with ".." are passed over: a trace
 * from elsewhere must not put other files of this machine into the page. */
MUST_USE int page_write_with_sources(struct page *p, const struct page_folders *folders,
                                     struct out *out, struct err *e);

#endif
