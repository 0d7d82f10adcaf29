/* Notes about irregular events, for the user: the irregularity, its count, and its first event. */
#ifndef CLEW_ORDER_EVENT_NOTES_H
#define CLEW_ORDER_EVENT_NOTES_H

#include "base/notes.h"
#include "trace/trace.h"

/* Counts one more occurrence of the irregularity that the text states, at this event. */
void remark(struct notes *n, const struct trace *t, event_id id, const char *text);

/* "event 12 (send by T1@n at Main.java:7)", cut to fit; for notes and arguments. */
void remark_place(char *text, size_t size, const struct trace *t, event_id id);

#endif
