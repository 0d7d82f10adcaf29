/* How a task appends to its row of segments (wire/segment.h), whatever interrupts it. */
#ifndef CLEW_RUNTIME_RECORD_LOG_APPEND_H
#define CLEW_RUNTIME_RECORD_LOG_APPEND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/record/log/recorder.h"

/* The data after a record: a value, bytes (at most 1024 are kept), both or nothing. */
struct tail {
    const void *bytes;
    size_t size;
    int64_t value;
};

/* Makes segment `number` of the calling task the one it writes to. On failure the task is left
 * without one. */
void append_begin(struct rt_task *task, uint32_t number);

/* True in a signal handler that has interrupted the making of a record, which may still write to
 * its segment. The caller is making one. */
static inline bool append_is_interrupting(const struct rt_task *task)
{
    return task->busy > 1 || task->access != 0;
}

/* Closes the task's segment, and its row if it was the last. */
void append_end(struct rt_task *task, bool is_last);

/* In a child that has just been forked: the segment is the parent's. */
void append_forked(struct rt_task *task);

/* Appends a record; a stamped one ends the task's epoch. A record for which there is no space is
 * counted as dropped. */
struct rt_mark append_record(struct rt_task *task, const struct record *record, struct tail tail,
                             bool is_stamped);

/* Unmaps the segment that an interrupted record still needed. The task has finished its outermost
 * record. */
void append_settle(struct rt_task *task);

/* Advances `committed` from `used` by `size`, unless a signal handler has done so. Only the task
 * itself advances it, so the exchange needs no bus lock. Pairs with the reader's acquire: a record
 * is whole before it is committed. */
static inline bool append_commit(struct segment *segment, uint64_t used, uint64_t size)
{
#if defined(__x86_64__)
    uint64_t before = used;
    bool is_done = false;
    __asm__ volatile("cmpxchg %3, %1"
                     : "+a"(before), "+m"(segment->committed), "=@ccz"(is_done)
                     : "r"(used + size)
                     : "memory");
    return is_done;
#else
    return atomic_compare_exchange_strong_explicit(&segment->committed, &used, used + size,
                                                   memory_order_release, memory_order_relaxed);
#endif
}

static inline uint64_t *append_at(struct segment *segment, uint64_t used)
{
    return (uint64_t *)(void *)((unsigned char *)segment + SEGMENT_HEADER_SIZE + used);
}

/* task->access holds the access before this function reads anything that a signal handler may
 * change. A handler that interrupts it before the commit writes the access to the same position,
 * and the commit fails. False if the segment is full. */
static inline bool append_word(struct rt_task *task, uint64_t word)
{
    const uint64_t interrupted = task->access;
    task->access = word;
    atomic_signal_fence(memory_order_seq_cst);
    struct segment *segment = task->segment;
    const uint64_t used = segment == NULL
                              ? SEGMENT_ROOM
                              : atomic_load_explicit(&segment->committed, memory_order_relaxed);
    const bool has_room = used < SEGMENT_ROOM;
    if (__builtin_expect(has_room, 1)) {
        *append_at(segment, used) = word;
        (void)append_commit(segment, used, sizeof word);
    }
    atomic_signal_fence(memory_order_seq_cst);
    task->access = interrupted;
    return has_room;
}

/* Appends a plain access in one word, whatever was interrupted. */
void append_access(struct rt_task *task, uint64_t word);

#endif
