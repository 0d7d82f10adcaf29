/* Happens-before: what must come before what in a trace, under a model, and how to ask.
 *
 *     struct hb hb;
 *     if (hb_build(&hb, t, &(struct hb_options){.model = HB_STRICT}, notes, e) < 0) { ... }
 *     if (hb_is_before(&hb, send, receive)) { ... }
 *     hb_release(&hb);
 *
 * docs/theory/races-semantics.md says exactly what the models mean. */
#ifndef CLEW_ORDER_HB_H
#define CLEW_ORDER_HB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/notes.h"
#include "order/context.h"
#include "order/given.h"
#include "order/graph.h"
#include "order/message.h"
#include "order/section.h"
#include "order/wait.h"
#include "trace/trace.h"

enum hb_model {
    HB_STRICT,   /* only what every allowed order obeys; handlers are contexts, locks are free */
    HB_OBSERVED, /* each task's whole list, and locks and waits as they went */
};

/* Which pairs of events can be asked about. Clocks take 4 bytes for each event with an edge into it
 * and each task they speak of. */
enum hb_reach {
    HB_REACH_ALL,
    HB_REACH_NODE, /* pairs of one node only */
    HB_REACH_NONE, /* no pairs: contexts, edges, sections and waits are enough */
};

struct hb_options {
    enum hb_model model;
    enum hb_reach reach;
    const struct given *given; /* orders given by the user, NULL: none */
};

/* Some main chains whose clocks are kept together: those of a node, or all. */
struct hb_group {
    uint32_t width;       /* how many tasks */
    VEC(uint32_t) counts; /* rows of `width`: how many events of each main chain come before */
};

/* Open for reading; the clocks are for hb_is_before and its kin. */
struct hb {
    const struct trace *trace;
    enum hb_model model;
    struct contexts contexts;
    struct messages messages;
    struct sections sections;
    struct waits waits;
    struct graph graph;
    bool follows_list; /* the list itself is an order the graph allows */

    enum hb_reach reach;
    struct hb_group *groups;
    uint32_t group_count;
    const uint32_t *group_of; /* per task */
    const uint32_t *slot_of;  /* per task: its column in its group's rows */
    uint32_t *row;            /* per event: its row in the group of its task */
    uint32_t *heard; /* per edge in graph.in: how many events of the target's main chain the source
                        knows */
    struct edges edges; /* what the graph was laid out from */
    struct arena arena;
};

/* Builds the relation, into *hb. Everything odd about the trace is noted with the event it was met
 * at. A trace whose edges contradict each other loses those against the list; the cycle is
 * noted. Fails on a given order that names what is not there. O(events + joins * tasks). */
MUST_USE int hb_build(struct hb *hb, const struct trace *t, const struct hb_options *options,
                      struct notes *n, struct err *e);
void hb_release(struct hb *hb);

/* True when a must come before b. False for a == b. O(1), or a walk of the edges that leave the
 * handler of a. */
bool hb_is_before(const struct hb *hb, event_id a, event_id b);

/* True when a and b differ and neither must come before the other. */
bool hb_is_concurrent(const struct hb *hb, event_id a, event_id b);

/* How many events of the main chain of `task` must come before b, b itself included. O(1). */
uint32_t hb_known(const struct hb *hb, event_id b, uint32_t task);

#endif
