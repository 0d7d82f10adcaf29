/* Happens-before: the order of the events of a trace that a model requires, and queries on it.
 *
 *     struct hb hb;
 *     if (hb_build(&hb, t, &(struct hb_options){.model = HB_STRICT}, notes, e) < 0) { ... }
 *     if (hb_is_before(&hb, send, receive)) { ... }
 *     hb_release(&hb);
 *
 * docs/theory/races-semantics.md defines the models exactly. */
#ifndef CLEW_ORDER_HB_H
#define CLEW_ORDER_HB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/notes.h"
#include "order/condition_wait.h"
#include "order/context.h"
#include "order/message.h"
#include "order/once.h"
#include "order/order_graph.h"
#include "order/reachability.h"
#include "order/section.h"
#include "order/semaphore.h"
#include "order/user_edges.h"
#include "trace/trace.h"

enum hb_model {
    HB_STRICT,   /* only orders that every allowed execution obeys; handlers are contexts, locks are
                    free */
    HB_OBSERVED, /* each task's whole list, and locks and waits as observed */
    HB_TASKS,    /* each task's whole list, and waits as observed; locks are free */
};

/* Which of hb.before and hb.after exist. */
enum hb_sides {
    HB_BEFORE, /* all that hb_is_before needs */
    HB_AFTER,
    HB_BOTH,
};

struct hb_options {
    enum hb_model model;
    enum reach_scope scope;    /* the pairs of events that queries may name, see reachability.h */
    const struct given *given; /* user-supplied orders, NULL: none */
    bool fixes_onces;          /* no routine of a one-time initialization is movable */
};

struct reads_from;

/* Open for reading. */
struct hb {
    const struct trace *trace;
    const struct reads_from *reads; /* the writes that reads saw; NULL: as listed (reads_from.h) */
    enum hb_model model;
    struct contexts contexts;
    struct semaphores semaphores;
    struct onces onces; /* movable routines; none where the list decides who ran them */
    struct messages messages;
    struct waits waits;
    struct sections sections;
    struct edges edges; /* the edges of the graph */
    struct graph graph;
    struct reach before, after;
    enum reach_scope scope;
    enum hb_sides sides;
    size_t dropped;        /* edges against the list, dropped to break a cycle */
    bool follows_list;     /* the list itself is a topological order of the graph */
    bool has_dropped;      /* edges against the list, which were part of a cycle */
    bool is_contradictory; /* no order puts the beginning of each section before its end */
    struct arena arena;
    struct arena layout; /* of the graph and its reach, which edges added later replace */
};

/* Builds the relation, into *hb. Notes every irregularity of the trace with its event. Where edges
 * form a cycle, those against the list are dropped, and the cycle is noted. Fails on a
 * user-supplied order that names a missing event. O(events + joins * tasks). */
MUST_USE int hb_build(struct hb *hb, const struct trace *t, const struct hb_options *options,
                      struct notes *n, struct err *e);
void hb_release(struct hb *hb);

/* Lays the graph out again with the edges that were added to hb->edges since. Returns EVENT_NONE,
 * or an event that a cycle blocks; hb->graph has the cycle then, and queries are not allowed. */
event_id hb_rebuild(struct hb *hb);

/* Changes the scope of queries, and with HB_BOTH adds hb.after. hb_build uses HB_BEFORE. */
void hb_rescope(struct hb *hb, enum reach_scope scope, enum hb_sides sides);

/* True when a must come before b; false for a == b. O(1), or a walk along the edges that leave the
 * handler of a. In scope REACH_NODE only for a on a main chain and b of the same node. */
bool hb_is_before(const struct hb *hb, event_id a, event_id b);

/* True when a and b differ and neither must come before the other. */
bool hb_is_concurrent(const struct hb *hb, event_id a, event_id b);

#endif
