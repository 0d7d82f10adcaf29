#include "runtime/record/shadow/access.h"

#include <stdatomic.h>

#define ENTRY __attribute__((visibility("default")))
#include "runtime/instrument/runtime_entry.h"
#include "runtime/record/hooks/shared_memory_ids.h"
#include "runtime/record/log/call_paths.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/deferred_records.h"
#include "runtime/record/shadow/epoch_filter.h"
#include "runtime/record/shadow/fork_join_order.h"
#include "runtime/record/shadow/publish.h"
#include "runtime/record/shadow/shadow.h"
#include "runtime/record/shadow/site_table.h"

enum {
    FREED_MAX = 1 << 20, /* bytes of a freed block that are looked at ... */
    FREED_WORDS = 128,   /* ... and words of it that the write is recorded for */
};

/* The state of a word is its owner, or that it is shared:
 *
 *     IS_SHARED (1 bit) | handler (32) | phase (14) | task + 1 (17)
 *
 * 0: never used. */
enum { OWNER_TASK_BITS = 17, OWNER_PHASE_BITS = 14, OWNER_HANDLER_SHIFT = 31 };
#define IS_SHARED (UINT64_C(1) << 63)

/* No word's state: where the system has no membarrier, the task's own words take the long way. */
#define OWN_SLOWLY UINT64_MAX

_Static_assert(RT_EPOCHS_MAX == 1 << TRAIL_EPOCH_BITS, "an epoch fits into a trail");
_Static_assert(OWNER_TASK_BITS + OWNER_PHASE_BITS == OWNER_HANDLER_SHIFT, "the handler follows");
_Static_assert(OWNER_HANDLER_SHIFT + 32 == 63, "IS_SHARED is the last bit");
_Static_assert((int)TRAIL_TASK_BITS < (int)OWNER_TASK_BITS, "each task of a trail can own words");
_Static_assert(FORK_JOIN_PHASE_MAX < 1 << OWNER_PHASE_BITS, "a phase fits into a state");

static bool is_told;
static bool has_barrier;

void access_start(void)
{
    has_barrier = publish_start();
    shadow_start();
    if (is_told) {
        site_start();
    }
}

void access_forked(void)
{
    has_barrier = publish_start();
    shadow_forked();
    deferred_forked();
    publish_forget();
    emitted_end();
    site_forked();
    if (is_told) {
        site_start();
    }
}

void access_task_end(void)
{
    publish_settle();
    emitted_end();
}

bool access_is_told(void)
{
    return is_told;
}

/* Comes from the constructors of modules, one at a time. */
void clew_rt_told(const void *code)
{
    (void)code;
    is_told = true;
    if (rt_is_on && site_table == NULL) {
        site_start();
    }
}

static uint64_t epoch(void)
{
    return atomic_load_explicit(&rt_self.epoch, memory_order_relaxed);
}

/* An access that stands for itself. */
static void emit_whole(uintptr_t address, uint64_t entry)
{
    (void)rt_record((struct rt_event){.kind = site_is_write(entry) ? EVENT_WRITE : EVENT_READ,
                                      .is_plain = true,
                                      .has_size = true,
                                      .size = site_size(entry),
                                      .object = (const void *)address,
                                      .place = (const void *)(uintptr_t)site_place(entry)});
}

/* ---- memory that is annotated as racing on purpose ---- */

enum { ALLOWED_MAX = 256 };

static struct {
    _Atomic uintptr_t begin, end;
} allowed[ALLOWED_MAX];
static _Atomic uint32_t allowed_count;

void access_allow(uintptr_t address, size_t size)
{
    const uint32_t index = atomic_fetch_add_explicit(&allowed_count, 1, memory_order_relaxed);
    if (index < ALLOWED_MAX) {
        atomic_store_explicit(&allowed[index].begin, address, memory_order_relaxed);
        /* Pairs with the acquire in access_is_allowed: a range that has an end has its beginning.
         */
        atomic_store_explicit(&allowed[index].end, address + size, memory_order_release);
    }
}

