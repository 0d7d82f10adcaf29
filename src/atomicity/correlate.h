/* Correlation: which variables belong together, by how close their accesses are in the tasks of one
 * or many traces.
 *
 *     struct correlation *c = correlation_new();
 *     correlation_add(c, t, NULL);                             once per trace
 *     struct correlated_list list = {0};
 *     correlation_rank(c, &list);                              the closest first
 *     correlation_free(c);
 *
 * Two variables are known across traces by their classes (variable.h). */
#ifndef CLEW_ATOMICITY_CORRELATE_H
#define CLEW_ATOMICITY_CORRELATE_H

#include <stdint.h>

#include "atomicity/pairing.h"
#include "atomicity/shared_variable.h"
#include "base/limit.h"
#include "base/vec.h"
#include "trace/trace.h"

struct correlated {
    const char *x, *y; /* classes; the correlation's */
    double mean;       /* distance in accesses that count, without outliers */
    uint64_t support;  /* how many distances that is the mean of */
    uint64_t outliers; /* how many were left out */
};

/* {0} is empty. */
struct correlated_list {
    VEC(struct correlated) list;
};

struct correlation;

struct correlation *correlation_new(void);
void correlation_free(struct correlation *c);

/* Adds the distances of a trace; where the watch (NULL: none) ends it, of a part of it. */
void correlation_add(struct correlation *c, const struct trace *t, struct limit_watch *watch);

/* The same, from pairings that have been built. */
void correlation_add_pairings(struct correlation *c, const struct variables *v,
                              const struct pairings *p, struct limit_watch *watch);

/* Ranks all pairs: by mean, then by support, then by name. */
void correlation_rank(const struct correlation *c, struct correlated_list *list);

#endif
