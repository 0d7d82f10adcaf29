/* Numbers for the places that access memory, small enough for a trail and for an access in one
 * word.
 *
 * The table lies in a file of the recording (wire/segment.h), so that a number which was recorded
 * can always be looked up, however the process ended. */
#ifndef CLEW_RUNTIME_RECORD_SHADOW_SITE_TABLE_H
#define CLEW_RUNTIME_RECORD_SHADOW_SITE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/segment.h"

/* By number; NULL before site_start. Entries below SITE_FIRST are never used. */
extern _Atomic uint64_t *site_table;

/* Whether the table's numbers mean something to the collector. */
extern bool site_is_told;

/* Makes the table. Without a file for it, it is kept for the trails alone. */
void site_start(void);

/* In a child that has just been forked: the table is the parent's. */
void site_forked(void);

/* The number of an entry that is not where it is looked for first; 0 when the table is full. */
uint64_t site_search(uint64_t entry);

static inline uint64_t site_first(uint64_t entry)
{
    return entry * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SITE_BITS);
}

/* The number of an entry (site_entry), which is the same ever after; 0 when there are too many. */
static inline uint64_t site_number(uint64_t entry)
{
    const uint64_t first = site_first(entry);
    return __builtin_expect(atomic_load_explicit(&site_table[first], memory_order_relaxed) == entry,
                            1)
               ? first
               : site_search(entry);
}

/* By number: how many more accesses at this place are recorded also where the word is the task's
 * own or the access a repetition (runtime/record/shadow/access.h). 0 until the process has a second
 * task. */
enum { SITE_RENEWALS_MAX = 64 };
extern _Atomic uint8_t site_left[SITE_COUNT];

/* A task is about to be created. It cannot run during earlier accesses of its creator, so every
 * place again records its first `count` accesses. Only for the first SITE_RENEWALS_MAX creations of
 * a process. O(SITE_COUNT). */
void site_renew(uint32_t count);

/* Whether an access at this place, which was counted now, is one of the first. */
static inline bool site_take_young(uint64_t site)
{
    const uint8_t left = atomic_load_explicit(&site_left[site], memory_order_relaxed);
    if (left != 0) {
        atomic_store_explicit(&site_left[site], (uint8_t)(left - 1), memory_order_relaxed);
    }
    return left != 0;
}

static inline bool site_is_young(uint64_t site)
{
    return atomic_load_explicit(&site_left[site], memory_order_relaxed) != 0;
}

/* The entry of this site. */
static inline uint64_t site_known(uint64_t site)
{
    return atomic_load_explicit(&site_table[site], memory_order_relaxed);
}

#endif