bool access_is_allowed(uintptr_t address)
{
    const uint32_t count = atomic_load_explicit(&allowed_count, memory_order_relaxed);
    for (uint32_t i = 0; i < count && i < ALLOWED_MAX; i++) {
        if (address < atomic_load_explicit(&allowed[i].end, memory_order_acquire) &&
            address >= atomic_load_explicit(&allowed[i].begin, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

static void emit_always(uintptr_t address, uint64_t entry)
{
    if (access_is_allowed(address)) {
        return;
    }
    const uint64_t site = site_is_told ? site_number(entry) : 0;
    if (site != 0) {
        rt_record_access(access_word(site, address));
    } else {
        emit_whole(address, entry);
    }
}

/* An access that has not been recorded often in this epoch, or at a place that may be young. */
__attribute__((noinline)) static void emit_rarely(struct emitted *slot, uintptr_t address,
                                                  uint64_t entry)
{
    const uint32_t count = emitted_count(slot, address, entry);
    const bool is_young = count > 0 && site_take_young(site_first(entry));
    if (count < EMITTED_MAX) {
        emitted_put(slot, address, entry, count + 1);
    }
    if (count < EMITTED_MAX || is_young) {
        emit_always(address, entry);
    }
}

/* An access to a shared word. */
__attribute__((always_inline)) static inline void emit(uintptr_t address, uint64_t entry)
{
    struct emitted *slot = emitted_slot(address, entry);
    if (!emitted_is_done(slot, address, entry) ||
        __builtin_expect(site_is_young(site_first(entry)), 0)) {
        emit_rarely(slot, address, entry);
    }
}

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

/* The calling task as an owner, in the handler that it is in. */
static uint64_t owner_now(void)
{
    return (uint64_t)rt_self.handler << OWNER_HANDLER_SHIFT |
           (uint64_t)rt_self.phase << OWNER_TASK_BITS | ((uint64_t)rt_self.number + 1);
}

/* The owner tag of a word that the calling task uses. Two handlers of one task could have run in
 * another order, so the tag contains the handler: a word that two of them use becomes shared. The
 * stack belongs to the task alone: messages and local variables of handlers lie there. */
static uint64_t owner_of(uintptr_t address)
{
    const uint64_t owner = owner_now();
    return rt_self.handler != 0 && is_on_own_stack(address)
               ? owner & ((UINT64_C(1) << OWNER_HANDLER_SHIFT) - 1)
               : owner;
}

static uint32_t owner_task(uint64_t state)
{
    return (uint32_t)(state & ((1u << OWNER_TASK_BITS) - 1)) - 1;
}

static uint32_t owner_phase(uint64_t state)
{
    return (uint32_t)(state >> OWNER_TASK_BITS) & ((1u << OWNER_PHASE_BITS) - 1);
}

/* A word in the shadow. */
struct cell {
    uintptr_t word; /* its address */
    struct region *region;
    size_t index;
};

static inline struct cell cell_of(struct region *region, uintptr_t address)
{
    return (struct cell){.word = address & ~(uintptr_t)(WORD_SIZE - 1),
                         .region = region,
                         .index = shadow_index(address)};
}

static inline uint64_t state_of(const struct cell *c)
{
    return atomic_load_explicit(&c->region->states[c->index], memory_order_relaxed);
}

/* True if the calling task may use a word in this state as its owner. */
static bool is_inherited(uint64_t state, uint64_t owner)
{
    return owner_task(state) == rt_self.number
               ? state >> OWNER_HANDLER_SHIFT == owner >> OWNER_HANDLER_SHIFT
               : fork_join_is_past(owner_task(state), owner_phase(state));
}

/* The word is not the calling task's, or not yet; true when it is now. An owner of 0 never gets
 * it. */
static bool take(const struct cell *c, uint64_t owner)
{
    uint64_t state = state_of(c);
    while ((state & IS_SHARED) == 0) {
        if (state == owner && owner != 0) {
            return true;
        }
        const bool is_free = owner != 0 && (state == 0 ? !shared_has((const void *)c->word)
                                                       : is_inherited(state, owner));
        if (atomic_compare_exchange_weak(&c->region->states[c->index], &state,
                                         is_free ? owner : IS_SHARED)) {
            if (!is_free) {
                shadow_share(c->region, c->index);
                publish_reveal(c->region, c->word);
            }
            return is_free;
        }
    }
    return false;
}

/* Where the trails of an access stand: those of a word's halves or of its bytes, and which. */
struct row {
    _Atomic uint64_t *slots;
    _Atomic uint64_t *others; /* the same of the other kind of access */
    size_t count;             /* of the whole row */
    size_t first, end;        /* of those that are the access's */
};

static inline bool is_by_halves(uintptr_t address, uint64_t size)
{
    return size == WORD_SIZE || (size == HALF_SIZE && address % HALF_SIZE == 0);
}

static struct row row_of(const struct cell *c, uintptr_t address, uint64_t entry)
{
    const size_t first = address % WORD_SIZE;
    const size_t end = first + site_size(entry);
    const bool is_write = site_is_write(entry);
    if (is_by_halves(address, site_size(entry))) {
        return (struct row){.slots = c->region->trails[c->index].last[is_write],
                            .others = c->region->trails[c->index].last[!is_write],
                            .count = HALVES,
                            .first = first / HALF_SIZE,
                            .end = end / HALF_SIZE};
    }
    shadow_make_bytes(c->region, c->index);
    return (struct row){.slots = c->region->bytes[c->index].last[is_write],
                        .others = c->region->bytes[c->index].last[!is_write],
                        .count = WORD_SIZE,
                        .first = first,
                        .end = end};
}

/* Takes the trails that a task left in one epoch. */
static void take_trails(_Atomic uint64_t *slots, size_t count, uint64_t maker, uint64_t *taken)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t t = atomic_load_explicit(&slots[i], memory_order_relaxed);
        taken[i] = t != 0 && trail_maker(t) == maker ? t : 0;
        if (taken[i] != 0) {
            atomic_store_explicit(&slots[i], 0, memory_order_relaxed);
        }
    }
}

/* Records the trails that another task left in one epoch, after a takeover of the word: reads and
 * writes together, so that their order is known. Returns TRAIL_LOST if that task has lost accesses
 * to the word before; the new owner's trail then carries the mark. */
static uint64_t yield_trails(uintptr_t word, const struct row *row, bool is_write, uint64_t maker)
{
    uint64_t found[2][WORD_SIZE], next[WORD_SIZE];
    uint64_t lost = 0;
    take_trails(row->slots, row->count, maker, found[is_write]);
    take_trails(row->others, row->count, maker, found[!is_write]);
    while (deferred_next(found, row->count, next)) {
        deferred_record(word, next, row->count);
        for (size_t i = 0; i < row->count; i++) {
            lost |= next[i] & TRAIL_LOST;
        }
    }
    return lost;
}

/* The word was taken from its owner in the middle of an access; `old` are the trails that it has
 * replaced. */
__attribute__((noinline)) static void lose(uintptr_t address, uint64_t entry, const uint64_t *old,
                                           size_t count)
{
    deferred_record(address & ~(uintptr_t)(WORD_SIZE - 1), old, count);
    emit(address, entry);
}

/* Leaves the trail of an access by the owner; steps t, u and v of the header. */
static void leave_trail(const struct cell *c, uintptr_t address, uint64_t entry, uint64_t site,
                        uint64_t owner)
{
    const struct row row = row_of(c, address, entry);
    const bool is_write = site_is_write(entry);
    uint64_t made = trail_of(site, address, rt_self.maker);
    uint64_t old[WORD_SIZE] = {0};
    for (size_t i = row.first; i < row.end; i++) {
        old[i] = atomic_load_explicit(&row.slots[i], memory_order_relaxed);
        if (old[i] != 0 && trail_task(old[i]) != trail_task(made)) {
            made |= yield_trails(c->word, &row, is_write, trail_maker(old[i]));
            old[i] = 0;
        }
        const uint64_t t =
            trail_last(trail_behind(made, old[i]),
                       atomic_load_explicit(&row.others[i], memory_order_relaxed), is_write);
        if (has_barrier) {
            atomic_store_explicit(&row.slots[i], t, memory_order_relaxed);
        } else {
            (void)atomic_exchange(&row.slots[i], t);
        }
    }
    atomic_signal_fence(memory_order_seq_cst);
    if (state_of(c) != owner) {
        lose(address, entry, old, row.count);
    }
}

/* Records the trails that the calling task has left in its present epoch, and clears them. Late
 * records belong to the end of their epoch, so the task must record them before it records another
 * access to the word. */
static void record_trails(uintptr_t word, const uint64_t *trails, size_t count)
{
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        if (trails[i] != 0 && !trail_is_same(trails[i], before)) {
            emit_always(word + trail_first(trails[i]), site_known(trail_site(trails[i])));
            before = trails[i];
        }
    }
}

static void tell_rows(uintptr_t word, _Atomic uint64_t *reads, _Atomic uint64_t *writes,
                      size_t count)
{
    uint64_t found[2][WORD_SIZE], next[WORD_SIZE];
    take_trails(reads, count, rt_self.maker, found[0]);
    take_trails(writes, count, rt_self.maker, found[1]);
    while (deferred_next(found, count, next)) {
        record_trails(word, next, count);
        deferred_record_lost(word, next, count);
    }
}

static void tell_word(const struct cell *c)
{
    struct trails *halves = &c->region->trails[c->index];
    tell_rows(c->word, halves->last[0], halves->last[1], HALVES);
    if (shadow_has_bytes(c->region, c->index)) {
        struct byte_trails *bytes = &c->region->bytes[c->index];
        tell_rows(c->word, bytes->last[0], bytes->last[1], WORD_SIZE);
    }
}

/* Whether the word lies in a frame of the task's own stack that is younger than the last task it
 * created. Others seldom use such words. */
static inline bool is_in_young_frame(uintptr_t address)
{
    return is_on_own_stack(address) && (rt_self.known_stack == 0 || address < rt_self.known_stack);
}

/* Whether an access to the task's own word is recorded at once. Atomicity asks about first accesses
 * as well as last ones; trails keep only the last. A critical section guards memory that others
 * will use too; one that does not seem to end records a bounded part. Elsewhere the first accesses
 * of each place are recorded. */
static inline bool is_recorded_at_once(const struct cell *c, uintptr_t address, uint64_t site)
{
    const bool is_young = site_take_young(site);
    if (is_in_young_frame(address)) {
        return false;
    }
    const bool is_in_section = rt_self.section_left != 0;
    rt_self.section_left -= is_in_section;
    if (is_young && !is_in_section) {
        tell_word(c);
    }
    return is_in_section || is_young;
}

/* An access to any word. */
__attribute__((noinline)) static void note_any(struct region *region, uintptr_t address,
                                               uint64_t entry)
{
    const struct cell c = cell_of(region, address);
    const uint64_t site = site_number(entry);
    if (rt_self.own != 0 && site != 0) {
        const uint64_t owner = owner_of(address);
        if (!take(&c, owner) || is_recorded_at_once(&c, address, site)) {
            emit(address, entry);
        } else {
            leave_trail(&c, address, entry, site, owner);
        }
        return;
    }
    /* The task leaves no trails, or the place has no number. */
    if (!rt_wants_all_accesses) {
        (void)take(&c, 0);
    }
    emit_always(address, entry);
}

/* True when a trail may simply take the place of another. */
static inline bool is_plain(uint64_t old, uint64_t new)
{
    return old == 0 || trail_task(old) == trail_task(new);
}

/* Leaves a trail as the last; `other` is the place of the other kind of access. */
static inline void put_last(_Atomic uint64_t *slot, const _Atomic uint64_t *other, uint64_t t,
                            bool is_write)
{
    atomic_store_explicit(
        slot, trail_last(t, atomic_load_explicit(other, memory_order_relaxed), is_write),
        memory_order_relaxed);
}

/* Whether the calling task records its accesses now, and if so whether it leaves trails. */
static bool is_noting(void)
{
    if (!rt_is_on || shadow_regions == NULL || rt_self.is_ended || rt_self.ignore > 0 ||
        rt_self.path[0] == 0 || site_table == NULL) {
        return false;
    }
    if (!rt_wants_all_accesses && rt_self.number >> TRAIL_TASK_BITS == 0 &&
        rt_self.ignore_reads + rt_self.ignore_writes == 0 && epoch() < RT_EPOCHS_MAX &&
        emitted_begin(epoch())) {
        rt_self.own = has_barrier ? owner_now() : OWN_SLOWLY;
        rt_self.maker = (uint64_t)rt_self.number << TRAIL_EPOCH_BITS | epoch();
    }
    return true;
}

/* Whether reads, or writes, alone are annotated as harmless now; the task then leaves no trails. */
static bool is_ignored(bool is_write)
{
    return (is_write ? rt_self.ignore_writes : rt_self.ignore_reads) > 0;
}

/* Whole words of one chunk, which is ready, as far as they are the task's own and take no more than
 * a trail in the place of another: the first of which this is not so. */
static uintptr_t note_own_words(struct region *region, uintptr_t address, uintptr_t end,
                                uint64_t entry)
{
    const uint64_t site = site_first(entry);
    const bool is_write = site_is_write(entry);
    const uint64_t t = trail_of(site, 0, rt_self.maker);
    for (; address + WORD_SIZE <= end && site_known(site) == entry && !site_is_young(site);
         address += WORD_SIZE) {
        const size_t index = shadow_index(address);
        _Atomic uint64_t *slot = region->trails[index].last[is_write];
        _Atomic uint64_t *other = region->trails[index].last[!is_write];
        const uint64_t lower = atomic_load_explicit(slot, memory_order_relaxed);
        const uint64_t upper = atomic_load_explicit(slot + 1, memory_order_relaxed);
        if (atomic_load_explicit(&region->states[index], memory_order_relaxed) != rt_self.own ||
            !is_plain(lower, t) || !is_plain(upper, t)) {
            return address;
        }
        put_last(slot, other, trail_behind(t, lower), is_write);
        put_last(slot + 1, other + 1, trail_behind(t, upper), is_write);
        atomic_signal_fence(memory_order_seq_cst);
        if (atomic_load_explicit(&region->states[index], memory_order_relaxed) != rt_self.own) {
            lose(address, entry, (const uint64_t[]){lower, upper}, HALVES);
        }
    }
    return address;
}

/* Words of one chunk, which may have to be made ready. */
static void note_in_chunk(uintptr_t address, uintptr_t end, uint64_t place, bool is_write)
{
    struct region *region = shadow_make(address);
    const uint64_t whole = site_entry(place, WORD_SIZE, is_write);
    while (region != NULL && address < end) {
        if (address % WORD_SIZE == 0 && rt_self.own != 0 && rt_self.section_left == 0) {
            address = note_own_words(region, address, end, whole);
        }
        const uintptr_t next = (address | (WORD_SIZE - 1)) + 1;
        const uintptr_t stop = next < end ? next : end;
        if (address < stop) {
            note_any(region, address, site_entry(place, stop - address, is_write));
        }
        address = next;
    }
}

/* The slow path: an access that spans words, or whose word has no state yet. */
__attribute__((noinline)) static void note_rare(uintptr_t address, size_t size, bool is_write,
                                                uint64_t place)
{
    if (rt_self.own == 0 && (!is_noting() || is_ignored(is_write))) {
        return;
    }
    const uintptr_t end = address + size;
    while (address < end) {
        const uintptr_t next = (address | (CHUNK_WORDS * WORD_SIZE - 1)) + 1;
        note_in_chunk(address, next < end ? next : end, place, is_write);
        address = next;
    }
}

/* One word that is not simply the task's own. */
__attribute__((noinline)) static void note_other(struct region *region, uintptr_t address,
                                                 uint64_t entry)
{
    if (shadow_is_ready(region, shadow_index(address))) {
        note_any(region, address, entry);
    } else {
        note_rare(address, site_size(entry), site_is_write(entry), site_place(entry));
    }
}

/* An access to a word that is not shared, and nearly always the task's own: one trail takes the
 * place of another. An access of 8 or 2 bytes leaves it in two places, which lie side by side. */
__attribute__((always_inline)) static inline void note_word(struct region *region,
                                                            uintptr_t address, uint64_t entry)
{
    const size_t index = shadow_index(address);
    const uint32_t size = site_size(entry);
    const bool is_halves = size >= HALF_SIZE;
    const bool is_double = size == WORD_SIZE || size == 2;
    const bool is_write = site_is_write(entry);
    const uint64_t site = site_first(entry);
    if (__builtin_expect(
            atomic_load_explicit(&region->states[index], memory_order_relaxed) != rt_self.own ||
                rt_self.section_left != 0 ||
                (is_halves ? !is_by_halves(address, size) : !shadow_has_bytes(region, index)) ||
                site_known(site) != entry || site_is_young(site),
            0)) {
        note_other(region, address, entry);
        return;
    }
    const size_t at = is_halves ? address / HALF_SIZE % HALVES : address % WORD_SIZE;
    _Atomic uint64_t *slot = is_halves ? &region->trails[index].last[is_write][at]
                                       : &region->bytes[index].last[is_write][at];
    _Atomic uint64_t *other = is_halves ? &region->trails[index].last[!is_write][at]
                                        : &region->bytes[index].last[!is_write][at];
    const uint64_t t = trail_of(site, address, rt_self.maker);
    const uint64_t old = atomic_load_explicit(slot, memory_order_relaxed);
    const uint64_t beside = is_double ? atomic_load_explicit(slot + 1, memory_order_relaxed) : 0;
    if (__builtin_expect(!is_plain(old, t) || !is_plain(beside, t), 0)) {
        note_other(region, address, entry);
        return;
    }
    put_last(slot, other, trail_behind(t, old), is_write);
    if (is_double) {
        put_last(slot + 1, other + 1, trail_behind(t, beside), is_write);
    }
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(
            atomic_load_explicit(&region->states[index], memory_order_relaxed) != rt_self.own, 0)) {
        lose(address, entry, (const uint64_t[]){old, beside}, 2);
    }
}

