#include "runtime/access.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/rt.h"

enum {
    WORD_SIZE = 8,
    REGION_BITS = 22, /* a region of cells covers 4 MiB */
    REGION_WORDS = (1 << REGION_BITS) / WORD_SIZE,
    ADDRESS_BITS = 47,
    WINDOWS_MAX = 64,
    EPOCH_BITS = 26,
    EMITTED_MAX = 1 << 10,
};

/* What one task did last: place (38 bits) and epoch (26 bits) in one word, so that another task
 * reads both or neither. 0: nothing. */
typedef _Atomic uint64_t trail;

struct cell {
    _Atomic uint64_t state; /* owner + 1, and IS_SHARED; 0: never used */
    trail last_write;
    trail last_read;
};

#define IS_SHARED (UINT64_C(1) << 63)

static struct cell *_Atomic regions[UINT64_C(1) << (ADDRESS_BITS - REGION_BITS)];

/* Program counters come from a few stretches of 4 GiB; a place is which one and the low 32 bits. */
static _Atomic uint32_t windows[WINDOWS_MAX]; /* high 32 bits + 1 */

static uint64_t window_of(uint32_t high)
{
    for (uint32_t i = 0; i < WINDOWS_MAX; i++) {
        uint32_t known = atomic_load_explicit(&windows[i], memory_order_relaxed);
        if (known == 0 && atomic_compare_exchange_strong(&windows[i], &known, high + 1)) {
            return i;
        }
        if (known == high + 1) {
            return i;
        }
    }
    return 0;
}

static uint64_t trail_of(const void *place, uint64_t epoch)
{
    const uint64_t pc = (uintptr_t)place;
    const uint64_t limit = (UINT64_C(1) << EPOCH_BITS) - 1;
    return window_of((uint32_t)(pc >> 32)) << 58 | (pc & UINT32_MAX) << EPOCH_BITS |
           (epoch < limit ? epoch : limit);
}

static uint64_t trail_place(uint64_t t)
{
    const uint64_t high = atomic_load_explicit(&windows[t >> 58], memory_order_relaxed) - 1;
    return high << 32 | (t >> EPOCH_BITS & UINT32_MAX);
}

static uint64_t trail_epoch(uint64_t t)
{
    return t & ((UINT64_C(1) << EPOCH_BITS) - 1);
}

