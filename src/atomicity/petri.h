/* Petri nets of findings and of traces: the accesses of tasks to shared variables, as drawings and
 * for other tools.
 *
 *     (A) -> [R balance] -> ( ) -> [W balance] -> ( )       a line of places per task
 *                 :                     |
 *                 '---- (balance) <-----'                   a place per variable
 *
 * A read tests the place of its variable, a write takes its token and puts it back. The net of a
 * trace also has a place per lock, whose token a task takes and returns; a place per order
 * between tasks, which is filled by the one event and emptied by the other; and a place per version
 * (version.h), whose token a task may take where it reads the version and must have where it asks
 * for it. So the net fires exactly the executions that the engine finds possible: a test compares
 * them.
 *
 * A transition is marked NonAtomic where its task was interrupted in the finding; in a trace, where
 * it is a read or the write of the same variable that follows it, and nothing is held from the one
 * to the other. */
#ifndef CLEW_ATOMICITY_PETRI_H
#define CLEW_ATOMICITY_PETRI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/notes.h"
#include "base/out.h"
#include "base/vec.h"
#include "trace/finding.h"
#include "trace/trace.h"

enum net_place_kind {
    NET_STEP,     /* of a task */
    NET_VARIABLE, /* or resource */
    NET_LOCK,
    NET_ORDER,
    NET_VERSION, /* of a resource: nobody has asked for it yet */
    NET_ASK      /* a task holds a version */
};

struct net_place {
    enum net_place_kind kind;
    const char *name;
    uint32_t tokens; /* at the beginning */
    uint32_t task;   /* NET_STEP: in net.tasks */
};

struct net_transition {
    const char *name;  /* "R balance" */
    const char *where; /* at which place of the source, or of which template; may be empty */
    event_id event;    /* of the trace */
    bool is_non_atomic;
    uint32_t task;     /* in net.tasks */
    uint32_t from, to; /* the places of its task before and after */
};

enum net_arc_kind { NET_TAKES, NET_GIVES, NET_TESTS };

/* An arc of a transition and a place, besides those of its task's line. */
struct net_arc {
    uint32_t transition, place;
    uint32_t weight; /* tokens */
    enum net_arc_kind kind;
};

/* {0} is empty. An event with several transitions happens by one of them. */
struct net {
    struct arena arena;
    VEC(const char *) tasks;
    VEC(struct net_place) places;
    VEC(struct net_transition) transitions;
    VEC(struct net_arc) arcs; /* by transition */
};

void net_release(struct net *n);

/* The net of a finding: its events, task by task; the task that was interrupted is NonAtomic. */
void net_of_finding(struct net *n, const struct finding *finding);

/* The net of all that the tasks of the trace do with variables that several access, at most
 * transition_max transitions; false when there are more. */
MUST_USE bool net_of_trace(struct net *n, const struct trace *t, size_t transition_max,
                           struct notes *notes, struct err *e);

/* Prints it for graphviz' dot, with labels that are short enough for a drawing. */
void net_print_dot(const struct net *n, struct out *out);

/* Prints it as a place/transition net in PNML (ISO/IEC 15909-2). That knows no test arcs: they are
 * two arcs, there and back, marked as such for tools that look. */
void net_print_pnml(const struct net *n, struct out *out);

#endif
