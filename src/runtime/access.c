#include "runtime/access.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRY __attribute__((visibility("default")))
#include "runtime/entry.h"
#include "runtime/rt.h"

enum {
    WORD_SIZE = 8,
    HALF_SIZE = 4,
    REGION_BITS = 22, /* a region of cells covers 4 MiB */
    REGION_WORDS = (1 << REGION_BITS) / WORD_SIZE,
    ADDRESS_BITS = 47,
    SITE_BITS = 20,
    PROBES_MAX = 64,
    EPOCH_BITS = 38,
    EMITTED_BITS = 17,
    CLEAR_BY_PAGES = 1 << 15, /* from this size on */
    FREED_MAX = 1024,         /* bytes of a freed block that are looked at */
    HANDLER_SHIFT = 32,       /* of a handler in an owner; its task is below */
};

#define REGION_COUNT (UINT64_C(1) << (ADDRESS_BITS - REGION_BITS))
#define IS_SHARED (UINT64_C(1) << 63)
#define IS_SETTLED (UINT64_C(1) << 62)
#define HANDLER_MAX ((UINT64_C(1) << 30) - 1)
#define HASH UINT64_C(0x9e3779b97f4a7c15)

/* What one task did last, in one word, so that another task reads all of it or nothing:
 *
 *     site (20 bits) | first byte in the word (3) | bytes - 1 (3) | epoch + 1 (38)
 *
 * 0: nothing. */
typedef _Atomic uint64_t trail;

struct cell {
    /* The owner; IS_SHARED; IS_SETTLED when its trails have been read. 0: never used. */
    _Atomic uint64_t state;
    trail last[2][2]; /* by is_write and half of the word */
};

/* Cells are looked up by address through a table of regions. Both live in memory that exists only
 * where it is touched. */
struct region {
    struct region *next; /* made before this one */
    struct cell cells[REGION_WORDS];
};

static struct region *_Atomic *regions; /* NULL: off */
static struct region *_Atomic region_last;

/* Program counters get numbers, so that they fit into a trail. */
static _Atomic uintptr_t sites[1 << SITE_BITS];

static bool is_told;
static bool has_barrier;

extern void *__libc_stack_end; /* where the first thread's stack begins */

/* Whether the word lies on the calling task's own stack. The thread's own data lie above its stack,
 * but for the first thread, whose stack lies above all. */
static inline bool is_on_own_stack(uintptr_t address)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const uintptr_t top =
        here < (uintptr_t)&rt_self ? (uintptr_t)&rt_self : (uintptr_t)__libc_stack_end;
    return here <= address && address < top;
}

/* Who a word belongs to that the calling task uses: its task, counted from 1, and the handler that
 * it is in. The handlers of a task could have run in another order, so that what two of them use is
 * shared. Its stack is the task's alone: messages lie there, and what a handler calls its own. */
static inline uint64_t owner_of(uintptr_t address)
{
    const uint64_t task = (uint64_t)rt_self.number + 1;
    if (__builtin_expect(rt_self.handler == 0, 1) || is_on_own_stack(address)) {
        return task;
    }
    return task | (rt_self.handler & HANDLER_MAX) << HANDLER_SHIFT;
}

static void *memory_new(uint64_t size)
{
    void *made = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    return made == MAP_FAILED ? NULL : made;
}

void access_start(void)
{
    has_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    regions = memory_new(REGION_COUNT * sizeof *regions);
}

void access_forked(void)
{
    if (regions == NULL) {
        return;
    }
    has_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    (void)syscall(SYS_madvise, regions, REGION_COUNT * sizeof *regions, (long)MADV_DONTNEED);
    struct region *region = atomic_exchange(&region_last, NULL);
    while (region != NULL) {
        struct region *next = region->next;
        (void)syscall(SYS_munmap, region, sizeof *region);
        region = next;
    }
}

bool access_is_told(void)
{
    return is_told;
}

void clew_rt_told(void)
{
    is_told = true;
}

