/* The accesses that the calling task has recorded in its present epoch, and how often, so that a
 * loop over shared words does not fill the segment: a direct-mapped cache. A later access may
 * displace an earlier one, which then counts as new. */
#ifndef CLEW_RUNTIME_RECORD_SHADOW_EPOCH_FILTER_H
#define CLEW_RUNTIME_RECORD_SHADOW_EPOCH_FILTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/segment.h"

enum {
    EMITTED_BITS_MIN = 8,
    EMITTED_BITS_MAX = 17,
    EMITTED_COUNT_SHIFT = 62,
    EMITTED_EPOCH_BITS = EMITTED_COUNT_SHIFT - ADDRESS_BITS,
    EMITTED_MAX = 2, /* records of one access in an epoch: two may be a couple */
};

_Static_assert(EMITTED_BITS_MIN < EMITTED_BITS_MAX, "the table can grow");
_Static_assert(EMITTED_EPOCH_BITS >= 15, "epochs repeat seldom");
_Static_assert(EMITTED_MAX >> (64 - EMITTED_COUNT_SHIFT) == 0, "a count fits");

struct emitted {
    uint64_t entry; /* place, size and kind of the access (site_entry) */
    /* Its address, above it the lower bits of the epoch, and how often it was recorded, up to
     * EMITTED_MAX. 0: none. */
    uint64_t where;
};

/* Of the table only as much is used as the epoch needs, so that it stays near. */
struct emitted_table {
    struct emitted *entries; /* NULL: not made yet */
    uint64_t epoch;          /* the present one's lower bits, where they stand in an entry */
    uint32_t mask;           /* of those that are used */
    uint32_t count;          /* put into it in this epoch */
    uint32_t mask_max;       /* the pages up to there have been made */
    bool is_busy;            /* a signal handler that finds it so puts nothing there */
};
extern __thread struct emitted_table emitted_own __attribute__((tls_model("initial-exec")));

/* Makes the calling task's table for this epoch if there is none; false when there is no memory for
 * it. */
bool emitted_begin(uint64_t epoch);

/* Gives it back. */
void emitted_end(void);

/* The table has become too small, or its epoch another than this while something was put there. */
void emitted_mend(uint64_t epoch);

/* The task's epoch has changed. Clears the table once in 2^EMITTED_EPOCH_BITS times, when the lower
 * bits of epochs repeat. */
void emitted_forget(uint64_t epoch);

/* Where an access is remembered. Neighbours in memory are neighbours here. */
static inline struct emitted *emitted_slot(uintptr_t address, uint64_t entry)
{
    const uint64_t at = address / 4 + (entry * UINT64_C(0x9e3779b97f4a7c15) >> 40);
    return &emitted_own.entries[at & emitted_own.mask];
}

/* Whether it was recorded EMITTED_MAX times. */
static inline bool emitted_is_done(const struct emitted *slot, uintptr_t address, uint64_t entry)
{
    return slot->entry == entry && slot->where == (address | emitted_own.epoch |
                                                   (uint64_t)EMITTED_MAX << EMITTED_COUNT_SHIFT);
}

/* How often it was recorded. */
static inline uint32_t emitted_count(const struct emitted *slot, uintptr_t address, uint64_t entry)
{
    const uint64_t count = slot->where >> EMITTED_COUNT_SHIFT;
    return slot->entry == entry &&
                   slot->where == (address | emitted_own.epoch | count << EMITTED_COUNT_SHIFT)
               ? (uint32_t)count
               : 0;
}

/* Remembers that an access was recorded so often. A handler that interrupts this must not find half
 * an entry. */
static inline void emitted_put(struct emitted *slot, uintptr_t address, uint64_t entry,
                               uint32_t count)
{
    if (emitted_own.is_busy) {
        return;
    }
    emitted_own.is_busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    const uint64_t epoch = emitted_own.epoch;
    *slot = (struct emitted){.entry = entry,
                             .where = address | epoch | (uint64_t)count << EMITTED_COUNT_SHIFT};
    atomic_signal_fence(memory_order_seq_cst);
    emitted_own.count += count == 1;
    if (__builtin_expect(emitted_own.count > emitted_own.mask / 2 || emitted_own.epoch != epoch,
                         0)) {
        emitted_mend(epoch);
    }
    atomic_signal_fence(memory_order_seq_cst);
    emitted_own.is_busy = false;
}

#endif
