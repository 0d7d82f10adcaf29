/* Small traces in a line, for tests.
 *
 *     const struct trace *t = trace_of("T1 w x; T1 rel m; T2 acq m; T2 w x @Main.java:7");
 *
 * Statements are separated by ';' or a new line, words by spaces:
 *
 *     TASK VERB [OPERAND] [@LOCATION] [FIELD=...]...
 *
 * TASK is "T1", or "T1@node". VERB is the name of any event kind ("file-open"), or short:
 *
 *     w r                write, read                 fork join      thread-create, thread-join
 *     acq rel            lock, unlock                begin end      thread-start, thread-end
 *     snd rcv            send, recv                  hb he          handler-begin, handler-end
 *     wait woken         wait-begin, wait-end        notify         signal
 *     notify-all         broadcast                   enter leave    barrier-enter, barrier-exit
 *     post down          sem-post, sem-wait          ld st rmw      atomic-load, -store, -rmw
 *     var                variable                    set fire       timer-set, timer-fire
 *     before after       happens-before, -after
 *
 * OPERAND is the other task for kinds that have a peer ("T1 fork T2@n"), else the object.
 * FIELD is size, value, count, time, hlc (as TIME,COUNT), msg, text, lock (the text of a wait) or
 * mode (by name: mode=read, mode=udp).
 *
 * A statement "order exact" (node, stamped), "tick 1000" or "source falcon" sets the header; the
 * default is order node. A misspelt trace fails the test. */
#ifndef CLEW_TEST_TRACE_OF_H
#define CLEW_TEST_TRACE_OF_H

#include <stdbool.h>

#include "trace/trace.h"

/* The trace of this text, sealed. It lives until the program ends, or trace_of_release. */
struct trace *trace_of(const char *text);

/* Releases every trace made so far: for loops that make many. */
void trace_of_release(void);

/* The difference of two traces compared by names, not by numbers; NULL if there is none. The
 * sentence is valid until the next call. */
const char *trace_difference(const struct trace *a, const struct trace *b);

/* Fails the test with the first difference. */
void check_same_trace(const struct trace *got, const struct trace *wanted);

#endif
