/* URIs as names of resources.
 *
 *     http://LOCALHOST:80/accounts/123456/balance?currency=EUR     a request's URI
 *     localhost/accounts/123456/balance                            the resource it names
 *     localhost/accounts/{id}/balance                              what such resources
 *                                                                  have in common
 *
 * The name leaves out the scheme and its usual port, query and fragment; letters of the host
 * are small; escapes of characters that need none are undone; empty segments are left out. */
#ifndef CLEW_IMPORT_HTTP_URI_H
#define CLEW_IMPORT_HTTP_URI_H

#include <stdbool.h>

#include "import/text_builder.h"

/* Adds the name of the resource to `name`. A URI without a scheme is one that begins with its host,
 * or, with a '/' first, a path on an unnamed host. False, and nothing added, when its scheme is
 * another than http or https, or nothing is left of it. */
bool uri_name(struct text *name, struct piece uri);

/* Adds the name that a reference in a request to the resource `base` stands for: "/a/b" begins at
 * the host, "b" replaces the last segment, a whole URI stands for itself. */
bool uri_resolve(struct text *name, struct piece base, struct piece reference);

/* Adds the name with everything that looks like a key (numbers, UUIDs, long runs of hexadecimal
 * digits, mixtures of letters and digits from 16 characters on) replaced by {id}, and the host
 * kept. */
void uri_template(struct text *template, struct piece name);

/* The value of the first parameter of this name in the URI's query, as it is written. False when
 * there is none. */
bool uri_query(struct piece uri, struct piece parameter, struct piece *value);

#endif
