#include "runtime/access.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRY __attribute__((visibility("default")))
#include "runtime/entry.h"
#include "runtime/kin.h"
#include "runtime/late.h"
#include "runtime/rt.h"
#include "runtime/shadow.h"
#include "runtime/site.h"

enum {
    HALF_SIZE = 4,
    EMITTED_BITS_MIN = 8,
    EMITTED_BITS_MAX = 17,
    DOUBTS_MAX = 128,
    FREED_MAX = 1024, /* bytes of a freed block that are looked at */
};

/* The state of a word is who owns it, or that it is shared:
 *
 *     IS_SHARED (1 bit) | handler (32) | phase (14) | task + 1 (17)
 *
 * 0: never used. */
enum { OWNER_TASK_BITS = 17, OWNER_PHASE_BITS = 14, OWNER_HANDLER_SHIFT = 31 };
#define IS_SHARED (UINT64_C(1) << 63)

_Static_assert(RT_EPOCHS_MAX == 1 << TRAIL_EPOCH_BITS, "an epoch fits into a trail");
_Static_assert(KIN_PHASE_MAX < 1 << OWNER_PHASE_BITS, "a phase fits into a state");

static bool is_told;
static bool has_barrier;

/* An access that was recorded in an epoch. */
struct emitted {
    uint64_t word; /* as in wire/segment.h */
    uint64_t epoch;
};

/* A word that was made shared, and what its trails were then. */
struct doubt {
    struct trails *trails;
    uintptr_t word;
    uint64_t seen[2][2];
};

struct memory {
    struct emitted emitted[1 << EMITTED_BITS_MAX];
    struct doubt doubts[DOUBTS_MAX];
};

/* What the calling task remembers. */
static __thread struct {
    struct memory *memory; /* made when first asked for; NULL: there is none */
    /* Of `emitted` only as much is used as the epoch needs, so that it stays near. */
    uint64_t emitted_epoch; /* counted from 1 */
    uint32_t emitted_mask, emitted_count;
    uint32_t doubt_count;
    bool is_doubting; /* a signal handler that finds it so settles its doubts at once */
} own;

void access_start(void)
{
    has_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    shadow_start();
    if (is_told) {
        site_start();
    }
}

static void forget(void)
{
    if (own.memory != NULL) {
        (void)syscall(SYS_munmap, own.memory, sizeof *own.memory);
    }
    memset(&own, 0, sizeof own);
}

void access_forked(void)
{
    has_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    shadow_forked();
    late_forked();
    forget();
    site_forked();
    if (is_told) {
        site_start();
    }
}

bool access_is_told(void)
{
    return is_told;
}

/* Comes from the constructors of modules, one at a time. */
void clew_rt_told(void)
{
    is_told = true;
    if (rt_is_on && site_table == NULL) {
        site_start();
    }
}

static struct memory *memory_of_task(void)
{
    if (own.memory == NULL) {
        own.memory = shadow_memory(sizeof *own.memory);
    }
    return own.memory;
}

