/* The script and the style of the page, made by tools/embed_page at build time. */
#ifndef CLEW_PAGE_ASSETS_H
#define CLEW_PAGE_ASSETS_H

#include <stddef.h>

struct page_asset {
    const char *text;
    size_t size;
    const char *hash; /* as a Content-Security-Policy names it: "sha256-..." */
};

extern const struct page_asset page_style, page_script;

#endif
