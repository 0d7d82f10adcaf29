#include "runtime/emitted.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/shadow.h"

#define TABLE_SIZE (sizeof(struct emitted) << EMITTED_BITS_MAX)

__thread struct emitted_table emitted_own;

bool emitted_begin(void)
{
    if (emitted_own.entries == NULL) {
        emitted_own.entries = shadow_memory(TABLE_SIZE);
        emitted_own.mask_max = 0;
        emitted_forget();
    }
    return emitted_own.entries != NULL;
}

void emitted_end(void)
{
    if (emitted_own.entries != NULL) {
        (void)syscall(SYS_munmap, emitted_own.entries, TABLE_SIZE);
        emitted_own.entries = NULL;
    }
}

/* The epoch is a long one: twice as much of the table is used from now on. */
static void grow(uint64_t epoch)
{
    struct emitted *entries = emitted_own.entries;
    const uint32_t before = emitted_own.mask;
    emitted_own.mask = before * 2 + 1;
    if (emitted_own.mask > emitted_own.mask_max) {
        emitted_own.mask_max = emitted_own.mask;
        shadow_populate(&entries[before + 1], (before + 1) * sizeof *entries);
    }
    for (uint32_t i = 0; i <= before; i++) {
        if (entries[i].epoch == epoch && entries[i].word != 0) {
            *emitted_slot(entries[i].word) = entries[i];
        }
    }
}

void emitted_put(struct emitted *slot, uint64_t word, uint64_t epoch)
{
    *slot = (struct emitted){.word = word, .epoch = epoch};
    if (++emitted_own.count > emitted_own.mask / 2 &&
        emitted_own.mask < (1u << EMITTED_BITS_MAX) - 1) {
        grow(epoch);
    }
}
