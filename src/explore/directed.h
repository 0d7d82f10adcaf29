/* The strategy that goes straight to where tasks meet (docs/theory/explore.md, "directed"). As a
 * search of its own it is search_directed; auto begins with it. */
#ifndef CLEW_EXPLORE_DIRECTED_H
#define CLEW_EXPLORE_DIRECTED_H

#include "explore/search.h"

struct directed;

MUST_USE struct directed *directed_new(const struct search_options *o);
void directed_free(struct directed *d);

/* The plan of its next run; seed is of the run. Its memory is good until the run is learned. */
void directed_next(struct directed *d, uint64_t seed, struct plan *p);

/* Takes note of a run, planned by this strategy or another. */
void directed_learn(struct directed *d, const struct execution *x);

/* Whether the runs so far have shown anything to aim at. */
bool directed_has_aims(const struct directed *d);

/* Lets the plan choose before accesses only where tasks are known to meet; the depth of pct follows
 * from how many of these there are. */
void directed_narrow(const struct directed *d, struct plan *p);

/* How many words of memory that are. */
uint32_t directed_word_count(const struct directed *d);

#endif
