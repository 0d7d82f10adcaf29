/* An interactive run: the user chooses each step, back and forth. */
#ifndef CLEW_CLI_VERBS_INTERACTIVE_REPLAY_H
#define CLEW_CLI_VERBS_INTERACTIVE_REPLAY_H

#include "cli/session.h"
#include "world/world.h"

/* Reads commands from standard input until it ends: a number takes that step, b goes back, n shows
 * the nodes, s FILE saves the schedule so far (and says how to replay it, with these options), q
 * ends. Returns EXIT_FOUND when the run ends with a violation, EXIT_CLEAN when not, -1 when
 * standard input fails. */
int interactive(struct session *s, struct world *w, const struct plan *p,
                const char *replay_options, struct err *e);

#endif
