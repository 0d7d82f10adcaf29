/* The calls and the rounds of loops that contain a recorded access, below its task's start routine.
 *
 *     void *serve(void *u)          the routine: see proc/record/operations.h
 *     {
 *         handle(u);                scope 1: this call
 *     }
 *     void handle(void *u)
 *     {
 *         for (...)                 scope 2: a round of its outermost loop
 *             store(u);             scope 3: this call
 *     }
 *
 * The routine is no scope of its own, but the rounds of its loop are. Calls that the compiler has
 * inlined count as calls. The recorder writes a task's call stack before its first access in a
 * critical section, and before the first one after it. */
#ifndef CLEW_PROC_RECORD_CALL_SCOPES_H
#define CLEW_PROC_RECORD_CALL_SCOPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "proc/record/operations.h"

struct scope {
    struct rounds *function;
    uint64_t position;  /* in the function */
    uint32_t level;     /* of the function that has its code, among the task's calls */
    uint32_t depth;     /* functions that it was inlined into */
    uint32_t loop;      /* of a round: the loop; 0: it is a call */
    uint32_t operation; /* that it belongs to */
};

/* {0}: the task is in its routine itself. */
struct scopes {
    VEC(struct scope) list; /* the outermost first */
};

void scopes_release(struct scopes *s);

/* How the scopes of a task have changed. */
struct scope_change {
    uint32_t kept;   /* scopes that go on, the outermost ones */
    uint32_t count;  /* scopes now */
    uint64_t rounds; /* bit i: scope i, from 0, is a round of a loop */
};

enum { SCOPES_MAX = 48 };

/* Takes the reported calls of the task up to an access at `place`, which belongs to this operation.
 * True if the scopes differ from those before. */
bool scopes_follow(struct scopes *s, struct operations *o, struct routines *r,
                   struct places *places, uint64_t place, struct scope_change *change);

#endif
