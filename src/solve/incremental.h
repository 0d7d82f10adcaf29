/* The steps by which an incremental solver catches up with its problem.
 *
 *     for (struct follow_step step; (step = follow_next(&f, p)).kind != FOLLOW_DONE;) {
 *         switch (step.kind) {
 *         case FOLLOW_POP:  forget everything since scope number step.depth was opened
 *         case FOLLOW_ADD:  read the clauses step.first .. step.end - 1
 *         case FOLLOW_PUSH: remember the state, as scope number step.depth
 *         ...
 */
#ifndef CLEW_SOLVE_INCREMENTAL_H
#define CLEW_SOLVE_INCREMENTAL_H

#include "solve/problem.h"

struct follow_scope {
    uint64_t id;
    uint32_t variable_count;
    size_t clause_count;
};

/* {0} has read nothing. */
struct follow {
    VEC(struct follow_scope) scopes;
    size_t clause_count;
};

enum follow_kind { FOLLOW_POP, FOLLOW_ADD, FOLLOW_PUSH, FOLLOW_DONE };

struct follow_step {
    enum follow_kind kind;
    uint32_t variable_count; /* the number of variables after it */
    size_t depth;            /* POP, PUSH */
    size_t first;            /* ADD */
    size_t end;
};

/* The next step, which the caller must perform. */
struct follow_step follow_next(struct follow *f, const struct problem *p);

void follow_release(struct follow *f);

#endif