/* The path of every access. Its conditions are ordered by cost, the cheapest first. */
__attribute__((always_inline)) static inline void note(uintptr_t address, size_t size,
                                                       bool is_write, uint64_t place)
{
    rt_self.access_count++;
    /* The program goes there next: its wait for the memory and ours are then one. */
    __builtin_prefetch((const void *)address);
    struct region *region = NULL;
    if (__builtin_expect(rt_self.own == 0 || address % WORD_SIZE + size > WORD_SIZE ||
                             (region = shadow_region(address)) == NULL,
                         0)) {
        note_rare(address, size, is_write, place);
    } else if (shadow_is_shared(region, shadow_index(address))) {
        emit(address, site_entry(place, size, is_write));
    } else {
        note_word(region, address, site_entry(place, size, is_write));
    }
}

/* Any number of bytes; copies of one word are many. */
static void note_range(uintptr_t address, size_t size, bool is_write, uint64_t place)
{
    if (size == WORD_SIZE) {
        note(address, WORD_SIZE, is_write, place);
    } else {
        rt_self.access_count++;
        note_rare(address, size, is_write, place);
    }
}

void clew_rt_read(const void *address, size_t size, const void *place)
{
    note_range((uintptr_t)address, size, false, calls_place(place));
}

void clew_rt_write(const void *address, size_t size, const void *place)
{
    note_range((uintptr_t)address, size, true, calls_place(place));
}

