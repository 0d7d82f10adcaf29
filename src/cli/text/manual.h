/* Manual pages and shell completion from the tables of verbs, options and formats. */
#ifndef CLEW_CLI_TEXT_MANUAL_H
#define CLEW_CLI_TEXT_MANUAL_H

#include "base/err.h"
#include "base/out.h"

/* Writes the page whose text is given. A line that is only a marker is replaced by text from the
 * tables:
 *
 *     @HEAD@      title line and name (the first line of a page)
 *     @SYNOPSIS@  @OPTIONS@  @EXAMPLES@  @STATUS@      of the page's verb
 *     @VERBS@  @FORMATS@
 *
 * The page is "clew" or "clew-VERB". Fails on a page, verb or marker that does not exist. */
MUST_USE int generate_man(struct out *out, const char *page, const char *text, struct err *e);

/* Writes the completion for bash. */
void generate_completion(struct out *out);

#endif