/* Steps b and d of the header. */
static void settle(const struct doubt *doubts, uint32_t count)
{
    (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    for (const struct doubt *d = doubts; d < doubts + count; d++) {
        for (int k = 0; k < 4; k++) {
            const uint64_t now =
                atomic_load_explicit(&d->trails->last[k / 2][k % 2], memory_order_relaxed);
            if (now != d->seen[k / 2][k % 2]) {
                late_record(d->word, now);
            }
        }
    }
}

/* Puts the doubt off. */
static void doubt(const struct doubt *d)
{
    if (memory_of_task() == NULL || own.is_doubting) {
        settle(d, 1);
        return;
    }
    own.is_doubting = true;
    atomic_signal_fence(memory_order_seq_cst);
    own.memory->doubts[own.doubt_count++] = *d;
    if (own.doubt_count == DOUBTS_MAX) {
        settle(own.memory->doubts, own.doubt_count);
        own.doubt_count = 0;
    }
    atomic_signal_fence(memory_order_seq_cst);
    own.is_doubting = false;
}

void access_task_end(void)
{
    if (own.doubt_count > 0) {
        settle(own.memory->doubts, own.doubt_count);
    }
    forget();
}

static uint64_t epoch(void)
{
    return atomic_load_explicit(&rt_self.epoch, memory_order_relaxed);
}

/* Where an access is remembered, but for the mask. Neighbours in memory are neighbours here. */
static inline uint64_t emitted_index(uint64_t word)
{
    return access_word_address(word) / HALF_SIZE + access_word_site(word) * 61;
}

/* The epoch is a long one: twice as much of the table is used from now on. */
static void emitted_grow(struct emitted *emitted)
{
    const uint32_t mask = own.emitted_mask * 2 + 1;
    for (uint32_t i = 0; i <= own.emitted_mask; i++) {
        if (emitted[i].epoch == own.emitted_epoch) {
            emitted[emitted_index(emitted[i].word) & mask] = emitted[i];
        }
    }
    own.emitted_mask = mask;
}

/* True when the calling task has recorded the same in this epoch; remembers it otherwise. What was
 * forgotten because something else took its place is recorded once more. */
static inline bool was_emitted(uint64_t word)
{
    struct memory *memory = memory_of_task();
    if (memory == NULL) {
        return false;
    }
    const uint64_t now = epoch() + 1;
    if (own.emitted_epoch != now) {
        own.emitted_epoch = now;
        own.emitted_mask = (1u << EMITTED_BITS_MIN) - 1;
        own.emitted_count = 0;
    }
    struct emitted *slot = &memory->emitted[emitted_index(word) & own.emitted_mask];
    if (slot->word == word && slot->epoch == now) {
        return true;
    }
    *slot = (struct emitted){.word = word, .epoch = now};
    if (++own.emitted_count > own.emitted_mask / 2 &&
        own.emitted_mask < (1u << EMITTED_BITS_MAX) - 1) {
        emitted_grow(memory->emitted);
    }
    return false;
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

/* An access to a shared word. */
__attribute__((noinline)) static void emit(uintptr_t address, uint64_t site)
{
    const uint64_t word = access_word(site, address);
    if (was_emitted(word)) {
        return;
    }
    if (site_is_told()) {
        rt_record_access(word);
    } else {
        emit_whole(address, site_known(site));
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

/* Who a word belongs to that the calling task uses. The handlers of a task could have run in
 * another order, so that what two of them use is shared. Its stack is the task's alone: messages
 * lie there, and what a handler calls its own. */
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
    _Atomic uint64_t *state;
    struct trails *trails;
};

/* The word has just been made shared: brings its trails to light. */
static void reveal(const struct cell *c)
{
    struct doubt d = {.trails = c->trails, .word = c->word};
    for (int k = 0; k < 4; k++) {
        d.seen[k / 2][k % 2] = atomic_load(&c->trails->last[k / 2][k % 2]);
    }
    late_record_halves(c->word, d.seen[1][0], d.seen[1][1]);
    late_record_halves(c->word, d.seen[0][0], d.seen[0][1]);
    if (has_barrier) {
        doubt(&d);
    }
}

/* True when the calling task may go on as the owner of what is in this state. */
static bool is_inherited(uint64_t state, uint64_t owner)
{
    return owner_task(state) == rt_self.number
               ? state >> OWNER_HANDLER_SHIFT == owner >> OWNER_HANDLER_SHIFT
               : kin_is_past(owner_task(state), owner_phase(state));
}

/* The word is not the calling task's, or not yet; true when it is now. An owner of 0 never gets
 * it. */
static bool take(const struct cell *c, uint64_t owner)
{
    uint64_t state = atomic_load_explicit(c->state, memory_order_relaxed);
    while ((state & IS_SHARED) == 0) {
        const bool is_free =
            owner != 0 && (state == 0 || state == owner || is_inherited(state, owner));
        if (atomic_compare_exchange_weak(c->state, &state, is_free ? owner : IS_SHARED)) {
            if (!is_free) {
                reveal(c);
            }
            return is_free;
        }
    }
    return false;
}

/* What becomes of the trail that is there when a new one comes. A loop over bytes leaves one trail
 * for those that lie side by side. Another task's, of which this one has taken the word over, comes
 * to light, together with that of the word's other half where both are one access. */
__attribute__((noinline)) static uint64_t succeed(const struct cell *c, uint64_t old, uint64_t new)
{
    const uint64_t before = site_known(trail_site(old));
    const uint64_t after = site_known(trail_site(new));
    if (trail_task(old) != trail_task(new)) {
        const int half = (int)(trail_first(new) / HALF_SIZE);
        _Atomic uint64_t *other = &c->trails->last[site_is_write(after)][1 - half];
        const uint64_t beside = atomic_load_explicit(other, memory_order_relaxed);
        if (beside == 0 || trail_maker(beside) != trail_maker(old)) {
            late_record(c->word, old);
        } else {
            late_record_halves(c->word, half == 0 ? old : beside, half == 0 ? beside : old);
            atomic_store_explicit(other, 0, memory_order_relaxed);
        }
        return new;
    }
    const uint32_t size = site_size(before) + site_size(after);
    if (trail_maker(old) != trail_maker(new) || site_place(before) != site_place(after) ||
        trail_first(old) + site_size(before) != trail_first(new)) {
        return new;
    }
    const uint64_t site = site_number(site_entry(site_place(after), size, site_is_write(after)));
    return site == 0 ? new
                     : trail_of(site, trail_first(old), trail_task(new),
                                new &((UINT64_C(1) << TRAIL_EPOCH_BITS) - 1));
}

/* Leaves the trail of an access by the owner; steps t, u and v of the header. */
static inline void leave_trail(const struct cell *c, uintptr_t address, uint64_t entry, uint64_t t,
                               uint64_t owner)
{
    _Atomic uint64_t *slot = &c->trails->last[entry & 1][address / HALF_SIZE % 2];
    const uint64_t old = atomic_load_explicit(slot, memory_order_relaxed);
    if (old == t) {
        return;
    }
    uint64_t new = t;
    if (__builtin_expect(old != 0 &&
                             (trail_task(old) != trail_task(t) || (entry >> 1 & 7) < HALF_SIZE - 1),
                         0)) {
        new = succeed(c, old, t);
    }
    if (__builtin_expect(has_barrier, 1)) {
        atomic_store_explicit(slot, new, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
    } else {
        (void)atomic_exchange(slot, new);
    }
    if (__builtin_expect(atomic_load_explicit(c->state, memory_order_relaxed) != owner, 0)) {
        late_record(c->word, old);
        emit(address, trail_site(t));
    }
}

/* An access to a word that is not, or not quite, the calling task's. */
__attribute__((noinline)) static void note_foreign(const struct cell *c, uintptr_t address,
                                                   uint64_t entry, uint64_t t)
{
    const uint64_t owner = owner_of(address);
    if (take(c, owner)) {
        leave_trail(c, address, entry, t, owner);
    } else {
        emit(address, trail_site(t));
    }
}

/* An access of a task that leaves no trails, or at a place without a number. */
static void note_openly(const struct cell *c, uintptr_t address, uint64_t entry)
{
    if (!rt_wants_all_accesses) {
        (void)take(c, 0);
    }
    const uint64_t site = site_number(entry);
    if (site != 0 && site_is_told()) {
        rt_record_access(access_word(site, address));
    } else {
        emit_whole(address, entry);
    }
}

/* An access to one word. */
static inline void note_word(struct region *region, uintptr_t address, uint64_t entry)
{
    const size_t index = shadow_index(address);
    const struct cell c = {.word = address & ~(uintptr_t)(WORD_SIZE - 1),
                           .state = &region->states[index],
                           .trails = &region->trails[index]};
    const uint64_t site = site_number(entry);
    if (__builtin_expect(rt_self.own == 0 || site == 0, 0)) {
        note_openly(&c, address, entry);
        return;
    }
    const uint64_t state = atomic_load_explicit(c.state, memory_order_relaxed);
    if ((state & IS_SHARED) != 0) {
        emit(address, site);
        return;
    }
    const uint64_t t = trail_of(site, address, rt_self.number, epoch());
    if (__builtin_expect(state == rt_self.own, 1)) {
        leave_trail(&c, address, entry, t, state);
    } else {
        note_foreign(&c, address, entry, t);
    }
}

/* Whether the calling task tells its accesses now, and if so whether it leaves trails. */
static bool is_noting(void)
{
    if (!rt_is_on || shadow_regions == NULL || rt_self.is_ended || rt_self.ignore > 0 ||
        rt_self.path[0] == 0 || site_table == NULL) {
        return false;
    }
    if (!rt_wants_all_accesses && rt_self.number >> TRAIL_TASK_BITS == 0 &&
        epoch() < RT_EPOCHS_MAX) {
        rt_self.own = owner_now();
    }
    return true;
}

/* What does not lie in one word that is known already. */
__attribute__((noinline)) static void note_rare(uintptr_t address, size_t size, bool is_write,
                                                const void *place)
{
    if (rt_self.own == 0 && !is_noting()) {
        return;
    }
    const uintptr_t end = address + size;
    while (address < end) {
        const uintptr_t next = (address | (WORD_SIZE - 1)) + 1;
        struct region *region = shadow_region(address);
        region = region == NULL ? shadow_make(address) : region;
        if (region == NULL) {
            return;
        }
        note_word(region, address,
                  site_entry((uintptr_t)place, (next < end ? next : end) - address, is_write));
        address = next;
    }
}

static inline void note(uintptr_t address, size_t size, bool is_write, const void *place)
{
    rt_self.access_count++;
    if (__builtin_expect(rt_self.own != 0 && address % WORD_SIZE + size <= WORD_SIZE, 1)) {
        struct region *region = shadow_region(address);
        if (__builtin_expect(region != NULL && size > 0, 1)) {
            note_word(region, address, site_entry((uintptr_t)place, size, is_write));
            return;
        }
    }
    note_rare(address, size, is_write, place);
}

void access_note(const void *address, size_t size, bool is_write, const void *place)
{
    note_rare((uintptr_t)address, size, is_write, place);
}

void clew_rt_read(const void *address, size_t size, const void *place)
{
    note((uintptr_t)address, size, false, place);
}

void clew_rt_write(const void *address, size_t size, const void *place)
{
    note((uintptr_t)address, size, true, place);
}

void access_clear(const void *address, size_t size)
{
    shadow_clear((uintptr_t)address, size);
}

void access_end(const void *address, size_t size, const void *place)
{
    const uintptr_t first = ((uintptr_t)address + WORD_SIZE - 1) & ~(uintptr_t)(WORD_SIZE - 1);
    const size_t limit = size < FREED_MAX ? size : FREED_MAX;
    for (uintptr_t at = first; shadow_regions != NULL && at + WORD_SIZE <= first + limit;
         at += WORD_SIZE) {
        struct region *region = shadow_region(at);
        if (region == NULL) {
            return;
        }
        const uint64_t state =
            atomic_load_explicit(&region->states[shadow_index(at)], memory_order_relaxed);
        if (state != 0 && state != owner_of(at)) {
            access_note((const void *)at, WORD_SIZE, true, place);
        }
    }
}