/* The table of sites doubles as the coverage of the process. */
void clew_rt_block(const void *place)
{
    if (rt_is_on && site_table != NULL) {
        (void)site_number(site_entry((uintptr_t)place, 1, false));
    }
}

#define SIZED(bytes)                                              \
    void clew_rt_read##bytes(const void *address, const void *p)  \
    {                                                             \
        note((uintptr_t)address, bytes, false, calls_place(p));   \
    }                                                             \
    void clew_rt_write##bytes(const void *address, const void *p) \
    {                                                             \
        note((uintptr_t)address, bytes, true, calls_place(p));    \
    }

SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)

void access_share(const volatile void *address, size_t size)
{
    const uintptr_t end = (uintptr_t)address + size;
    if (rt_wants_all_accesses || (rt_self.own == 0 && !is_noting())) {
        return;
    }
    for (uintptr_t at = (uintptr_t)address & ~(uintptr_t)(WORD_SIZE - 1); at < end;
         at += WORD_SIZE) {
        struct region *region = shadow_region(at);
        if (region != NULL && shadow_is_shared(region, shadow_index(at))) {
            continue;
        }
        region = shadow_make(at);
        if (region == NULL) {
            return;
        }
        const struct cell c = cell_of(region, at);
        (void)take(&c, 0);
    }
}

