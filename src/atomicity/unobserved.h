/* Nodes whose memory accesses a trace does not have: nothing can be said about their atomicity. */
#ifndef CLEW_ATOMICITY_UNOBSERVED_H
#define CLEW_ATOMICITY_UNOBSERVED_H

#include <stdint.h>

#include "base/notes.h"
#include "trace/trace.h"

/* Counts the nodes with unknown accesses, and notes each with the remedy. An access is one to
 * memory, plain or atomic, or to a resource; coverage, which code built by clew cc reports, shows
 * that a node without accesses was observed.
 *
 * - A trace without any access is unknown as a whole: 1.
 * - In a recording, a node with two tasks or more and no access is unknown by itself.
 *
 * O(events). */
uint64_t unobserved_count(const struct trace *t, struct notes *n);

#endif
