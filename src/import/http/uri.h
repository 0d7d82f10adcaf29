/* URIs as names of resources.
 *
 *     http://LOCALHOST:80/accounts/123456/balance?currency=EUR     a request's URI
 *     localhost/accounts/123456/balance                            the resource it names
 *     localhost/accounts/{id}/balance                              the template of such
 *                                                                  resources
 *
 * The name omits the scheme and its default port, query and fragment; the host is in lower case;
 * unnecessary escapes are decoded; empty segments are dropped. */
#ifndef CLEW_IMPORT_HTTP_URI_H
#define CLEW_IMPORT_HTTP_URI_H

#include <stdbool.h>

#include "import/text_builder.h"

/* Appends the name of the resource to `name`. A URI without a scheme begins with its host, or, with
 * a '/' first, is a path on an unnamed host. False, and nothing appended, when its scheme is other
 * than http or https, or it is empty. */
bool uri_name(struct text *name, struct piece uri);

/* Appends the name of a reference in a request to the resource `base`: "/a/b" begins at the host,
 * "b" replaces the last segment, a whole URI stands for itself. */
bool uri_resolve(struct text *name, struct piece base, struct piece reference);

/* Appends the name with every likely key (numbers, UUIDs, long runs of hexadecimal digits, mixtures
 * of letters and digits from 16 characters on) replaced by {id}, and the host kept. */
void uri_template(struct text *template, struct piece name);

/* The value of the first parameter of this name in the URI's query, as written. False when there is
 * none. */
bool uri_query(struct piece uri, struct piece parameter, struct piece *value);

#endif
