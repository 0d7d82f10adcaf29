/* Accesses of any task that are brought to light after they happened: late records. */
#ifndef CLEW_RUNTIME_LATE_H
#define CLEW_RUNTIME_LATE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/shadow.h"
#include "runtime/site.h"

/* What a task did last, in one word, so that another task reads all of it or nothing:
 *
 *     site (16 bits) | first byte in the word (3) | task (16) | epoch (29)
 *
 * 0: nothing. A task or an epoch that does not fit leaves no trails: what it does makes words
 * shared at once. */
enum { TRAIL_EPOCH_BITS = 29, TRAIL_TASK_BITS = 16, TRAIL_FIRST_SHIFT = 45, TRAIL_SITE_SHIFT = 48 };

static inline uint64_t trail_of(uint64_t site, uintptr_t address, uint64_t maker)
{
    return site << TRAIL_SITE_SHIFT | (uint64_t)(address % WORD_SIZE) << TRAIL_FIRST_SHIFT | maker;
}

/* The task and its epoch. */
static inline uint64_t trail_maker(uint64_t t)
{
    return t & ((UINT64_C(1) << TRAIL_FIRST_SHIFT) - 1);
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

/* Records what trails of the word tell that stand beside each other; nothing for 0. An access that
 * stands in several of them, or several that lie side by side, are told as one. */
void late_record(uintptr_t word, const uint64_t *trails, size_t count);

/* In a child that has just been forked. */
void late_forked(void);

#endif
