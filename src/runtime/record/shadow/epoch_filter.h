/* The accesses that the calling task has recorded in its present epoch, so that a loop over shared
 * words does not fill the segment: a direct-mapped cache. A later access may displace an earlier
 * one, which is then recorded once more. */
#ifndef CLEW_RUNTIME_RECORD_SHADOW_EPOCH_FILTER_H
#define CLEW_RUNTIME_RECORD_SHADOW_EPOCH_FILTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/segment.h"

enum {
    EMITTED_BITS_MIN = 8,
    EMITTED_BITS_MAX = 17,
    EMITTED_EPOCH_BITS = 64 - ADDRESS_BITS,
};

_Static_assert(EMITTED_BITS_MIN < EMITTED_BITS_MAX, "the table can grow");
_Static_assert(EMITTED_EPOCH_BITS >= 16, "epochs repeat seldom");

struct emitted {
    uint64_t entry; /* place, size and kind of the access (site_entry) */
    uint64_t where; /* its address, and above it the lower bits of the epoch; 0: none */
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

static inline bool emitted_is(const struct emitted *slot, uintptr_t address, uint64_t entry)
{
    return slot->entry == entry && slot->where == (address | emitted_own.epoch);
}

/* Remembers an access where emitted_slot found none. A handler that interrupts this must not find
 * half an entry. */
static inline void emitted_put(struct emitted *slot, uintptr_t address, uint64_t entry)
{
    if (emitted_own.is_busy) {
        return;
    }
    emitted_own.is_busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    const uint64_t epoch = emitted_own.epoch;
    *slot = (struct emitted){.entry = entry, .where = address | epoch};
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(++emitted_own.count > emitted_own.mask / 2 || emitted_own.epoch != epoch,
                         0)) {
        emitted_mend(epoch);
    }
    atomic_signal_fence(memory_order_seq_cst);
    emitted_own.is_busy = false;
}

#endif