/* The number of a program counter; 0 when there are too many. */
static inline uint64_t site_of(uintptr_t pc)
{
    const uint64_t first = pc * HASH >> (64 - SITE_BITS);
    for (uint64_t i = 0; i < PROBES_MAX; i++) {
        const uint64_t at = (first + i) % (1 << SITE_BITS);
        uintptr_t known = atomic_load_explicit(&sites[at], memory_order_relaxed);
        if (known == pc) {
            return at;
        }
        if (known == 0 && at != 0 &&
            (atomic_compare_exchange_strong(&sites[at], &known, pc) || known == pc)) {
            return at;
        }
    }
    return 0;
}

/* The bytes of one word that an access touches. */
struct piece {
    uintptr_t address;
    uint32_t size; /* within the word */
    bool is_write;
    const void *place;
};

static inline uint64_t trail_of(const struct piece *p, uint64_t epoch)
{
    return site_of((uintptr_t)p->place) << 44 | (p->address % WORD_SIZE) << 41 |
           (uint64_t)(p->size - 1) << EPOCH_BITS | (epoch + 1);
}

/* Once the word is shared and the owner's trails have been read, a trail tells what was recorded
 * last, by whom:
 *
 *     site (20 bits) | first byte (3) | bytes - 1 (3) | 1 | task (13) | epoch (24)
 *
 * 0 for a task or an epoch that does not fit. The owner's own never have that 1: their epochs would
 * have to be that large. */
enum { SHARED_EPOCH_BITS = 24, SHARED_TASK_BITS = 13 };
#define IS_SHARED_TRAIL (UINT64_C(1) << (EPOCH_BITS - 1))

static inline uint64_t shared_trail_of(uint64_t t)
{
    const uint64_t epoch = t & (IS_SHARED_TRAIL - 1);
    return epoch >> SHARED_EPOCH_BITS != 0 || rt_self.number >> SHARED_TASK_BITS != 0
               ? 0
               : t | IS_SHARED_TRAIL | (uint64_t)rt_self.number << SHARED_EPOCH_BITS;
}

static uintptr_t trail_place(uint64_t t)
{
    return atomic_load_explicit(&sites[t >> 44], memory_order_relaxed);
}

static uint32_t trail_first(uint64_t t)
{
    return t >> 41 & 7;
}

static uint32_t trail_size(uint64_t t)
{
    return (uint32_t)(t >> EPOCH_BITS & 7) + 1;
}

static uint64_t trail_epoch(uint64_t t)
{
    return (t & ((UINT64_C(1) << EPOCH_BITS) - 1)) - 1;
}

/* A loop over bytes leaves one trail for those that lie side by side. */
static inline uint64_t trail_join(uint64_t old, uint64_t new)
{
    const uint64_t same = ~(UINT64_C(63) << EPOCH_BITS);
    const uint32_t first = trail_first(old);
    if ((old & same) != (new &same) || first + trail_size(old) != trail_first(new)) {
        return new;
    }
    const uint64_t size = trail_size(old) + trail_size(new);
    return (new &same) | (uint64_t)first << 41 | (size - 1) << EPOCH_BITS;
}

static struct region *region_make(size_t index)
{
    struct region *made = memory_new(sizeof *made);
    struct region *expected = NULL;
    if (made == NULL) {
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&regions[index], &expected, made)) {
        (void)syscall(SYS_munmap, made, sizeof *made);
        return expected;
    }
    made->next = atomic_load_explicit(&region_last, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&region_last, &made->next, made)) {
    }
    return made;
}

static inline struct region *region_of(uintptr_t address)
{
    return address >> ADDRESS_BITS != 0
               ? NULL
               : atomic_load_explicit(&regions[address >> REGION_BITS], memory_order_acquire);
}

static inline struct cell *cell_of(uintptr_t address)
{
    struct region *region = region_of(address);
    if (__builtin_expect(region == NULL, 0)) {
        region = address >> ADDRESS_BITS != 0 ? NULL : region_make(address >> REGION_BITS);
    }
    return region == NULL ? NULL : &region->cells[address / WORD_SIZE % REGION_WORDS];
}

