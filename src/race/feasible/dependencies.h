/* The events that an event needs before it in every prefix of an execution
 * (docs/theory/races-semantics.md, Prefixes): its predecessor in its context, the sources of its
 * edges, on a stream the earlier bytes, and the writes behind its value: the last write that does
 * not depend on the value before it, and the blind updates since. Locks, handlers of one task and
 * waits allow a choice and are not here. */
#ifndef CLEW_RACE_FEASIBLE_DEPENDENCIES_H
#define CLEW_RACE_FEASIBLE_DEPENDENCIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "order/hb.h"

/* True for edges that hold in every prefix; others are forced only where all events are placed, or
 * were merely observed. */
static inline bool dependency_is_edge(enum edge_kind kind)
{
    return kind != EDGE_EXCLUSION && kind != EDGE_NOTIFY && kind != EDGE_SECTION;
}

/* A receive on a stream: after the receive before it, and after these sends, which no receive
 * before needs. */
struct dependency_receive {
    event_id event;
    event_id previous; /* EVENT_NONE: it is the first */
    uint32_t first_send, send_count;
};

/* A read that saw blind updates: updates.at[first .. first + count) are the last of each context.
 */
struct dependency_updates {
    event_id read;
    uint32_t first, count;
};

struct dependencies {
    const struct hb *hb;
    const event_id *writer; /* per event: the write it saw, EVENT_NONE: none, or none is known */
    VEC(struct dependency_updates) updated; /* by read */
    VEC(event_id) updates;
    VEC(struct dependency_receive) receives; /* in listed order */
    VEC(event_id) sends;                     /* stream by stream, each in listed order */
    VEC(uint32_t) send_first;                /* per stream, and one more */
    struct arena arena;
};

/* Reads the trace of hb, which was built with HB_STRICT and outlives d. O(events). */
void dependencies_build(struct dependencies *d, const struct hb *hb);
void dependencies_release(struct dependencies *d);

/* Whether the program's further events depend on the value that the event reads: not if it is a
 * blind update. */
bool dependency_reads(const struct event *e);
bool dependency_writes(const struct event *e);

/* A write that does not depend on the value before it, or does so by a read of its own: all but
 * blind updates. */
bool dependency_overwrites(const struct event *e);

/* Whether the read, whose writer is known, saw this blind update of its variable. */
bool dependency_saw_update(const struct dependencies *d, event_id read, event_id update);

typedef VEC(event_id) dependency_list;

/* Appends the events that this one needs; the writes that it read only if with_writer. O(log) and
 * their number. */
void dependencies_of(const struct dependencies *d, event_id id, bool with_writer,
                     dependency_list *list);

#endif
