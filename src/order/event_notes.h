/* Remarks about odd events, for the user: what was met, how often, and where first. */
#ifndef CLEW_ORDER_EVENT_NOTES_H
#define CLEW_ORDER_EVENT_NOTES_H

#include "base/notes.h"
#include "trace/trace.h"

/* Notes one more of what the text says, met at this event. */
void remark(struct notes *n, const struct trace *t, event_id id, const char *text);

/* "event 12 (send by T1@n at Main.java:7)", cut to fit; for remarks and arguments. */
void remark_place(char *text, size_t size, const struct trace *t, event_id id);

#endif
