/* Rules in the test's own text, in use until http_rules_end.
 *
 *     struct http_rules r;
 *     http_rules_of(&r, "track User-Agent");
 *     ... read captures ...
 *     http_rules_end(&r);
 */
#ifndef CLEW_TEST_HTTP_RULES_OF_H
#define CLEW_TEST_HTTP_RULES_OF_H

#include <string.h>

#include "import/http/http_rules.h"

static inline void http_rules_of(struct http_rules *r, const char *text)
{
    struct http_faults f = {0};
    const int status = http_rules_parse(r, text, strlen(text), &f);
    must(status == 0);
    http_rules_use(r);
}

static inline void http_rules_end(struct http_rules *r)
{
    http_rules_use(NULL);
    http_rules_release(r);
}

#endif