/* An access that a trail tells of, as a record of whoever found it. */
static void emit_late(uint64_t owner, bool is_write, uintptr_t word, uint64_t t)
{
    if (t == 0 || (t & IS_SHARED_TRAIL) != 0) {
        return;
    }
    const struct record_late late = {.task = (uint32_t)owner - 1,
                                     .epoch = (uint32_t)trail_epoch(t)};
    (void)rt_record((struct rt_event){.kind = is_write ? EVENT_WRITE : EVENT_READ,
                                      .is_plain = true,
                                      .has_size = true,
                                      .size = trail_size(t),
                                      .object = (const void *)(word + trail_first(t)),
                                      .place = (const void *)trail_place(t),
                                      .more = &late,
                                      .more_size = sizeof late});
}

/* Recently recorded accesses of this task, so that a loop over shared words does not fill the row.
 */
struct emitted {
    uint64_t word; /* its number, and whether it was written */
    uint64_t trail;
};

static __thread struct emitted *emitted; /* made when first asked for; NULL: no memory */

void access_task_end(void)
{
    if (emitted != NULL) {
        (void)syscall(SYS_munmap, emitted, sizeof *emitted << EMITTED_BITS);
        emitted = NULL;
    }
}

static bool was_emitted(const struct piece *p, uint64_t t)
{
    const uint64_t word = p->address / WORD_SIZE * 2 + p->is_write;
    if (emitted == NULL) {
        emitted = memory_new(sizeof *emitted << EMITTED_BITS);
    }
    if (emitted == NULL) {
        return false;
    }
    struct emitted *slot = &emitted[(word ^ t >> EPOCH_BITS) * HASH >> (64 - EMITTED_BITS)];
    if (slot->word == word && slot->trail == t) {
        return true;
    }
    *slot = (struct emitted){.word = word, .trail = t};
    return false;
}

/* An access to a shared word. Two memories tell what was recorded before: the cell's, which always
 * knows who used the word last, and the task's, which knows what several tasks use in turn. */
static inline void emit(struct cell *cell, const struct piece *p, uint64_t t)
{
    trail *slot = &cell->last[p->is_write][p->address / HALF_SIZE % 2];
    const uint64_t shared = shared_trail_of(t);
    if (!rt_wants_all_accesses &&
        ((shared != 0 && atomic_load_explicit(slot, memory_order_relaxed) == shared) ||
         was_emitted(p, t))) {
        return;
    }
    if (shared != 0 &&
        (atomic_load_explicit(&cell->state, memory_order_acquire) & IS_SETTLED) != 0) {
        atomic_store_explicit(slot, shared, memory_order_relaxed);
    }
    (void)rt_record((struct rt_event){.kind = p->is_write ? EVENT_WRITE : EVENT_READ,
                                      .is_plain = true,
                                      .has_size = true,
                                      .size = p->size,
                                      .object = (const void *)p->address,
                                      .place = p->place});
}

