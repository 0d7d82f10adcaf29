/* How a task appends to its row of segments (wire/segment.h), whatever interrupts it. */
#ifndef CLEW_RUNTIME_APPEND_H
#define CLEW_RUNTIME_APPEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/rt.h"

/* What follows a record: a value, bytes (at most 1024 are kept), both or nothing. */
struct tail {
    const void *bytes;
    size_t size;
    int64_t value;
};

/* Makes segment `number` of the calling task the one it writes to. On failure the task is left
 * without one. */
void append_begin(struct rt_task *task, uint32_t number);

/* Closes the task's segment, and its row if it was the last. */
void append_end(struct rt_task *task, bool is_last);

/* In a child that has just been forked: the segment is the parent's. */
void append_forked(struct rt_task *task);

/* Appends a record; a stamped one ends the task's epoch. What finds no room is counted as
 * dropped. */
struct rt_mark append_record(struct rt_task *task, const struct record *record, struct tail tail,
                             bool is_stamped);

/* Appends a plain access in one word. */
void append_access(struct rt_task *task, uint64_t word);

/* Gives back what an interrupted record still needed. The task is done with its outermost
 * record. */
void append_settle(struct rt_task *task);

#endif
