/* A page served over HTTP on loopback, for a browser that cannot open the file: on another machine,
 * at the near end of an SSH tunnel.
 *
 *     if (page_server_run(document, size, &options, e) < 0) { ... }
 *
 * It listens on 127.0.0.1 alone and answers GET and HEAD of one address, which holds a random token
 * of 128 bits: other users of the machine cannot guess it. The Host header must name the loopback
 * address, so that a page of another site cannot reach it under a name of its own. */
#ifndef CLEW_CLI_TEXT_PAGE_SERVER_H
#define CLEW_CLI_TEXT_PAGE_SERVER_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/out.h"

struct page_server_options {
    uint16_t port;                           /* 0: any that is free */
    struct out *out;                         /* receives the address, on a line */
    const volatile sig_atomic_t *is_stopped; /* not 0 once it must end */
};

/* Serves the document until it is stopped. Fails where the port is taken. */
MUST_USE int page_server_run(const char *document, size_t size, const struct page_server_options *o,
                             struct err *e);

#endif