/* The cells of a region, made when first asked for; NULL when there is no memory for them. */
static struct cell *region_make(size_t index)
{
    const long size = (long)(REGION_WORDS * sizeof(struct cell));
    struct cell *made = (struct cell *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    if (made == MAP_FAILED) {
        return NULL;
    }
    struct cell *expected = NULL;
    if (!atomic_compare_exchange_strong(&regions[index], &expected, made)) {
        (void)syscall(SYS_munmap, made, size);
        return expected;
    }
    return made;
}

static struct cell *cell_of(uintptr_t address)
{
    if (address >> ADDRESS_BITS != 0) {
        return NULL;
    }
    const size_t index = address >> REGION_BITS;
    struct cell *region = atomic_load_explicit(&regions[index], memory_order_acquire);
    if (region == NULL) {
        region = region_make(index);
    }
    return region == NULL ? NULL : &region[(address >> 3) % REGION_WORDS];
}

/* What an access record says besides itself when it is another task's, found out later. */
static void emit_late(uint64_t owner, enum event_kind kind, uintptr_t word, uint64_t t)
{
    if (t == 0) {
        return;
    }
    const struct record_late late = {.task = (uint32_t)owner, .epoch = (uint32_t)trail_epoch(t)};
    (void)rt_record((struct rt_event){.kind = kind,
                                      .is_plain = true,
                                      .has_size = true,
                                      .size = WORD_SIZE,
                                      .object = (const void *)word,
                                      .place = (const void *)trail_place(t),
                                      .more = &late,
                                      .more_size = sizeof late});
}

/* Recently recorded accesses of this task, so that a loop over a shared word does not fill the row.
 */
struct emitted {
    uintptr_t address;
    uint64_t trail; /* with place and epoch */
    bool is_write;
};

static __thread struct emitted emitted[EMITTED_MAX];

static bool was_emitted(uintptr_t address, bool is_write, uint64_t t)
{
    const uint64_t mixed = (address >> 3 ^ t >> EPOCH_BITS) * 0x9e3779b97f4a7c15u;
    struct emitted *slot = &emitted[mixed >> 54];
    if (slot->address == address && slot->trail == t && slot->is_write == is_write) {
        return true;
    }
    *slot = (struct emitted){.address = address, .trail = t, .is_write = is_write};
    return false;
}

static void emit(uintptr_t address, size_t size, bool is_write, const void *place, uint64_t t)
{
    if (was_emitted(address, is_write, t)) {
        return;
    }
    (void)rt_record((struct rt_event){.kind = is_write ? EVENT_WRITE : EVENT_READ,
                                      .is_plain = true,
                                      .has_size = true,
                                      .size = size,
                                      .object = (const void *)address,
                                      .place = place});
}

/* Makes the cell the caller's, or shared; true when it is shared and the access must be recorded.
 */
static bool cell_take(struct cell *cell, uintptr_t word, uint64_t own)
{
    uint64_t state = atomic_load_explicit(&cell->state, memory_order_relaxed);
    if (state == 0 && atomic_compare_exchange_strong(&cell->state, &state, own)) {
        return false;
    }
    if (state == own) {
        return false;
    }
    /* Pairs with the owner's release stores to its trails: whoever makes the word shared sees the
     * last of them that came before; the owner, who looks at the state after each, sees the word
     * shared afterwards. */
    if ((state & IS_SHARED) == 0 &&
        atomic_compare_exchange_strong(&cell->state, &state, state | IS_SHARED)) {
        emit_late(state - 1, EVENT_WRITE, word,
                  atomic_load_explicit(&cell->last_write, memory_order_acquire));
        emit_late(state - 1, EVENT_READ, word,
                  atomic_load_explicit(&cell->last_read, memory_order_acquire));
    }
    return true;
}

static void note_word(uintptr_t address, size_t size, bool is_write, const void *place)
{
    struct cell *cell = cell_of(address);
    if (cell == NULL) {
        return;
    }
    const uint64_t t = trail_of(place, rt_self.epoch);
    const uint64_t own = rt_self.number + 1;
    if (rt_wants_all_accesses || cell_take(cell, address & ~(uintptr_t)(WORD_SIZE - 1), own)) {
        emit(address, size, is_write, place, t);
        return;
    }
    atomic_store_explicit(is_write ? &cell->last_write : &cell->last_read, t, memory_order_release);
    if (atomic_load(&cell->state) != own) {
        emit(address, size, is_write, place, t);
    }
}

void access_note(const void *address, size_t size, bool is_write, const void *place)
{
    if (!rt_is_recording() || rt_self.ignore > 0) {
        return;
    }
    uintptr_t at = (uintptr_t)address;
    const uintptr_t end = at + size;
    while (at < end) {
        const uintptr_t next = (at | (WORD_SIZE - 1)) + 1;
        note_word(at, (next < end ? next : end) - at, is_write, place);
        at = next;
    }
}

void access_clear(const void *address, size_t size)
{
    const uintptr_t end = (uintptr_t)address + size;
    for (uintptr_t at = (uintptr_t)address & ~(uintptr_t)(WORD_SIZE - 1); at < end;) {
        const size_t index = at >> REGION_BITS;
        struct cell *region = at >> ADDRESS_BITS != 0
                                  ? NULL
                                  : atomic_load_explicit(&regions[index], memory_order_acquire);
        const uintptr_t region_end = (at | ((UINT64_C(1) << REGION_BITS) - 1)) + 1;
        if (region == NULL) {
            at = region_end;
            continue;
        }
        struct cell *cell = &region[(at >> 3) % REGION_WORDS];
        if (atomic_load_explicit(&cell->state, memory_order_relaxed) != 0) {
            atomic_store_explicit(&cell->last_write, 0, memory_order_relaxed);
            atomic_store_explicit(&cell->last_read, 0, memory_order_relaxed);
            atomic_store_explicit(&cell->state, 0, memory_order_release);
        }
        at += WORD_SIZE;
    }
}
