/* The order that SPIDER gives a trace, with the errors of its published program: a task's events
 * are sorted by time; the end of a handler happens before nothing; a lock is identified by its name
 * alone, without the node, and a lock taken again is split by the first release; bytes of all TCP
 * channels go through one counter; a child without its START has no creator. */
#ifndef CLEW_RACE_COMPAT_SPIDER_ORDER_H
#define CLEW_RACE_COMPAT_SPIDER_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limit.h"
#include "base/map.h"
#include "base/vec.h"
#include "order/hb.h"
#include "race/compat/spider_prune.h"

struct spider_section {
    uint32_t lock;       /* name */
    event_id begin, end; /* EVENT_NONE where it is missing */
};

struct spider_message {
    event_id send, receive; /* the first of each */
    bool is_tcp;
};

struct spider_order {
    struct hb hb;          /* contexts, graph and clocks; the rest is empty */
    bool has_cycle;        /* nothing can happen: no candidate races */
    bool has_shared_locks; /* two tasks use one lock */
    VEC(struct spider_section) sections;
    VEC(struct spider_message) messages;
    const uint32_t *held_of;     /* per event: the first of its chain of held locks, 0: none */
    VEC(struct map_entry) held;  /* such chains: the lock's name, and the rest of the chain */
    struct spider_pruned pruned; /* the pruned events, if options.prunes */
    uint64_t constraints;        /* in SPIDER's formula, candidates not counted */
};

struct spider_order_options {
    bool
        prunes; /* leaves out the events that SPIDER's -r leaves out (race/compat/spider_prune.h) */
    struct limit_watch *watch; /* where it ends the work, orders are missing; NULL: nothing does */
};

void spider_order_build(struct spider_order *s, const struct trace *t,
                        const struct spider_order_options *o);
void spider_order_release(struct spider_order *s);

/* Adds an edge; takes effect with the next spider_order_settle. */
void spider_order_add(struct spider_order *s, event_id from, event_id to);
void spider_order_settle(struct spider_order *s);

/* True when the events hold a lock of the same name. */
bool spider_order_excludes(const struct spider_order *s, event_id a, event_id b);

#endif
