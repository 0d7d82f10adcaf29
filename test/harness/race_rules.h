/* The rules of docs/theory/races-semantics.md, read off a trace one by one and without cleverness:
 * which event is in which context, which event is before which, which sections exclude each other,
 * which waits need which notify. Quadratic where that is simpler. The slow twins of the race engine
 * stand on this; the engine itself and the checker of witnesses each read the rules on their own.
 */
#ifndef CLEW_TEST_RACE_RULES_H
#define CLEW_TEST_RACE_RULES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "trace/trace.h"

#define RULES_NONE UINT32_MAX

struct rules_edge {
    event_id from, to;
};

/* All events of the handler have handler_of[] equal to its index; recv is the first of them. */
struct rules_handler {
    uint32_t task;
    event_id recv, first, last; /* last is its HANDLER_END, or the task's last event */
    bool is_ended;
};

struct rules_section {
    uint32_t task;
    uint64_t lock;
    event_id first, last; /* may be the same event */
    bool is_shared;
};

struct rules_wait {
    uint64_t condition;
    event_id begin;  /* EVENT_NONE when nothing of the task comes before a lone end */
    event_id end;    /* EVENT_NONE when it never returned */
    event_id server; /* the notify that serves it in the list, EVENT_NONE when none does */
};

/* In a prefix a SEM_WAIT comes when fewer waits than the initial count and the posts so far came
 * before it. */
struct rules_semaphore_wait {
    event_id wait;
    uint32_t initial; /* count of its semaphore */
    event_id taken;   /* the post that it takes in the list; EVENT_NONE: of the initial count */
    bool is_lock;     /* the semaphore is used as a lock: its waits begin sections */
};

struct rules_message {
    event_id send, recv; /* the first of each */
    uint32_t channel;    /* of a stream, else 0 */
};

/* Of a one-time initialization that any caller could run: from ONCE_BEGIN to ONCE. */
struct rules_routine {
    event_id begin, end;
};

struct rules_pair {
    event_id a, b; /* accesses; or the SND of the later and the RCV of the earlier message */
};

/* The edges of a list are the direct needs of an event; their closure is the order. */
typedef VEC(struct rules_edge) rules_edges;

struct rules {
    const struct trace *t;
    struct arena arena;
    size_t count; /* of events */

    uint32_t *handler_of; /* per event: index of its handler, RULES_NONE on the main chain */
    VEC(struct rules_handler) handlers;
    VEC(struct rules_section) sections;
    VEC(struct rules_wait) waits;
    VEC(struct rules_semaphore_wait) semaphore_waits;
    VEC(struct rules_message) messages;
    VEC(struct rules_routine) routines;
    bool fixes_onces; /* no routine may be run by another task */

    rules_edges program;  /* rule 1, and the first before the last event of a section */
    rules_edges cross;    /* rules 2, 3, 6 and 7 */
    rules_edges observed; /* orders that another schedule need not keep */
    rules_edges stream;   /* the edges that a stream adds in prefixes */
    rules_edges lined_up; /* in prefixes: `from` does not come after `to` (two sends of a stream) */
    size_t dropped;       /* edges against the list, dropped to break a cycle */

    /* Per event that reads: the last write before it but blind updates, EVENT_NONE for none. The
     * blind updates since (rules_saw_update) it saw too. */
    event_id *writer;

    VEC(struct rules_pair) data_candidates;
    VEC(struct rules_pair) message_candidates;
    VEC(bool) is_pool; /* per message candidate: different tasks handle messages to one address */
};

void rules_read(struct rules *r, const struct trace *t);
/* The same with every call of a one-time initialization in the order of the list. */
void rules_read_fixed(struct rules *r, const struct trace *t);
void rules_release(struct rules *r);

/* Two sections that must not overlap. */
bool rules_exclude(const struct rules_section *s, const struct rules_section *other);

/* Whether one of the two is in a routine. */
bool rules_is_about_routine(const struct rules *r, struct rules_pair pair);

/* Whether two events of semaphores are about the same one. */
bool rules_same_semaphore(const struct rules *r, event_id a, event_id b);

bool rules_event_reads(const struct event *e);
bool rules_event_writes(const struct event *e);
bool rules_event_accesses(const struct event *e);

/* An atomic change whose result the program does not use; the read of a plain one. */
bool rules_event_is_blind(const struct event *e);
/* Blind, and no exchange; the write of a plain one. */
bool rules_event_updates(const struct event *e);

/* Whether the read saw the blind update, of the same variable. */
bool rules_saw_update(const struct rules *r, event_id read, event_id update);

/* Two blind updates of one variable that give another value in the other order. */
bool rules_updates_conflict(const struct rules *r, event_id a, event_id b);

/* An object of an event, scoped to the node of its task. */
uint64_t rules_object(const struct trace *t, const struct event *e, uint32_t object);

/* The rule that the list itself breaks; NULL if the list is an allowed order in which each read
 * sees its write. */
const char *rules_broken_by_list(const struct rules *r);

/* True when the program and cross edges have a cycle. */
bool rules_have_cycle(const struct rules *r);

#endif
