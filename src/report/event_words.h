/* An event in words, for logs and diagrams: "read balance = 100 at account.c:21". */
#ifndef CLEW_REPORT_EVENT_WORDS_H
#define CLEW_REPORT_EVENT_WORDS_H

#include "base/out.h"
#include "trace/trace.h"

/* Writes the event without its place: kind, object, other task or message, text and value. Control
 * characters of names become blanks, so it is one line. */
void event_words(struct out *out, const struct trace *t, const struct event *e);

/* " at account.c:21", or nothing. */
void event_words_place(struct out *out, const struct trace *t, const struct event *e);

/* A text that begins with `before`, on one line; nothing for "". */
void event_words_line(struct out *out, const char *before, const char *text);

/* "main/1@server", or "main/1" where there are no nodes, on one line. */
void event_words_task(struct out *out, const struct trace *t, uint32_t task);

#endif