void access_clear(const void *address, size_t size)
{
    shadow_clear((uintptr_t)address, size);
}

void access_end(const void *address, size_t size, const void *place)
{
    const uintptr_t first = ((uintptr_t)address + WORD_SIZE - 1) & ~(uintptr_t)(WORD_SIZE - 1);
    const size_t limit = size < FREED_MAX ? size : FREED_MAX;
    uint32_t written = 0;
    for (uintptr_t at = first; shadow_regions != NULL && at + WORD_SIZE <= first + limit;
         at += WORD_SIZE) {
        struct region *region = shadow_region(at);
        const size_t index = shadow_index(at);
        if (region == NULL || !shadow_is_ready(region, index)) {
            at = (at | (CHUNK_WORDS * WORD_SIZE - 1)) + 1 - WORD_SIZE; /* nothing was used there */
            continue;
        }
        const uint64_t state = atomic_load_explicit(&region->states[index], memory_order_relaxed);
        if (state != 0 && state != owner_of(at)) {
            note_rare(at, WORD_SIZE, true, (uintptr_t)place);
            if (++written == FREED_WORDS) {
                return;
            }
        }
    }
}

void access_freed(const void *address, size_t size)
{
    const uintptr_t first = ((uintptr_t)address + WORD_SIZE - 1) & ~(uintptr_t)(WORD_SIZE - 1);
    const size_t limit = size < FREED_WORDS * WORD_SIZE ? size : FREED_WORDS * WORD_SIZE;
    if (rt_wants_all_accesses || shadow_regions == NULL) {
        return;
    }
    for (uintptr_t at = first; at + WORD_SIZE <= first + limit; at += WORD_SIZE) {
        struct region *region = shadow_region(at);
        const size_t index = shadow_index(at);
        if (region == NULL || !shadow_is_ready(region, index)) {
            at = (at | (CHUNK_WORDS * WORD_SIZE - 1)) + 1 - WORD_SIZE;
        } else if (!shadow_is_shared(region, index)) {
            atomic_store_explicit(&region->states[index], IS_SHARED, memory_order_relaxed);
            shadow_share(region, index);
        }
    }
}