/* The word is not the caller's, or not yet; true when it is now. */
__attribute__((noinline)) static bool take(struct cell *cell, uintptr_t word, uint64_t own)
{
    uint64_t state = 0;
    if (atomic_compare_exchange_strong(&cell->state, &state, own) || state == own) {
        return true;
    }
    if ((state & IS_SHARED) != 0 ||
        !atomic_compare_exchange_strong(&cell->state, &state, state | IS_SHARED)) {
        return false;
    }
    if (has_barrier) {
        (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    }
    for (int is_write = 1; is_write >= 0; is_write--) {
        for (int half = 0; half < 2; half++) {
            emit_late(state, is_write, word, atomic_load(&cell->last[is_write][half]));
        }
    }
    /* Pairs with the acquire in emit: the trails have been read before others take their place. */
    (void)atomic_fetch_or_explicit(&cell->state, IS_SETTLED, memory_order_release);
    return false;
}

/* Leaves the trail of an access by the owner; steps t, u and v of the header. */
static inline void leave_trail(struct cell *cell, const struct piece *p, uint64_t t, uint64_t own)
{
    trail *slot = &cell->last[p->is_write][p->address / HALF_SIZE % 2];
    const uint64_t old = atomic_load_explicit(slot, memory_order_relaxed);
    if (old == t) {
        return;
    }
    if (__builtin_expect(has_barrier, 1)) {
        atomic_store_explicit(slot, trail_join(old, t), memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
    } else {
        (void)atomic_exchange(slot, trail_join(old, t));
    }
    if (__builtin_expect(atomic_load_explicit(&cell->state, memory_order_relaxed) != own, 0)) {
        emit_late(own, p->is_write, p->address & ~(uintptr_t)(WORD_SIZE - 1), old);
        emit(cell, p, t);
    }
}

static inline void note_piece(const struct piece *p)
{
    struct cell *cell = cell_of(p->address);
    if (cell == NULL) {
        return;
    }
    const uint64_t own = owner_of(p->address);
    const uint64_t t = trail_of(p, atomic_load_explicit(&rt_self.epoch, memory_order_relaxed));
    if (!rt_wants_all_accesses &&
        (atomic_load_explicit(&cell->state, memory_order_relaxed) == own ||
         take(cell, p->address & ~(uintptr_t)(WORD_SIZE - 1), own))) {
        leave_trail(cell, p, t, own);
    } else {
        emit(cell, p, t);
    }
}

void access_note(const void *address, size_t size, bool is_write, const void *place)
{
    if (!rt_is_on || regions == NULL || rt_self.is_ended || rt_self.ignore > 0 ||
        rt_self.path[0] == 0) {
        return;
    }
    struct piece p = {.address = (uintptr_t)address, .is_write = is_write, .place = place};
    const uintptr_t end = p.address + size;
    while (p.address < end) {
        const uintptr_t next = (p.address | (WORD_SIZE - 1)) + 1;
        p.size = (uint32_t)((next < end ? next : end) - p.address);
        note_piece(&p);
        p.address = next;
    }
}

void clew_rt_read(const void *address, size_t size, const void *place)
{
    access_note(address, size, false, place);
}

void clew_rt_write(const void *address, size_t size, const void *place)
{
    access_note(address, size, true, place);
}

static void cell_clear(struct cell *cell)
{
    if (atomic_load_explicit(&cell->state, memory_order_relaxed) == 0) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        atomic_store_explicit(&cell->last[i / 2][i % 2], 0, memory_order_relaxed);
    }
    atomic_store_explicit(&cell->state, 0, memory_order_release);
}

/* Cells of one region, from the word of `at` to that of `end`. */
static void clear_in_region(struct region *region, uintptr_t at, uintptr_t end)
{
    struct cell *cell = &region->cells[at / WORD_SIZE % REGION_WORDS];
    struct cell *last = cell + (end - at + WORD_SIZE - 1) / WORD_SIZE;
    if (end - at >= CLEAR_BY_PAGES) {
        const uintptr_t first = ((uintptr_t)cell | 4095) + 1;
        const uintptr_t stop = (uintptr_t)last & ~(uintptr_t)4095;
        (void)syscall(SYS_madvise, first, stop - first, (long)MADV_DONTNEED);
        while ((uintptr_t)cell < first) {
            cell_clear(cell++);
        }
        cell = &region->cells[(stop - (uintptr_t)region->cells) / sizeof *cell];
    }
    for (; cell < last; cell++) {
        cell_clear(cell);
    }
}

void access_clear(const void *address, size_t size)
{
    if (regions == NULL) {
        return;
    }
    uintptr_t at = (uintptr_t)address & ~(uintptr_t)(WORD_SIZE - 1);
    const uintptr_t end = (uintptr_t)address + size;
    while (at < end && at >> ADDRESS_BITS == 0) {
        const uintptr_t next = (at | ((UINT64_C(1) << REGION_BITS) - 1)) + 1;
        struct region *region = region_of(at);
        if (region != NULL) {
            clear_in_region(region, at, next < end ? next : end);
        }
        at = next;
    }
}

void access_end(const void *address, size_t size, const void *place)
{
    const uintptr_t first = ((uintptr_t)address + WORD_SIZE - 1) & ~(uintptr_t)(WORD_SIZE - 1);
    const size_t limit = size < FREED_MAX ? size : FREED_MAX;
    for (uintptr_t at = first; regions != NULL && at + WORD_SIZE <= first + limit;
         at += WORD_SIZE) {
        struct region *region = region_of(at);
        if (region == NULL) {
            return;
        }
        const uint64_t state = atomic_load_explicit(
            &region->cells[at / WORD_SIZE % REGION_WORDS].state, memory_order_relaxed);
        if (state != 0 && state != owner_of(at)) {
            access_note((const void *)at, WORD_SIZE, true, place);
        }
    }
}
