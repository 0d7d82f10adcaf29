/* Petri nets: what tasks do, as transitions on a line of places, and the variables or resources
 * they touch, as places they share.
 *
 *     (A.0) -> [R balance] -> (A.1) -> [W balance] -> (A.2)
 *                  |                       |
 *                  '--- test --- (balance) '--- consume and produce
 *
 * A read tests the place of its variable, a write consumes from it and produces into it again; a
 * read that a write of the same variable follows at once is one transition, R-W. A transition is
 * marked NonAtomic where it was interrupted in the finding, or where no common lock or version
 * check covers its read and its write. */
#ifndef CLEW_ATOMICITY_PETRI_H
#define CLEW_ATOMICITY_PETRI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/vec.h"
#include "trace/finding.h"
#include "trace/trace.h"

struct net_place {
    const char *name;
    bool is_shared; /* a variable or resource, not a step of a task */
    bool is_marked; /* holds a token at the beginning */
};

struct net_transition {
    const char *name;  /* "R balance" */
    const char *where; /* who and at which place */
    bool is_non_atomic;
    uint32_t from, to; /* the places of its task before and after */
    uint32_t variable; /* the place it shares */
    bool is_write;     /* consumes and produces there; else tests */
};

/* {0} is empty. */
struct net {
    struct arena arena;
    VEC(struct net_place) places;
    VEC(struct net_transition) transitions;
};

void net_release(struct net *n);

/* The net of a finding: its events, task by task; the task that was interrupted is NonAtomic. */
void net_of_finding(struct net *n, const struct finding *finding);

/* The net of all that the tasks of the trace do with variables that several access, at most
 * transition_max transitions; false when there are more. */
MUST_USE bool net_of_trace(struct net *n, const struct trace *t, size_t transition_max,
                           struct notes *notes, struct err *e);

/* Prints it for graphviz' dot, or as PNML (ISO/IEC 15909-2, with the test arcs of its extensions).
 */
void net_print_dot(const struct net *n, struct out *out);
void net_print_pnml(const struct net *n, struct out *out);

#endif
