/* A search as the user sees it: the progress line on a terminal, and Ctrl-C, which ends the search
 * and keeps its findings. */
#ifndef CLEW_CLI_TEXT_SEARCH_PROGRESS_H
#define CLEW_CLI_TEXT_SEARCH_PROGRESS_H

#include <stdbool.h>

#include "cli/interrupt.h"
#include "cli/session.h"
#include "explore/explore.h"

struct searching {
    const char *subject;
    bool is_shown; /* there is a line on the terminal */
    bool is_on;
    uint64_t begin_ns;
    struct stopping stopping;
};

/* Until searching_end, Ctrl-C is a wish (cli/interrupt.h). */
void searching_begin(struct searching *s, const struct session *session, const char *subject);
void searching_end(struct searching *s);

/* Puts the line in the place of the last one, on a terminal. */
void searching_show(struct searching *s, const char *line);

/* For explore_options: shows how it goes. The context is the struct searching. */
void searching_progress(void *context, const struct explore_progress *p);

#endif
