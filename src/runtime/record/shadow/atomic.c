/* Atomic operations: done and stamped as one step, under a lock chosen by the object, so that the
 * trace has the store that each load read.
 *
 * The locks order only records; the operations are atomic without them. So a task continues without
 * its lock if it could wait for ever: in a signal handler that interrupted the lock's holder, and
 * if the holder seems to be gone (a handler left by longjmp, a cancelled thread). The record is
 * made all the same; only its stamp may then be out of order with concurrent operations. */
#define ENTRY __attribute__((visibility("default")))

#include "runtime/record/shadow/atomic.h"

#include <stdatomic.h>
#include <string.h>

#include "runtime/instrument/runtime_entry.h"
#include "runtime/record/hooks/shared_memory_ids.h"
#include "runtime/record/log/call_paths.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/access.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)
enum { LOCK_BITS = 10, TRIES_MAX = 20000, LOADS_MAX = 64 };

/* Those of this process, for its own memory. */
static struct {
    _Alignas(64) struct recording_atomic lock;
} locks[1 << LOCK_BITS];

/* A load that may turn out to be repeated, or to be an acquiring one by a later fence. */
struct load {
    struct rt_mark mark;
    const volatile void *address;
    const void *place;
    uint64_t value, version, epoch;
    uint32_t repeated;
};

/* The state on which the order of the task's later operations depends. */
static __thread struct {
    struct load loads[LOADS_MAX]; /* the last ones, the very last at `last`; {0}: a store */
    uint32_t last;
    uint32_t unfenced; /* relaxed loads since the last acquire fence */
    uint32_t depth;    /* operations under way: more than one in a signal handler */
    bool holds;        /* the lock of the outermost */
    bool has_released; /* a release fence was executed: later relaxed stores publish the events
                          before it */
} own;

/* The lock of an object in memory that processes share. It is chosen by the object's identity,
 * which is the same in all processes. */
static struct recording_atomic *lock_of(const volatile void *address)
{
    uint64_t key = 0;
    if (shared_key(address, &key)) {
        return &rt_recording->atomics[((key >> 3) * MIX >> 32) % RECORDING_ATOMICS];
    }
    return &locks[((uintptr_t)address >> 3) * MIX >> (64 - LOCK_BITS)].lock;
}

static uint64_t self(void)
{
    return (uint64_t)rt_process_number() << 32 | ((uint64_t)rt_self.number + 1);
}

void atomic_forked(void)
{
    memset(locks, 0, sizeof locks);
    memset(&own, 0, sizeof own);
}

void clew_rt_atomic_enter(const volatile void *address)
{
    if (!rt_is_recording() || own.depth++ > 0) {
        return;
    }
    struct recording_atomic *lock = lock_of(address);
    uint64_t holder = 0;
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        holder = 0;
        /* Pairs with the release in unlock: version and stamps of a lock rise together. */
        if (atomic_compare_exchange_strong_explicit(&lock->holder, &holder, self(),
                                                    memory_order_acquire, memory_order_relaxed)) {
            own.holds = true;
            return;
        }
        rt_pause();
    }
    own.holds = atomic_compare_exchange_strong_explicit(&lock->holder, &holder, self(),
                                                        memory_order_acquire, memory_order_relaxed);
}

static void unlock(struct recording_atomic *lock)
{
    uint64_t holder = self();
    if (own.holds) {
        own.holds = false;
        (void)atomic_compare_exchange_strong_explicit(&lock->holder, &holder, 0,
                                                      memory_order_release, memory_order_relaxed);
    }
}

static uint64_t epoch(void)
{
    return atomic_load_explicit(&rt_self.epoch, memory_order_relaxed);
}

/* True when nothing was stored and nothing stamped by this task since it read the same there: a
 * task that spins. */
static bool is_repeated(const struct clew_rt_atomic *o, const struct recording_atomic *lock)
{
    const struct load *l = &own.loads[own.last];
    return o->kind == EVENT_ATOMIC_LOAD && l->mark.record != NULL && l->address == o->address &&
           l->place == o->place && l->value == o->value && l->version == lock->version &&
           l->epoch == epoch();
}

/* A relaxed store after a release fence publishes the events before the fence. */
static uint8_t mode_of(const struct clew_rt_atomic *o)
{
    if (!own.has_released || o->kind == EVENT_ATOMIC_LOAD) {
        return o->mode;
    }
    const uint8_t order = o->mode & MEMORY_ORDER_MASK;
    const uint8_t operation = o->mode & MEMORY_UPDATE_MASK;
    if (order == MEMORY_RELAXED) {
        return operation | MEMORY_RELEASE;
    }
    return order == MEMORY_ACQUIRE || order == MEMORY_CONSUME ? operation | MEMORY_ACQ_REL
                                                              : o->mode;
}

static void record(const struct clew_rt_atomic *o, const struct recording_atomic *lock)
{
    const struct rt_mark mark =
        rt_record((struct rt_event){.kind = o->kind,
                                    .mode = mode_of(o),
                                    .has_size = true,
                                    .size = o->size,
                                    .has_value = true,
                                    .value = (int64_t)o->value,
                                    .object = o->address,
                                    .place = (const void *)(uintptr_t)calls_place(o->place)});
    own.last = (own.last + 1) % LOADS_MAX;
    own.unfenced += own.unfenced < LOADS_MAX;
    own.loads[own.last] = (struct load){0};
    if (o->kind != EVENT_ATOMIC_STORE) {
        own.loads[own.last] = (struct load){.mark = mark,
                                            .address = o->address,
                                            .place = o->place,
                                            .value = o->value,
                                            .version = lock->version,
                                            .epoch = epoch()};
    }
}

void clew_rt_atomic_leave(const struct clew_rt_atomic *operation)
{
    if (own.depth == 0) {
        return;
    }
    struct recording_atomic *lock = lock_of(operation->address);
    lock->version += own.depth == 1 && operation->kind != EVENT_ATOMIC_LOAD;
    if (rt_self.ignore == 0) {
        if (own.depth == 1 && own.holds && is_repeated(operation, lock)) {
            rt_amend_count(own.loads[own.last].mark, ++own.loads[own.last].repeated);
        } else {
            record(operation, lock);
        }
    }
    if (--own.depth == 0) {
        unlock(lock);
        access_share(operation->address, operation->size);
    }
}

/* An acquire fence makes the task's earlier relaxed loads acquire: their records get that mode. */
static void acquire_loads(void)
{
    const uint32_t last = own.last;
    const uint32_t count = own.unfenced;
    own.unfenced = 0;
    for (uint32_t i = 0; i < count; i++) {
        rt_amend_acquire(own.loads[(last + LOADS_MAX - i) % LOADS_MAX].mark);
    }
}

void clew_rt_fence(uint8_t mode)
{
    if (!rt_is_recording() || mode == MEMORY_RELAXED) {
        return;
    }
    if (mode != MEMORY_RELEASE) {
        acquire_loads();
    }
    if (mode != MEMORY_ACQUIRE && mode != MEMORY_CONSUME) {
        own.has_released = true;
    }
}
