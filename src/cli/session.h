/* One running command: its arguments, and its output streams. */
#ifndef CLEW_CLI_SESSION_H
#define CLEW_CLI_SESSION_H

#include <stdbool.h>

#include "base/notes.h"
#include "base/out.h"
#include "cli/verb.h"
#include "report/suppressions.h"

struct session {
    const struct verb *verb;
    const struct common *common;
    const char *const *inputs; /* the operands */
    size_t input_count;
    const char *const *command; /* the words behind "--", ended by NULL, of verbs that take a
                                   program; NULL: none */
    size_t command_count;
    struct limit budget;              /* running since the session began */
    struct out out;                   /* standard output: results, and nothing else */
    bool is_colored;                  /* standard output wants colours */
    struct suppressions suppressions; /* of --suppress and --baseline */
    struct exports exports;           /* of --sarif, --junit and --github */
};

/* How a word stands out where there are colours. */
enum paint { PAINT_ERROR, PAINT_WARNING, PAINT_STRONG };

/* Writes text to s->out, coloured when the session is. */
void session_paint(struct session *s, enum paint paint, const char *text);

/* Prints the notes of a reader or writer on standard error, unless the session is quiet. */
void session_warn(const struct session *s, const char *subject, const struct notes *notes);

/* Writes the error in the command line; always returns MISUSED. */
int session_misused(struct err *e, const char *format, ...) PRINTF_LIKE(2, 3);

/* One line on standard error, "clew: " before it. Bytes that could steer a terminal are shown as
 * \\xNN: names in traces come from outside. */
void session_say(const char *format, ...) PRINTF_LIKE(1, 2);

/* Writes text from outside to s->out, with the same care. */
void session_text(struct session *s, const char *text);
void session_bytes(struct session *s, const char *bytes, size_t size);

#endif
