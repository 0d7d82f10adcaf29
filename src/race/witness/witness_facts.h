/* The facts about each event that the checker of witnesses computes before any replay: the events
 * that must have happened first, and the objects that the event touches. Each of a few passes over
 * the trace applies one rule. */
#ifndef CLEW_RACE_WITNESS_WITNESS_FACTS_H
#define CLEW_RACE_WITNESS_WITNESS_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "race/witness/witness.h"
#include "trace/trace.h"
#include "wire/kind.h"

#define FACT_NONE UINT32_MAX

/* One event, by rule. A list is the index of its first element, FACT_NONE when empty. */
struct fact {
    event_id previous;    /* of its chain; a handler's first event follows the main chain */
    event_id task_before; /* the task's event listed before it, in whatever chain */
    event_id saw;         /* by a read: the write; by a happens-before: the one listed before it */
    uint32_t needs;       /* list of other events that must have happened */
    uint32_t thing;       /* variable, part of a stream, round, condition, once, task: by kind */
    uint32_t handler;     /* the handler it is in */
    uint32_t handlers_over; /* how many handlers of its task must be over; FACT_NONE: not asked */
    uint32_t section;       /* that it begins */
    uint32_t sections_over; /* list of sections that it ends */
    uint32_t wait;          /* that it ends */
    uint32_t waits_begun;   /* list of waits that begin with it */
    bool ends_once;         /* the routine of a one-time initialization */
};

/* Blind updates of a variable are numbered as listed, from 1. */
struct fact_update {
    uint32_t number; /* of an update; of a read: of the first that it saw */
    uint32_t seen;   /* of a read: how many it saw, one behind the other */
    uint32_t family; /* of an update */
};

/* Updates of one variable that commute. */
struct fact_family {
    uint8_t operation;
    uint64_t size;
    uint32_t next; /* of the same variable */
};

struct fact_need {
    event_id event;
    uint32_t next;
};

struct fact_handler {
    uint32_t task;
    event_id first, last;
};

struct fact_section {
    uint32_t task;
    uint32_t lock;
    bool is_shared;
    uint32_t next_over; /* in the list of sections that end with the same event */
};

struct fact_wait {
    uint32_t condition;
    event_id begin, end;
    bool is_recorded; /* its beginning is a WAIT_BEGIN */
    bool is_free;     /* nothing in the list woke it, so nothing is asked */
    uint32_t next_begun;
};

/* The bytes of a SEND or RECV in its stream. */
struct fact_part {
    uint32_t stream;
    uint32_t index; /* among the SENDs, or RECVs, of the stream */
    uint64_t from, to;
    uint32_t sends_needed; /* a RECV: this many SENDs must be there */
};

/* A round of a barrier. */
struct fact_round {
    uint32_t enter_count;
    uint32_t before; /* the round before it */
};

struct facts {
    const struct trace *t;
    struct arena arena;
    size_t count;
    struct fact *of; /* per event */
    VEC(struct fact_need) needs;
    VEC(struct fact_handler) handlers;
    VEC(struct fact_section) sections;
    VEC(struct fact_wait) waits;
    VEC(struct fact_part) parts;
    VEC(struct fact_round) rounds;
    VEC(uint32_t) semaphores;    /* the initial count of each */
    bool has_updates;            /* blind ones */
    struct fact_update *updates; /* per event; NULL when there are none */
    VEC(struct fact_family) families;
    VEC(uint32_t) families_of;  /* per variable: list of families */
    uint32_t *task_event_count; /* per task */
    bool has_kind[KIND_LIMIT];  /* whether the trace has events of the kind */
    uint32_t variable_count, lock_count, stream_count, condition_count;
    uint32_t once_count; /* one-time initializations whose routine any caller could run */
};

/* Whether the trace has events of this kind: a pass over all for the few that are not there is a
 * pass too many. */
static inline bool facts_have(const struct facts *f, enum event_kind kind)
{
    return f->has_kind[kind];
}

void facts_read(struct facts *f, const struct trace *t);
void facts_release(struct facts *f);

/* Event `id` cannot happen before `needed`. */
void facts_need(struct facts *f, event_id id, event_id needed);

/* A name that belongs to the node of its event's task, as a key of maps. */
uint64_t facts_scoped(const struct trace *t, const struct event *e, uint32_t name);

/* The number of a key, in the order of first appearance. */
uint32_t facts_number(struct map *numbers, uint64_t key);

/* Plain and atomic accesses to memory. A read-modify-write whose result is not used (blind) reads
 * nothing; one that is no exchange changes the value and is an update. So do the read and the write
 * of a plain blind update. */
bool facts_event_accesses(const struct event *e);
bool facts_event_reads(const struct event *e);
bool facts_event_writes(const struct event *e);
bool facts_event_updates(const struct event *e);

/* The passes that live in files of their own. */
void facts_read_network(struct facts *f);
void facts_read_waits(struct facts *f);
void facts_read_onces(struct facts *f);
void facts_read_sections(struct facts *f);

/* Events by key, in listed order, to be taken one by one. {0} is empty. */
struct fact_lists {
    struct map numbers;
    VEC(struct fact_list) heads;
    VEC(struct fact_link) links;
};

struct fact_list {
    uint32_t next; /* to be taken */
    uint32_t last;
};

struct fact_link {
    event_id event;
    uint32_t next;
};

void fact_lists_add(struct fact_lists *l, uint64_t key, event_id id);
/* The next event of this key, EVENT_NONE when there is no more. */
event_id fact_lists_take(struct fact_lists *l, uint64_t key);
/* The same, but the last event can be taken again and again. */
event_id fact_lists_take_or_last(struct fact_lists *l, uint64_t key);
void fact_lists_release(struct fact_lists *l);

#endif
