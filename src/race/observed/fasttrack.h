/* The access history of variables: the earlier accesses with which a later one can race.
 *
 *     variable --> cell (one column) --> record, record ...    its writes
 *           |        |            `----> record ...            its reads
 *           |      cell (another column) ...
 *           `----> cell ...                                    the same of atomic accesses
 *
 * Two atomic accesses never race, an atomic and a plain one do as two plain ones would.
 *
 * A record is the latest access by one task at one place of one kind. An earlier one there adds
 * nothing: an access unordered with it is unordered with the latest too, since both are of one
 * task. So every racing pair of places is found, in memory that follows places, not events.
 *
 * Most accesses need no walk. Where all accesses so far are a chain, the last one decides for all;
 * where the writes are, the last write decides for a read (the epochs of FastTrack, Flanagan and
 * Freund 2009, with the last access in the place of the last read). A variable that many columns
 * touch is *wide*: its clocks lie in rows as well (place_clocks.h), and cells are walked only where
 * a new pair of places races. */
#ifndef CLEW_RACE_OBSERVED_FASTTRACK_H
#define CLEW_RACE_OBSERVED_FASTTRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "race/strict/place_clocks.h"
#include "race/triple_map.h"

#define HISTORY_NONE UINT32_MAX

enum history_kind {
    HISTORY_READ = 0,
    HISTORY_WRITE = 1,
    HISTORY_ATOMIC_READ = 2,
    HISTORY_ATOMIC_WRITE = HISTORY_ATOMIC_READ | HISTORY_WRITE,
    HISTORY_ATOMIC_RMW = 4 | HISTORY_ATOMIC_WRITE,
};

/* A source place and the kind of its access: two accesses at one place of one kind are the same. */
static inline uint32_t history_place(uint32_t location, enum history_kind kind)
{
    return location << 3 | (uint32_t)kind;
}

static inline bool history_is_write(uint32_t place)
{
    return (place & HISTORY_WRITE) != 0;
}

static inline bool history_is_atomic(uint32_t place)
{
    return (place & HISTORY_ATOMIC_READ) != 0;
}

static inline uint32_t history_location(uint32_t place)
{
    return place >> 3;
}

static inline enum history_kind history_kind(uint32_t place)
{
    return (enum history_kind)(place & 7);
}

/* Whether two accesses of different tasks at these places can race. */
static inline bool history_conflict(uint32_t a, uint32_t b)
{
    return (history_is_write(a) || history_is_write(b)) &&
           !(history_is_atomic(a) && history_is_atomic(b));
}

struct history_access {
    uint64_t index; /* of the event */
    uint32_t hash;  /* history_hash() of variable, task and place */
    uint32_t variable;
    uint32_t task;
    uint32_t column; /* of the task, in its clock */
    uint32_t clock;  /* the task's own time */
    uint32_t place;
};

/* The part of the history that decides most accesses, which are plain. All zero but the flags and
 * cells for an untouched variable. */
struct history_variable {
    uint32_t column, clock, place;      /* the last access */
    uint32_t write_column, write_clock; /* the last write */
    bool is_chain;                      /* every access is before the next */
    bool writes_are_chain;              /* every write is before the next */
    uint32_t cell;                      /* first of its cells */
    uint32_t alike;                     /* the number of those that look like it */
    uint32_t atomic_cell;               /* first of those for atomic accesses */
    uint32_t cell_count;                /* of both */
    uint32_t list; /* wide: the first of its lists in history.rows, PLACE_LIST_NONE: none */
};

/* The records of a variable in one column, by kind: reads, writes. Lists longer than a few are kept
 * with the latest first, so that a walk can end early. */
struct history_cell {
    uint32_t variable;
    uint32_t column;
    uint32_t next;      /* cell of the same variable, plain or atomic as this one */
    uint32_t clocks[2]; /* of the latest */
    uint32_t heads[2];
    uint32_t counts[2];
};

/* 32 bytes, so that one fetch brings all of it. The variable is the cell's. */
struct history_record {
    uint64_t index;
    uint32_t task, place;
    uint32_t clock;
    uint32_t cell;         /* HISTORY_NONE: this slot of the table is free */
    uint32_t newer, older; /* in the cell's list of this kind */
};

_Static_assert(sizeof(struct history_record) == 32, "half a cache line");

/* A pair of places at which two unordered accesses to a variable were met. */
struct history_race {
    struct history_access first, second; /* as listed; the first such pair */
    uint64_t pair_count;                 /* how often it was met */
};

/* How often a known pair of places was met by one access. */
struct history_counted {
    uint32_t race; /* in history.races */
    uint64_t count;
};

struct history_options {
    /* Called for each new pair of places, or for each pair of accesses. */
    void (*found)(void *owner, const struct history_race *race);
    void *owner;
    bool keeps_every_access; /* not the latest per place only: every racing pair is found */
    uint32_t wide_from;      /* cells from which on a variable is wide; 0: 32 */
};

/* {.options = ...} is empty. */
struct history {
    struct history_options options;
    VEC(struct history_variable) variables;
    VEC(struct history_cell) cells;
    struct arena table;             /* memory of records, aligned to cache lines */
    struct history_record *records; /* a hash table by (variable, task, place) */
    size_t slot_count, record_count;
    struct triples race_of;              /* (variables that look alike, place, place) */
    struct triples cell_of;              /* (variable, column, whether atomic), of wide variables */
    struct place_clocks rows;            /* of wide variables */
    VEC(struct history_counted) counted; /* by the access at hand */
    VEC(struct history_race) races;
};

void history_release(struct history *h);

/* Where the record of such accesses is looked for. */
static inline uint32_t history_hash(uint32_t variable, uint32_t task, uint32_t place)
{
    uint64_t x = ((uint64_t)variable << 32 | place) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32 ^ task) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(x >> 32);
}

/* A new variable, numbered in the order of appearance. Races of those with the same number `alike`
 * between the same places are counted as one. */
uint32_t history_variable_new(struct history *h, uint32_t alike);

/* Adds an access whose task has the vector clock `seen`: it has seen the times of column c up to
 * seen[c]. Calls options.found for each earlier conflicting access that it has not seen. O(1) when
 * nothing races and the variable is a chain; else O(columns that touched it + racing places), in a
 * wide variable O(places * columns) with a small factor and a walk for each new pair of places. */
void history_add(struct history *h, const struct history_access *access, const uint32_t *seen);

/* True for a plain access that changes nothing: the same as the last one, by a task that has
 * released nothing since. */
static inline bool history_is_repeat(const struct history *h, const struct history_access *a)
{
    const struct history_variable *v = &h->variables.at[a->variable];
    return v->place == a->place && v->clock == a->clock && v->column == a->column &&
           !h->options.keeps_every_access;
}

/* Says that accesses with this hash come soon, so that memory is fetched meanwhile. */
static inline void history_expect(const struct history *h, uint32_t hash)
{
    if (h->slot_count > 0) {
        __builtin_prefetch(&h->records[hash & (h->slot_count - 1)], 1);
    }
}

/* Forgets the records that all tasks have seen (floors[c]: the time of column c that all have seen)
 * and, of each list, all but `depth`. O(records). */
void history_trim(struct history *h, const uint32_t *floors, uint32_t depth);

#endif
