/* Streams of tokens: every piece sent has the same bytes, and every receive takes one piece.
 *
 *     struct trace replaced;
 *     t = token_streams_replace(t, &replaced);
 *     ...
 *     token_streams_release(&replaced);
 *
 * Whose token a receive takes is free: another schedule gives it the same bytes of another sender,
 * and another receiver may take the token first. Such a stream is a semaphore with count 0, on
 * which a SEND is a post and a RECV a wait (docs/theory/races-semantics.md, Streams of tokens). */
#ifndef CLEW_RACE_TOKEN_STREAM_H
#define CLEW_RACE_TOKEN_STREAM_H

#include "trace/trace.h"

/* The trace with the SENDs and RECVs of token streams as SEM_POSTs and SEM_WAITs of an object with
 * the channel's name; everything else, and all numbers, as in t. It is t itself when there are no
 * such streams, else *replaced, which shares the tables of t. O(events). */
const struct trace *token_streams_replace(const struct trace *t, struct trace *replaced);
void token_streams_release(struct trace *replaced);

#endif
