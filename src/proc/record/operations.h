/* Divides a task's events into operations: the rounds of the outermost loop of main or of the
 * thread's start routine (docs/theory/atomicity.md, Operations).
 *
 *     void *serve(void *u)
 *     {
 *         setup();                     operation 1
 *         while (next(u))              2, 3, 4 ...: a round each, with all that it calls
 *             handle(u);
 *     }
 *
 * The recorder writes positions in the routine (RECORD_CALL); the routine's machine code tells
 * whether a round begins between two of them (place/loop_rounds.h). If the routine waits in a
 * library that calls functions back, as event loops do, each call from the second on is an
 * operation. After it the routine continues its own operation. */
#ifndef CLEW_PROC_RECORD_OPERATIONS_H
#define CLEW_PROC_RECORD_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "proc/record/loop_routines.h"
#include "wire/segment.h"

/* The position of one task. {0}: no call was reported, and all is one operation. */
struct operations {
    uint64_t at[CALLS_LEVELS]; /* by level, as RECORD_CALL says */
    uint32_t depth;
    uint32_t kept;  /* functions still on the stack since scopes_follow last looked */
    bool has_calls; /* a call was reported since then */
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
    uint64_t end;           /* the end of the bytes that it accessed ... */
    uint64_t end_epoch;     /* ... in this epoch */
    uint32_t back_count;    /* calls by a library since */
    uint32_t number;        /* the operation that the task is in, from 1; 0: it has not begun */
    uint32_t own;           /* the one that the routine itself is in */
    uint32_t count;
    uint64_t
        epoch; /* the epoch in which it began; repeated accesses of an epoch are recorded once */
};

/* Takes a RECORD_CALL. */
void operations_take(struct operations *o, const struct record *call);

/* The task's position in the function of a level: its call of the next level, or the place of the
 * event in the innermost one. */
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

/* True if a late access of the present epoch, whose order among the others is unknown, belongs to
 * the next operation; and that operation's number. */
bool operations_is_next(struct operations *o, uint64_t place);
uint32_t operations_next(struct operations *o, const struct operation_event *e);

#endif
