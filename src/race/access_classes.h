/* Accesses that may race, sorted: by variable, and within each into classes of accesses that look
 * alike (by one task, at one place, of one kind).
 *
 *     variable x of node n    T1 reads at a.c:3     12 80 144 ...       events, in listed order
 *                             T1 writes at a.c:9    13 81
 *                             T2 writes at b.c:7    55
 *
 * An access is plain or atomic, as C11 has it: two conflict unless both read or both are atomic. */
#ifndef CLEW_RACE_ACCESS_CLASSES_H
#define CLEW_RACE_ACCESS_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/name_glob.h"
#include "base/notes.h"
#include "race/observed/fasttrack.h"
#include "trace/trace.h"
#include "wire/kind.h"

struct access_class {
    uint32_t variable;
    uint32_t task;
    uint32_t location;
    bool is_write, is_atomic;
    uint32_t first; /* its events are accesses.events[first .. first + count) */
    uint32_t count;
};

struct access_variable {
    uint32_t node, name;
    uint32_t first; /* its classes are accesses.classes[first .. first + count) */
    uint32_t count;
};

/* In the order of first appearance. */
struct accesses {
    const struct access_variable *variables;
    uint32_t variable_count;
    const struct access_class *classes;
    uint32_t class_count;
    const event_id *events;
    size_t count;
};

/* Which accesses to take. */
struct access_filter {
    const char *variable; /* a pattern (base/name_glob.h); NULL: all */
    bool has_since, has_until;
    int64_t since, until;
    const struct bits *dropped; /* events to leave out; NULL: none */
    bool skips_atomic;
};

/* The text for an access without a variable. */
#define ACCESS_UNNAMED "an access that names no variable is left out"

/* Notes accesses without a variable, and names in the filter that the trace does not have: a
 * variable, a span of time. O(events). */
void access_note_odd(const struct access_filter *f, const struct trace *t, struct notes *n);

/* Notes that no variable matched, and which one was probably meant. */
void access_note_unmet(const struct name_glob *p, const struct names *names, struct notes *n);

/* Sorts the accesses to named variables that the filter lets through. O(events). */
void accesses_build(struct accesses *a, const struct trace *t, const struct access_filter *f,
                    struct arena *arena);

static inline bool access_is_plain(const struct event *e)
{
    return e->kind == EVENT_READ || e->kind == EVENT_WRITE;
}

static inline bool access_is_atomic(const struct event *e)
{
    return e->kind == EVENT_ATOMIC_LOAD || e->kind == EVENT_ATOMIC_STORE ||
           e->kind == EVENT_ATOMIC_RMW;
}

/* The access as a participle for sentences: "written". */
const char *access_verb(uint16_t kind);

/* The place of an access, for history.h. */
static inline uint32_t access_place(const struct event *e)
{
    const enum history_kind kind = e->kind == EVENT_READ           ? HISTORY_READ
                                   : e->kind == EVENT_WRITE        ? HISTORY_WRITE
                                   : e->kind == EVENT_ATOMIC_LOAD  ? HISTORY_ATOMIC_READ
                                   : e->kind == EVENT_ATOMIC_STORE ? HISTORY_ATOMIC_WRITE
                                                                   : HISTORY_ATOMIC_RMW;
    return history_place(e->location, kind);
}

/* Whether accesses of two classes of one variable get in each other's way: one writes, and not both
 * are atomic. */
static inline bool access_classes_clash(const struct access_class *a, const struct access_class *b)
{
    return (a->is_write || b->is_write) && !(a->is_atomic && b->is_atomic);
}

/* Whether two classes of one variable can race at all. */
static inline bool access_classes_conflict(const struct access_class *a,
                                           const struct access_class *b)
{
    return a->task != b->task && access_classes_clash(a, b);
}

/* How many pairs of accesses to the variable can race. O(its classes + tasks). */
uint64_t access_candidate_count(const struct accesses *a, uint32_t variable, size_t task_count);

/* Whether the time of the event is in the span of the filter; events without a time, or with one of
 * 0, are. */
bool access_is_in_span(const struct access_filter *f, const struct event *e);

#endif
