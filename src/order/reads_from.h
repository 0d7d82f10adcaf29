/* Reads-from of a recording: the write that each read saw, where the recording determines it.
 *
 *     struct reads_from reads;
 *     reads_from_build(&reads, &observed, &arena);
 *     if (reads_from_is_certain(&reads, id)) { ... reads.writer[id] ... }
 *
 * In a trace of order `stamped` plain accesses have no stamps: the list is one linear extension of
 * the observed happens-before. So a read need not have seen the nearest write listed before it. It
 * has, in every linear extension, when every other write of the variable is known to come before
 * that write or after the read:
 *
 *     w1 --> w2 --> r --> w3        r saw w2
 *     w1 --> w2,  w3 unordered      r is in doubt
 *
 * "Known" is observed happens-before, and the list for two atomic accesses of one variable, which
 * are recorded in their real order. A read without any write before it saw the initial value,
 * except in heap memory, where an unrecorded writer may exist.
 *
 * The recorder omits accesses (docs/theory/record.md, "Reads-from"). The omitted accesses of the
 * writer's task lie in the same epoch, the stretch between two stamped events. So a prefix that
 * must hold the writer holds its whole epoch: writer_end. */
#ifndef CLEW_ORDER_READS_FROM_H
#define CLEW_ORDER_READS_FROM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "order/hb.h"

/* The reason why the write that a read saw is unknown. */
enum read_doubt {
    READ_CERTAIN,    /* it is known, also for events that read nothing, as blind updates */
    READ_CONCURRENT, /* a write is concurrent with the read */
    READ_TWO_LAST,   /* two writes before it are concurrent with each other */
    READ_NO_WRITER,  /* a heap block that no recorded write has reached */
    READ_DOUBT_COUNT
};

/* Arrays have an element per event and are the arena's that built them. */
struct reads_from {
    const uint8_t *doubt; /* enum read_doubt */
    /* Of a certain read: the last write before it that is no blind update; EVENT_NONE: it saw the
     * initial value. It saw the blind updates listed since as well. */
    const event_id *writer;
    const event_id *writer_end; /* the last event of the writer's epoch; EVENT_NONE: no writer */
    /* Of a certain read: the recorder may have omitted a write of its own task between the writer
     * and the read. The writer then still comes first, but others may write after it. */
    const bool *may_hide_write;
    /* Of a read in doubt: the epochs of all writes that it may have seen, by their last events; of
     * each other task that of its latest write that is not known to come after the read. sources[
     * source_first[id] .. source_first[id + 1]); none: any write may be missing. */
    const event_id *sources;
    const uint32_t *source_first;
    uint64_t count[READ_DOUBT_COUNT]; /* of reads */
};

/* Whether the observed order rests on stamped events alone. False when a lock was taken although
 * its holder never released it, or a wait ended that never began. Their ends are then guessed from
 * the list, where plain accesses have no certain place. Such traces contradict themselves or miss
 * events. O(sections * tasks). */
bool reads_from_can_know(const struct hb *hb);

/* Reads the trace of hb, which was built with HB_OBSERVED and REACH_ALL. O(events log events);
 * for variables whose writes are not all ordered, times the tasks that write them. */
void reads_from_build(struct reads_from *r, const struct hb *hb, struct arena *a);

static inline bool reads_from_is_certain(const struct reads_from *r, event_id id)
{
    return r->doubt[id] == READ_CERTAIN;
}

#endif
