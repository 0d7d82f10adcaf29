#include "runtime/access.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRY __attribute__((visibility("default")))
#include "runtime/calls.h"
#include "runtime/emitted.h"
#include "runtime/entry.h"
#include "runtime/kin.h"
#include "runtime/late.h"
#include "runtime/rt.h"
#include "runtime/shadow.h"
#include "runtime/site.h"

enum {
    HALF_SIZE = 4,
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

/* No word's state: where the system has no membarrier, the task's own words take the long way. */
#define OWN_SLOWLY UINT64_MAX

_Static_assert(RT_EPOCHS_MAX == 1 << TRAIL_EPOCH_BITS, "an epoch fits into a trail");
_Static_assert(KIN_PHASE_MAX < 1 << OWNER_PHASE_BITS, "a phase fits into a state");

static bool is_told;
static bool has_barrier;

/* A word that was made shared, and what its trails were then. */
struct doubt {
    struct trails *trails;
    uintptr_t word;
    uint64_t seen[2][2];
};

/* What the calling task has in doubt. */
static __thread struct {
    struct doubt *doubts; /* made when first needed */
    uint32_t count;
    bool is_busy; /* a signal handler that finds it so settles its doubts at once */
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
    if (own.doubts != NULL) {
        (void)syscall(SYS_munmap, own.doubts, DOUBTS_MAX * sizeof *own.doubts);
    }
    memset(&own, 0, sizeof own);
    emitted_end();
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
    const bool was_busy = own.is_busy;
    own.is_busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    if (!was_busy && own.doubts == NULL) {
        own.doubts = shadow_memory(DOUBTS_MAX * sizeof *own.doubts);
    }
    if (was_busy || own.doubts == NULL) {
        settle(d, 1);
    } else {
        own.doubts[own.count++] = *d;
        if (own.count == DOUBTS_MAX) {
            settle(own.doubts, own.count);
            own.count = 0;
        }
    }
    atomic_signal_fence(memory_order_seq_cst);
    own.is_busy = was_busy;
}

void access_task_end(void)
{
    if (own.count > 0) {
        settle(own.doubts, own.count);
    }
    forget();
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

/* An access that has not been recorded in this epoch. */
__attribute__((noinline)) static void emit_new(struct emitted *slot, uint64_t word)
{
    emitted_put(slot, word, epoch());
    if (site_is_told()) {
        rt_record_access(word);
    } else {
        emit_whole(access_word_address(word), site_known(access_word_site(word)));
    }
}

/* An access to a shared word. */
__attribute__((always_inline)) static inline void emit(uintptr_t address, uint64_t site)
{
    const uint64_t word = access_word(site, address);
    struct emitted *slot = emitted_slot(word);
    if (!emitted_is(slot, word, epoch())) {
        emit_new(slot, word);
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
    struct region *region;
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
        if (state == owner && owner != 0) {
            return true;
        }
        const bool is_free = owner != 0 && (state == 0 || is_inherited(state, owner));
        if (atomic_compare_exchange_weak(c->state, &state, is_free ? owner : IS_SHARED)) {
            if (!is_free) {
                shadow_share(c->region, shadow_index(c->word));
                reveal(c);
            }
            return is_free;
        }
    }
    return false;
}

/* What becomes of the trail that is there, for half of the word, when a new one comes. A loop over
 * bytes leaves one trail for those that lie side by side. Another task's, of which this one has
 * taken the word over, comes to light, together with that of the other half where both were left by
 * the same task in the same epoch. */
static uint64_t succeed(const struct cell *c, int half, uint64_t old, uint64_t new)
{
    const uint64_t before = site_known(trail_site(old));
    const uint64_t after = site_known(trail_site(new));
    if (trail_task(old) != trail_task(new)) {
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
    if (size > HALF_SIZE || trail_maker(old) != trail_maker(new) ||
        site_place(before) != site_place(after) ||
        trail_first(old) + site_size(before) != trail_first(new)) {
        return new;
    }
    const uint64_t site = site_number(site_entry(site_place(after), size, site_is_write(after)));
    return site == 0 ? new : trail_of(site, trail_first(old), trail_maker(new));
}

/* The word was taken from its owner in the middle of an access; `old` are the trails that it has
 * replaced. */
__attribute__((noinline)) static void lose(uintptr_t address, uint64_t site, uint64_t old_lower,
                                           uint64_t old_upper)
{
    late_record_halves(address & ~(uintptr_t)(WORD_SIZE - 1), old_lower, old_upper);
    emit(address, site);
}

/* Leaves the trail of an access by the owner, in each half that it touches; steps t, u and v of the
 * header. */
static void leave_trail(const struct cell *c, uintptr_t address, uint64_t entry, uint64_t site,
                        uint64_t owner)
{
    const uint64_t t = trail_of(site, address, rt_self.maker);
    const uint32_t first = trail_first(t);
    uint64_t old[2] = {0, 0};
    for (int half = first / HALF_SIZE; half <= (int)(first + site_size(entry) - 1) / HALF_SIZE;
         half++) {
        _Atomic uint64_t *slot = &c->trails->last[site_is_write(entry)][half];
        old[half] = atomic_load_explicit(slot, memory_order_relaxed);
        if (old[half] != t) {
            const uint64_t new = old[half] == 0 ? t : succeed(c, half, old[half], t);
            (void)atomic_exchange(slot, new);
        }
    }
    if (atomic_load_explicit(c->state, memory_order_relaxed) != owner) {
        lose(address, site, old[0], old[1]);
    }
}

static inline struct cell cell_of(struct region *region, uintptr_t address)
{
    const size_t index = shadow_index(address);
    return (struct cell){.word = address & ~(uintptr_t)(WORD_SIZE - 1),
                         .region = region,
                         .state = &region->states[index],
                         .trails = &region->trails[index]};
}

/* An access to any word. */
__attribute__((noinline)) static void note_any(struct region *region, uintptr_t address,
                                               uint64_t entry)
{
    const struct cell c = cell_of(region, address);
    const uint64_t site = site_number(entry);
    if (rt_self.own != 0 && site != 0) {
        const uint64_t owner = owner_of(address);
        if (take(&c, owner)) {
            leave_trail(&c, address, entry, site, owner);
        } else {
            emit(address, site);
        }
        return;
    }
    /* The task leaves no trails, or the place has no number. */
    if (!rt_wants_all_accesses) {
        (void)take(&c, 0);
    }
    if (site != 0 && site_is_told()) {
        rt_record_access(access_word(site, address));
    } else {
        emit_whole(address, entry);
    }
}

/* The same, where it is known to be shared. */
__attribute__((always_inline)) static inline void note_shared(struct region *region,
                                                              uintptr_t address, uint64_t entry)
{
    const uint64_t site = site_first(entry);
    if (__builtin_expect(site_known(site) == entry, 1)) {
        emit(address, site);
    } else {
        note_any(region, address, entry);
    }
}

/* True when a trail may simply take the place of another. */
static inline bool is_plain(uint64_t old, uint64_t new)
{
    return old == 0 || trail_task(old) == trail_task(new);
}

/* The same, where it is not, and nearly always the task's own: one trail takes the place of
 * another. Accesses to less than half a word, or across its middle, take the long way. */
__attribute__((always_inline)) static inline void note_word(struct region *region,
                                                            uintptr_t address, uint64_t entry)
{
    const uint64_t site = site_first(entry);
    const size_t index = shadow_index(address);
    const uint64_t t = trail_of(site, address, rt_self.maker);
    const bool is_whole = site_size(entry) == WORD_SIZE;
    _Atomic uint64_t *slot =
        &region->trails[index].last[site_is_write(entry)][is_whole ? 0 : address / HALF_SIZE % 2];
    const uint64_t old = atomic_load_explicit(slot, memory_order_relaxed);
    const uint64_t beside = is_whole ? atomic_load_explicit(slot + 1, memory_order_relaxed) : 0;
    if (__builtin_expect(
            atomic_load_explicit(&region->states[index], memory_order_relaxed) != rt_self.own ||
                site_known(site) != entry || !is_plain(old, t) || !is_plain(beside, t) ||
                (!is_whole && (site_size(entry) != HALF_SIZE || address % HALF_SIZE != 0)),
            0)) {
        note_any(region, address, entry);
        return;
    }
    atomic_store_explicit(slot, t, memory_order_relaxed);
    if (is_whole) {
        atomic_store_explicit(slot + 1, t, memory_order_relaxed);
    }
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(
            atomic_load_explicit(&region->states[index], memory_order_relaxed) != rt_self.own, 0)) {
        const bool is_upper = !is_whole && address % WORD_SIZE != 0;
        lose(address, site, is_upper ? 0 : old, is_upper ? old : beside);
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
        epoch() < RT_EPOCHS_MAX && emitted_begin()) {
        rt_self.own = has_barrier ? owner_now() : OWN_SLOWLY;
        rt_self.maker = (uint64_t)rt_self.number << TRAIL_EPOCH_BITS | epoch();
    }
    return true;
}

/* Whole words of one chunk, which is ready, as far as they are the task's own and take no more than
 * a trail in the place of another: the first of which this is not so. */
static uintptr_t note_own_words(struct region *region, uintptr_t address, uintptr_t end,
                                uint64_t entry)
{
    const uint64_t site = site_first(entry);
    const uint64_t t = trail_of(site, 0, rt_self.maker);
    for (; address + WORD_SIZE <= end && site_known(site) == entry; address += WORD_SIZE) {
        const size_t index = shadow_index(address);
        _Atomic uint64_t *slot = &region->trails[index].last[site_is_write(entry)][0];
        const uint64_t lower = atomic_load_explicit(slot, memory_order_relaxed);
        const uint64_t upper = atomic_load_explicit(slot + 1, memory_order_relaxed);
        if (atomic_load_explicit(&region->states[index], memory_order_relaxed) != rt_self.own ||
            !is_plain(lower, t) || !is_plain(upper, t)) {
            return address;
        }
        atomic_store_explicit(slot, t, memory_order_relaxed);
        atomic_store_explicit(slot + 1, t, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        if (atomic_load_explicit(&region->states[index], memory_order_relaxed) != rt_self.own) {
            lose(address, site, lower, upper);
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
        if (address % WORD_SIZE == 0 && rt_self.own != 0) {
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

/* What does not lie in one word that is ready. */
__attribute__((noinline)) static void note_rare(uintptr_t address, size_t size, bool is_write,
                                                const void *place)
{
    if (rt_self.own == 0 && !is_noting()) {
        return;
    }
    const uintptr_t end = address + size;
    while (address < end) {
        const uintptr_t next = (address | (CHUNK_WORDS * WORD_SIZE - 1)) + 1;
        note_in_chunk(address, next < end ? next : end, (uintptr_t)place, is_write);
        address = next;
    }
}

/* What every access goes through. */
__attribute__((always_inline)) static inline void note(uintptr_t address, size_t size,
                                                       bool is_write, const void *place)
{
    rt_self.access_count++;
    /* The program goes there next: its wait for the memory and ours are then one. */
    __builtin_prefetch((const void *)address);
    const size_t index = shadow_index(address);
    struct region *region = NULL;
    /* NOLINTBEGIN(bugprone-branch-clone): the questions come in the order of what they cost. */
    if (__builtin_expect(rt_self.own == 0 || address % WORD_SIZE + size > WORD_SIZE ||
                             (region = shadow_region(address)) == NULL,
                         0)) {
        note_rare(address, size, is_write, place);
    } else if (shadow_is_shared(region, index)) {
        note_shared(region, address, site_entry((uintptr_t)place, size, is_write));
    } else if (__builtin_expect(shadow_is_ready(region, index), 1)) {
        note_word(region, address, site_entry((uintptr_t)place, size, is_write));
    } else {
        note_rare(address, size, is_write, place);
    }
    /* NOLINTEND(bugprone-branch-clone) */
}

void clew_rt_read(const void *address, size_t size, const void *place)
{
    rt_self.access_count++;
    note_rare((uintptr_t)address, size, false, calls_place(place));
}

void clew_rt_write(const void *address, size_t size, const void *place)
{
    rt_self.access_count++;
    note_rare((uintptr_t)address, size, true, calls_place(place));
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
            note_rare(at, WORD_SIZE, true, place);
        }
    }
}
