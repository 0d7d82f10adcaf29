/* The variables of a trace and their accesses.
 *
 * A variable is a name of a node in one of its lives: memory that is freed and allocated again is
 * another variable. Across runs and lives, variables are known by their class:
 *
 *     balance, accounts+16      a static variable: itself
 *     bank.c:42#3+8             the same offset in any block of that place: bank.c:42+8
 *     /accounts/7               a resource: its template, /accounts/{id}
 *
 * Atomic accesses to a name are a variable of their own, beside the plain ones: they also order
 * tasks (order/sync_edges.h), so that fewer of their couples are meant to be atomic
 * (access_sites.h). Plain reads of a name belong to them if, but for one write, all its writes are
 * atomic: `if (slots > 0) __sync_fetch_and_sub(&slots, 1)`. */
#ifndef CLEW_ATOMICITY_SHARED_VARIABLE_H
#define CLEW_ATOMICITY_SHARED_VARIABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "atomicity/call_scope.h"
#include "base/names.h"
#include "base/vec.h"
#include "trace/trace.h"

#define ACCESS_NONE UINT32_MAX

/* The accesses of a task belong to operations: an event `operation` begins one. A trace without
 * such events has one operation per task. */

/* A read or write of one variable. */
struct access {
    event_id event;
    uint32_t variable;
    uint32_t task;
    /* Of a conditional write: the access of its task, a read or a write, that showed the version it
     * asks for. Else ACCESS_NONE. */
    uint32_t asked;
    uint32_t operation;  /* its number in the task; equal for accesses of one operation */
    uint32_t region;     /* the outermost marked region it is in, a number of the task; 0: none */
    uint32_t scope;      /* the innermost call or round of a loop it is in, see scope.h */
    uint32_t wait_count; /* how often its task has waited for a condition before */
    /* The access at which the loop around the latest of these waits began to test its condition,
     * which it does again behind the wait. EVENT_NONE: not known. */
    event_id tested_from;
    bool is_test; /* the first access behind a wait */
    bool is_write;
    bool is_read;        /* the value that it finds matters: not of a blind read-modify-write */
    bool is_conditional; /* refused, had another task written since it has seen the version */
};

struct variable {
    uint32_t node;
    uint32_t name;
    uint32_t class; /* number in the table's classes */
    uint32_t first; /* its accesses are by_variable[first .. first + count), as listed */
    uint32_t count;
    uint32_t task_count; /* that access it; counted up to 2 */
    bool is_written;
    bool is_atomic;
    bool is_checked; /* some write to it is conditional */
    bool is_sync;    /* a lock, condition or semaphore: an access is a call with it */
};

/* A write that a version check refused. */
struct refusal {
    event_id event;
    uint32_t task;
    uint32_t name;
};

/* An event `lost`: its task has used the variable without a record of it. */
struct lost {
    event_id event;
    uint32_t variable;
    uint32_t task;
    uint32_t operation;
};

/* {0} is empty. */
struct variables {
    VEC(struct variable) list;
    VEC(struct access) accesses;  /* as listed */
    VEC(uint32_t) by_variable;    /* numbers of accesses */
    VEC(struct refusal) refusals; /* as listed */
    VEC(struct lost) lost;        /* as listed */
    struct names classes;
    struct scope_tree scopes;
    bool has_results; /* the trace says whether the task of a plain update uses the result */
};

/* Collects them. O(events). */
void variables_build(struct variables *v, const struct trace *t);
void variables_release(struct variables *v);

/* True when the task of two accesses to one resource had a write to it refused between them: its
 * earlier reads are lost, and it began again. O(log refusals + those between). */
bool variables_began_anew(const struct variables *v, const struct trace *t, event_id first,
                          event_id second);

/* True when two tasks access it and one access is a write. */
static inline bool variable_is_shared(const struct variable *v)
{
    return v->task_count > 1 && v->is_written;
}

/* The class of a variable, by its name and the place of an access to it, as a number of `classes`.
 */
uint32_t variable_class(struct names *classes, const char *name, const char *place);

/* True for an HTTP resource, by its name. */
bool variable_is_resource(const char *name);

/* True when one of the two resources, which differ, lies below the other: /a and /a/b. */
bool variable_is_below_or_above(const char *name, const char *other);

#endif
