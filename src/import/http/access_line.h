/* A line of a web server's access log: the common and the combined format of Apache and nginx, and
 * frequent extensions.
 *
 *     192.0.2.7 - anna [18/Nov/2026:03:25:11 +0000] "GET /a/7 HTTP/1.1" 200 512
 *     192.0.2.7 - - [18/Nov/2026:03:25:11 +0000] "PUT /a/7 HTTP/1.1" 204 - "-" "curl/8.0" 0.003
 *     shop.example:443 192.0.2.7 - - [18/Nov/2026:03:25:11.204 +0000] "GET / HTTP/2.0" 304 0
 *
 * The client is the user where one is logged in, else the address. A traceparent anywhere behind
 * the status is found. */
#ifndef CLEW_IMPORT_HTTP_ACCESS_LINE_H
#define CLEW_IMPORT_HTTP_ACCESS_LINE_H

#include "import/http/line_pattern.h"

struct access_line {
    struct line_fields fields; /* of time, task (the client), verb, resource and status */
    struct piece host;         /* the virtual host, in a log for several; size 0: absent */
    struct piece traceparent;  /* size 0: absent */
};

/* Parses the line; on success *a points into it. */
bool access_line_parse(struct piece line, struct access_line *a);

#endif
