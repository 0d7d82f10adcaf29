/* The words of a command, split by rules of its own and never by a shell.
 *
 *     server --dir "$DATA" 'a b' c\ d        {"server", "--dir", "/srv/n1", "a b", "c d"}
 *
 * Blanks separate words. Between single quotes everything stands for itself. Between double quotes
 * \" \\ and \$ stand for " \ and $, and variables are replaced. Outside of quotes a backslash makes
 * the next character stand for itself. A variable is $WORD or ${WORD}; its value is never split.
 * The characters | & ; < > ( ) and ` are refused outside of quotes, because a shell would not take
 * them for themselves. */
#ifndef CLEW_PROC_CLUSTER_COMMAND_WORDS_H
#define CLEW_PROC_CLUSTER_COMMAND_WORDS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct command_variable {
    const char *name, *value;
};

/* Splits the text, which a 0 byte ends; the words, ended by NULL, are in the arena. Fails, with
 * what is wrong, but not where. `variables` is ended by a NULL name. */
MUST_USE int command_words(struct arena *a, const char *text,
                           const struct command_variable *variables, const char *const **words,
                           size_t *count, struct err *e);

/* Replaces the variables of a text that is not split; the result is in the arena. */
MUST_USE int command_expand(struct arena *a, const char *text,
                            const struct command_variable *variables, const char **result,
                            struct err *e);

#endif
