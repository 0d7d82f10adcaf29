#include "runtime/record/shadow/epoch_filter.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/record/shadow/shadow.h"
#include "wire/must.h"

#define TABLE_SIZE (sizeof(struct emitted) << EMITTED_BITS_MAX)

__thread struct emitted_table emitted_own;

static uint64_t epoch_bits(uint64_t epoch)
{
    return (epoch << ADDRESS_BITS) & ((UINT64_C(1) << EMITTED_COUNT_SHIFT) - 1);
}

bool emitted_begin(uint64_t epoch)
{
    if (emitted_own.entries == NULL) {
        emitted_own = (struct emitted_table){.entries = shadow_memory(TABLE_SIZE),
                                             .epoch = epoch_bits(epoch),
                                             .mask = (1u << EMITTED_BITS_MIN) - 1};
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

static void empty(void)
{
    const uint32_t last =
        emitted_own.mask_max > emitted_own.mask ? emitted_own.mask_max : emitted_own.mask;
    memset(emitted_own.entries, 0, ((size_t)last + 1) * sizeof *emitted_own.entries);
}

void emitted_forget(uint64_t epoch)
{
    emitted_own.epoch = epoch_bits(epoch);
    if (emitted_own.count < emitted_own.mask / 8 && emitted_own.mask >> EMITTED_BITS_MIN != 0) {
        emitted_own.mask /= 2;
    }
    emitted_own.count = 0;
    if (emitted_own.epoch == 0 && emitted_own.entries != NULL) {
        empty();
    }
}

/* The epoch is a long one: twice as much of the table is used from now on. */
static void grow(void)
{
    struct emitted *entries = emitted_own.entries;
    const uint32_t before = emitted_own.mask;
    emitted_own.mask = before * 2 + 1;
    if (emitted_own.mask > emitted_own.mask_max) {
        emitted_own.mask_max = emitted_own.mask;
        shadow_populate(&entries[before + 1], (before + 1) * sizeof *entries);
    }
    must(emitted_own.mask < 1u << EMITTED_BITS_MAX);
    must((emitted_own.mask & (emitted_own.mask + 1)) == 0);
    const uint64_t epoch_mask = epoch_bits(UINT64_MAX);
    const uint64_t address_mask = (UINT64_C(1) << ADDRESS_BITS) - 1;
    for (uint32_t i = 0; i <= before; i++) {
        if (entries[i].where != 0 && (entries[i].where & epoch_mask) == emitted_own.epoch) {
            *emitted_slot(entries[i].where & address_mask, entries[i].entry) = entries[i];
        }
    }
}

/* If a signal handler has changed the epoch, the entry just stored carries the old epoch, whose
 * lower bits may later stand for another one. */
void emitted_mend(uint64_t epoch)
{
    if (emitted_own.count > emitted_own.mask / 2 &&
        emitted_own.mask < (1u << EMITTED_BITS_MAX) - 1) {
        grow();
    }
    atomic_signal_fence(memory_order_seq_cst);
    if (emitted_own.epoch != epoch) {
        empty();
    }
}
