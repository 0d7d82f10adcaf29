/* Checks a witness: whether a sequence of events is a real execution that ends in the race or
 * deadlock that it is to show.
 *
 *     struct witness_checker *c = witness_checker_new(t, NULL, 0);
 *     struct witness w = {.a = 3, .b = 7, .order = order, .count = 12};
 *     if (witness_check(c, &w, &e) < 0) { ... e says the event that cannot happen, and why ... }
 *     witness_checker_free(c);
 *
 * The sequence is replayed one event at a time against the rules for prefixes in
 * docs/theory/races-semantics.md: program order and handlers, threads, locks, waits, messages,
 * streams byte by byte, and every read but those of the pair sees the write it saw in the trace.
 * The checker shares no code with the engine that finds races, so it refuses the engine's errors.
 */
#ifndef CLEW_RACE_WITNESS_WITNESS_H
#define CLEW_RACE_WITNESS_WITNESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "trace/trace.h"

struct witness {
    bool is_message;
    bool is_use; /* a frees the block that b accesses: a is in the order, which ends in b */
    /* The two accesses, which the order ends in, either first; or, of a message race, the SND of
     * the message received later, and the RCV of the one received earlier, which the order ends in.
     */
    event_id a, b;
    /* A deadlock, instead of a race, when there are any: the order ends in these requests for
     * locks, each of which lacks nothing but a lock that the task of the next one, and of the last
     * the first, holds. */
    const event_id *requests;
    size_t request_count;
    /* The order: the trace's first `listed` events; then these. */
    size_t listed;
    const event_id *order;
    size_t count;
};

/* An order from outside the trace. */
struct witness_edge {
    event_id before, after;
};

struct witness_checker;

/* A checker for witnesses of this trace, which must be sealed and outlive it; the edges are copied.
 * Linear in the trace. */
MUST_USE struct witness_checker *
witness_checker_new(const struct trace *t, const struct witness_edge *edges, size_t edge_count);
void witness_checker_free(struct witness_checker *c);

/* 0 when the witness holds; else -1, and e names the event and its missing condition. Linear in the
 * order; in a trace without waits the common listed part of successive witnesses is replayed once.
 */
MUST_USE int witness_check(struct witness_checker *c, const struct witness *w, struct err *e);

#endif
