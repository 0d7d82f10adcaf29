/* The values that a source of a rule selects in a request or its response. */
#ifndef CLEW_IMPORT_HTTP_HTTP_FIND_H
#define CLEW_IMPORT_HTTP_HTTP_FIND_H

#include "import/http/http_exchange.h"
#include "import/http/http_rules.h"

/* Which half of the exchange. */
enum http_side { SIDE_REQUEST, SIDE_ANSWER };

/* The faults of a body that a source had to parse. */
enum http_body_fault { BODY_RIGHT, BODY_NOT_JSON, BODY_NOT_BASE64, BODY_CUT };

/* Calls `found` with each value, valid during the call; only a body can have several. Empty values
 * are skipped. Returns the fault of the body, if one was parsed: an empty body has none. */
enum http_body_fault http_find_all(const struct http_source *source, const struct http_exchange *x,
                                   enum http_side side,
                                   void (*found)(void *context, struct piece value), void *context);

/* Sets *value to the first; false when there is none. Adds to *fault, which may be NULL. */
bool http_find(const struct http_source *source, const struct http_exchange *x, enum http_side side,
               struct text *value, enum http_body_fault *fault);

#endif
