/* Records of accesses that any task made earlier: late records. */
#ifndef CLEW_RUNTIME_RECORD_SHADOW_DEFERRED_RECORDS_H
#define CLEW_RUNTIME_RECORD_SHADOW_DEFERRED_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/record/shadow/shadow.h"
#include "runtime/record/shadow/site_table.h"

/* A trail: the last access of a task in one word, so that another task reads it atomically:
 *
 *     site (16 bits) | first byte in the word (3) | turn (1) | lost (1) | task (16) | epoch (27)
 *
 * 0: nothing. A task or an epoch that does not fit leaves no trails: its accesses make words shared
 * at once. The turns of the last read and the last write of the same bytes are equal if the read
 * came last, and differ if the write did. The bit `lost` says that an earlier access to the bytes
 * was lost. */
enum {
    TRAIL_EPOCH_BITS = 27,
    TRAIL_TASK_BITS = 16,
    TRAIL_LOST_SHIFT = 43,
    TRAIL_TURN_SHIFT = 44,
    TRAIL_FIRST_SHIFT = 45,
    TRAIL_SITE_SHIFT = 48,
};
_Static_assert(TRAIL_LOST_SHIFT == TRAIL_EPOCH_BITS + TRAIL_TASK_BITS, "`lost` follows the task");
_Static_assert(TRAIL_TURN_SHIFT == TRAIL_LOST_SHIFT + 1, "`turn` follows `lost`");
_Static_assert(TRAIL_FIRST_SHIFT == TRAIL_TURN_SHIFT + 1, "the first byte follows `turn`");
_Static_assert(1 << (TRAIL_SITE_SHIFT - TRAIL_FIRST_SHIFT) == WORD_SIZE, "a byte of the word");
_Static_assert(TRAIL_SITE_SHIFT + SITE_BITS == 64, "the site fills the rest");

#define TRAIL_TURN (UINT64_C(1) << TRAIL_TURN_SHIFT)
#define TRAIL_LOST (UINT64_C(1) << TRAIL_LOST_SHIFT)

/* A trail whose turn is not set yet, and that has lost nothing. */
static inline uint64_t trail_of(uint64_t site, uintptr_t address, uint64_t maker)
{
    return site << TRAIL_SITE_SHIFT | (uint64_t)(address % WORD_SIZE) << TRAIL_FIRST_SHIFT | maker;
}

/* The trail of the last access, with its turn; `other` is the last of the other kind. */
static inline uint64_t trail_last(uint64_t t, uint64_t other, bool is_write)
{
    return t | ((other & TRAIL_TURN) ^ ((uint64_t)is_write << TRAIL_TURN_SHIFT));
}

/* Whether two trails are of one access. */
static inline bool trail_is_same(uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~(TRAIL_TURN | TRAIL_LOST)) == 0;
}

/* A trail that takes the place of another of its task, or of none. The access of the other one is
 * lost thereby, also if it was made at the same place: atomicity asks about two reads by one getter
 * (docs/theory/record.md). */
static inline uint64_t trail_behind(uint64_t t, uint64_t old)
{
    return t | (old & TRAIL_LOST) | (uint64_t)(old != 0) << TRAIL_LOST_SHIFT;
}

/* The task and its epoch. */
static inline uint64_t trail_maker(uint64_t t)
{
    return t & (TRAIL_LOST - 1);
}

static inline uint64_t trail_task(uint64_t t)
{
    return trail_maker(t) >> TRAIL_EPOCH_BITS;
}

static inline uint64_t trail_site(uint64_t t)
{
    return t >> TRAIL_SITE_SHIFT;
}

static inline uint32_t trail_first(uint64_t t)
{
    return (uint32_t)(t >> TRAIL_FIRST_SHIFT) % WORD_SIZE;
}

/* Records the accesses of adjacent trails of the word; nothing for 0. An access that left several
 * of them, or several adjacent accesses, become one record. */
void deferred_record(uintptr_t word, const uint64_t *trails, size_t count);

/* Moves from two rows of trails of one word, by is_write, those to `next` that came before the rest
 * of their epoch, as far as the rows tell: all reads, or all writes. False when none are left. */
bool deferred_next(uint64_t rows[2][WORD_SIZE], size_t count, uint64_t next[WORD_SIZE]);

/* Records of which trails of the word accesses were lost. */
void deferred_record_lost(uintptr_t word, const uint64_t *trails, size_t count);

/* In a child that has just been forked. */
void deferred_forked(void);

#endif
