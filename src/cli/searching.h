/* A search as the user sees it: the line that moves on a terminal, and Ctrl-C, which ends the
 * search and keeps what it has found. */
#ifndef CLEW_CLI_SEARCHING_H
#define CLEW_CLI_SEARCHING_H

#include <signal.h>
#include <stdbool.h>

#include "cli/session.h"
#include "explore/explore.h"

/* Not 0 once the user wants the search to end. */
extern volatile sig_atomic_t searching_is_stopped;

struct searching {
    const char *subject;
    bool is_shown; /* there is a line on the terminal */
    bool is_on;
    uint64_t begin_ns;
    struct sigaction before[2];
};

/* Until searching_end, SIGINT and SIGTERM set searching_is_stopped; a second one ends the program.
 */
void searching_begin(struct searching *s, const struct session *session, const char *subject);
void searching_end(struct searching *s);

/* Puts the line in the place of the last one, on a terminal. */
void searching_show(struct searching *s, const char *line);

/* For explore_options: shows how it goes. The context is the struct searching. */
void searching_progress(void *context, const struct explore_progress *p);

#endif
