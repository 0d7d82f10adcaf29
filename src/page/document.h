/* The document around the data of a page: its head with the policy, the parts that are readable
 * without the script, and the script. */
#ifndef CLEW_PAGE_DOCUMENT_H
#define CLEW_PAGE_DOCUMENT_H

#include "page/page.h"

/* Writes everything before the data, and everything behind it. */
void document_begin(const struct page *p, struct out *out);
void document_end(struct out *out);

/* Writes JSON as the content of a script element, where no "<" may stand: inside of strings it is
 * written \u003c. */
void document_json(struct out *out, const char *json, size_t size);

#endif
