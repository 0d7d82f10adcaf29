/* What the calling task has recorded in its present epoch, so that a loop over shared words does
 * not fill the row: a table in which a later access may take the place of an earlier one, which is
 * then recorded once more. */
#ifndef CLEW_RUNTIME_EMITTED_H
#define CLEW_RUNTIME_EMITTED_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/segment.h"

enum { EMITTED_BITS_MIN = 8, EMITTED_BITS_MAX = 17 };

struct emitted {
    uint64_t word; /* the access as it stands in the row; 0: none */
    uint64_t epoch;
};

/* Of the table only as much is used as the epoch needs, so that it stays near. */
struct emitted_table {
    struct emitted *entries; /* NULL: not made yet */
    uint32_t mask;           /* of those that are used */
    uint32_t count;          /* put into it in this epoch */
    uint32_t mask_max;       /* the pages up to there have been made */
};
extern __thread struct emitted_table emitted_own __attribute__((tls_model("initial-exec")));

/* Makes the calling task's table if there is none; false when there is no memory for it. */
bool emitted_begin(void);

/* Gives it back. */
void emitted_end(void);

/* Remembers an access where emitted_slot found none. */
void emitted_put(struct emitted *slot, uint64_t word, uint64_t epoch);

/* The task's epoch has changed. */
static inline void emitted_forget(void)
{
    emitted_own.mask = (1u << EMITTED_BITS_MIN) - 1;
    emitted_own.count = 0;
}

/* Where an access is remembered. Neighbours in memory are neighbours here. */
static inline struct emitted *emitted_slot(uint64_t word)
{
    const uint64_t at = (word & 0x7fffffff) / 4 + access_word_site(word) * 40503;
    return &emitted_own.entries[at & emitted_own.mask];
}

static inline bool emitted_is(const struct emitted *slot, uint64_t word, uint64_t epoch)
{
    return slot->word == word && slot->epoch == epoch;
}

#endif
