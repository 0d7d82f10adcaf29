/* Which operation of its task a recorded event belongs to: which round of the outermost loop of
 * main or of the thread's start routine (docs/theory/atomicity.md, Operations).
 *
 *     void *serve(void *u)
 *     {
 *         setup();                     operation 1
 *         while (next(u))              2, 3, 4 ...: a round each, with all that it calls
 *             handle(u);
 *     }
 *
 * The recorder tells where the routine is (RECORD_CALL); the routine's code says whether a loop
 * lies between two such positions (place/loop_rounds.h). Functions that a library calls back while
 * the routine waits in it, as event loops do, are operations of their own from the second call on;
 * the routine then goes on with the operation it was in. */
#ifndef CLEW_PROC_RECORD_OPERATIONS_H
#define CLEW_PROC_RECORD_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "proc/record/loop_routines.h"
#include "wire/segment.h"

/* Where one task is. {0}: nothing was told of its calls, and all is one operation. */
struct operations {
    uint64_t at[CALLS_LEVELS]; /* by level, as RECORD_CALL says */
    uint32_t depth;
    uint32_t kept;  /* so many functions it has not left since scopes_follow took this */
    bool has_calls; /* something was told since then */
    bool is_told;
    bool is_lost;
    struct rounds *routine; /* NULL: nothing is known of it */
    uint32_t level;         /* the routine's */
    bool has_begun;         /* a routine has been entered */
    bool is_entered;        /* ... since the last event */
    bool is_sought;         /* which one is not known yet: the task is in wrappers around it */
    bool is_moved;          /* the routine has called a function since the last event */
    uint64_t position;      /* the last one in the routine; 0: none yet */
    uint16_t kind;          /* of the event there */
    uint64_t end;           /* behind what that accessed ... */
    uint64_t end_epoch;     /* ... in this epoch */
    uint32_t back_count;    /* calls by a library since */
    uint32_t number;        /* the operation that the task is in, from 1; 0: it has not begun */
    uint32_t own;           /* the one that the routine itself is in */
    uint32_t count;
    uint64_t epoch; /* in which it began: what comes more than once in an epoch is recorded once */
};

/* Takes what a RECORD_CALL says. */
void operations_take(struct operations *o, const struct record *call);

/* Where the task is in the function of a level: where it calls the next one, or the place of what
 * happens. */
uint64_t operations_position(const struct operations *o, uint32_t level, uint64_t place);

/* Something that happened in the task. */
struct operation_event {
    uint64_t place;
    uint64_t epoch;
    uint64_t address, size; /* of an access; 0: it is none */
    uint16_t kind;
};

/* The number of the operation that the event belongs to. */
uint32_t operations_of(struct operations *o, struct routines *r, struct places *places,
                       const struct operation_event *e);

/* True when an access of the present epoch that came to light late, of which nobody says after
 * which others it came, belongs to the next operation; and its number. */
bool operations_is_next(struct operations *o, uint64_t place);
uint32_t operations_next(struct operations *o, const struct operation_event *e);

#endif
