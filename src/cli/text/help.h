/* The text of --help, from the tables. */
#ifndef CLEW_CLI_TEXT_HELP_H
#define CLEW_CLI_TEXT_HELP_H

#include "base/out.h"
#include "cli/verb.h"

/* The verbs, a line each. */
void help_verbs(struct out *out);

/* One verb: usage, description, options, exit statuses, examples. */
void help_verb(struct out *out, const struct verb *verb);

#endif
