/* The annotation interface of ThreadSanitizer (sanitizer/tsan_interface.h, and the older dynamic
 * annotations). A program that calls these functions links with `clew cc`: their happens-before
 * edges become annotations of the trace, their locks become locks.
 *
 * Functions without a meaning for clew do nothing. The types of the arguments are those of the
 * originals, with pointers for addresses. */
#include <stdbool.h>

#include "runtime/instrument/instrument.h"

static void annotate(enum event_kind kind, uint8_t mode, const volatile void *object,
                     const void *place)
{
    if (clew_rt_annotate != NULL) {
        clew_rt_annotate(&(struct clew_rt_annotation){object, place, (uint8_t)kind, mode});
    }
}

/* ---- orders ---- */

HOOK void __tsan_acquire(void *address);
HOOK void __tsan_acquire(void *address)
{
    annotate(EVENT_HAPPENS_AFTER, 0, address, PLACE);
}

HOOK void __tsan_release(void *address);
HOOK void __tsan_release(void *address)
{
    annotate(EVENT_HAPPENS_BEFORE, 0, address, PLACE);
}

HOOK void AnnotateHappensBefore(const char *file, int line, const volatile void *address);
HOOK void AnnotateHappensBefore(const char *file, int line, const volatile void *address)
{
    (void)file;
    (void)line;
    annotate(EVENT_HAPPENS_BEFORE, 0, address, PLACE);
}

HOOK void AnnotateHappensAfter(const char *file, int line, const volatile void *address);
HOOK void AnnotateHappensAfter(const char *file, int line, const volatile void *address)
{
    (void)file;
    (void)line;
    annotate(EVENT_HAPPENS_AFTER, 0, address, PLACE);
}

/* ---- locks ---- */

/* As in sanitizer/tsan_interface.h. */
enum {
    MUTEX_READ_LOCK = 1 << 3,
    MUTEX_TRY_LOCK_FAILED = 1 << 5,
    MUTEX_RECURSIVE_LOCK = 1 << 6,
    MUTEX_RECURSIVE_UNLOCK = 1 << 7,
};

enum { HELD_MAX = 16, RECURSION_MAX = 1024 };

/* The locks that the calling thread holds for writing, with their recursion depth. A full release
 * (MUTEX_RECURSIVE_UNLOCK, before a wait for a condition) returns the depth. Locks beyond HELD_MAX
 * count as depth 1. */
static __thread struct {
    const void *lock;
    int depth;
} held[HELD_MAX];

static void held_add(const void *lock, int depth)
{
    for (int i = 0; i < HELD_MAX; i++) {
        if (held[i].lock == lock || held[i].lock == NULL) {
            held[i].lock = lock;
            held[i].depth += depth;
            return;
        }
    }
}

/* Removes `depth` holds, all of them if it is 0. Returns the number removed. */
static int held_remove(const void *lock, int depth)
{
    int last = HELD_MAX - 1;
    while (last >= 0 && held[last].lock == NULL) {
        last--;
    }
    for (int i = 0; i <= last; i++) {
        if (held[i].lock == lock) {
            const int taken = depth == 0 || depth > held[i].depth ? held[i].depth : depth;
            held[i].depth -= taken;
            if (held[i].depth == 0) {
                held[i] = held[last];
                held[last].lock = NULL;
                held[last].depth = 0;
            }
            return taken;
        }
    }
    return 1;
}

static void lock_code(bool is_begun)
{
    if (is_begun && clew_rt_lock_code_begin != NULL) {
        clew_rt_lock_code_begin();
    } else if (!is_begun && clew_rt_lock_code_end != NULL) {
        clew_rt_lock_code_end();
    }
}

static void locked(const volatile void *lock, bool is_write, int times, const void *place)
{
    for (int i = 0; i < times && i < RECURSION_MAX; i++) {
        annotate(EVENT_LOCK, is_write ? LOCK_RW_WRITE : LOCK_RW_READ, lock, place);
    }
}

static void unlocked(const volatile void *lock, bool is_write, int times, const void *place)
{
    for (int i = 0; i < times && i < RECURSION_MAX; i++) {
        annotate(EVENT_UNLOCK, is_write ? LOCK_RW_WRITE : LOCK_RW_READ, lock, place);
    }
}

HOOK void __tsan_mutex_create(void *lock, unsigned flags);
HOOK void __tsan_mutex_create(void *lock, unsigned flags)
{
    (void)lock;
    (void)flags;
}

HOOK void __tsan_mutex_destroy(void *lock, unsigned flags);
HOOK void __tsan_mutex_destroy(void *lock, unsigned flags)
{
    (void)lock;
    (void)flags;
}

HOOK void __tsan_mutex_pre_lock(void *lock, unsigned flags);
HOOK void __tsan_mutex_pre_lock(void *lock, unsigned flags)
{
    (void)lock;
    (void)flags;
    lock_code(true);
}

HOOK void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion);
HOOK void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion)
{
    lock_code(false);
    if ((flags & MUTEX_TRY_LOCK_FAILED) != 0) {
        return;
    }
    const bool is_write = (flags & MUTEX_READ_LOCK) == 0;
    const int times = (flags & MUTEX_RECURSIVE_LOCK) != 0 && recursion > 0 ? recursion : 1;
    if (is_write) {
        held_add(lock, times);
    }
    locked(lock, is_write, times, PLACE);
}

HOOK int __tsan_mutex_pre_unlock(void *lock, unsigned flags);
HOOK int __tsan_mutex_pre_unlock(void *lock, unsigned flags)
{
    const bool is_write = (flags & MUTEX_READ_LOCK) == 0;
    const bool is_whole = (flags & MUTEX_RECURSIVE_UNLOCK) != 0;
    const int times = is_write ? held_remove(lock, is_whole ? 0 : 1) : 1;
    unlocked(lock, is_write, times, PLACE);
    lock_code(true);
    return times;
}

HOOK void __tsan_mutex_post_unlock(void *lock, unsigned flags);
HOOK void __tsan_mutex_post_unlock(void *lock, unsigned flags)
{
    (void)lock;
    (void)flags;
    lock_code(false);
}

HOOK void __tsan_mutex_pre_signal(void *lock, unsigned flags);
HOOK void __tsan_mutex_pre_signal(void *lock, unsigned flags)
{
    (void)lock;
    (void)flags;
    lock_code(true);
}

HOOK void __tsan_mutex_post_signal(void *lock, unsigned flags);
HOOK void __tsan_mutex_post_signal(void *lock, unsigned flags)
{
    (void)lock;
    (void)flags;
    lock_code(false);
}

/* The lock's implementation calls back into the program (pre), and the call returns (post). */
HOOK void __tsan_mutex_pre_divert(void *lock, unsigned flags);
HOOK void __tsan_mutex_pre_divert(void *lock, unsigned flags)
{
    (void)lock;
    (void)flags;
    lock_code(false);
}

HOOK void __tsan_mutex_post_divert(void *lock, unsigned flags);
HOOK void __tsan_mutex_post_divert(void *lock, unsigned flags)
{
    (void)lock;
    (void)flags;
    lock_code(true);
}

HOOK void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock,
                                 long is_write);
HOOK void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock,
                                 long is_write)
{
    (void)file;
    (void)line;
    locked(lock, is_write != 0, 1, PLACE);
}

HOOK void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock,
                                 long is_write);
HOOK void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock,
                                 long is_write)
{
    (void)file;
    (void)line;
    unlocked(lock, is_write != 0, 1, PLACE);
}

/* ---- accesses that are harmless ---- */

#define IGNORE(name, what, change)              \
    HOOK void name(const char *file, int line); \
    HOOK void name(const char *file, int line)  \
    {                                           \
        (void)file;                             \
        (void)line;                             \
        if (clew_rt_ignore_##what != NULL) {    \
            clew_rt_ignore_##what(change);      \
        }                                       \
    }
IGNORE(AnnotateIgnoreReadsBegin, reads, 1)
IGNORE(AnnotateIgnoreReadsEnd, reads, -1)
IGNORE(AnnotateIgnoreWritesBegin, writes, 1)
IGNORE(AnnotateIgnoreWritesEnd, writes, -1)

static void allow(const volatile void *address, size_t size)
{
    if (clew_rt_benign != NULL) {
        clew_rt_benign(address, size);
    }
}

HOOK void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address,
                                  size_t size, const char *reason);
HOOK void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address,
                                  size_t size, const char *reason)
{
    (void)file;
    (void)line;
    (void)reason;
    allow(address, size);
}

HOOK void WTFAnnotateBenignRaceSized(const char *file, int line, const volatile void *address,
                                     size_t size, const char *reason);
HOOK void WTFAnnotateBenignRaceSized(const char *file, int line, const volatile void *address,
                                     size_t size, const char *reason)
{
    (void)file;
    (void)line;
    (void)reason;
    allow(address, size);
}

HOOK void AnnotateBenignRace(const char *file, int line, const volatile void *address,
                             const char *reason);
HOOK void AnnotateBenignRace(const char *file, int line, const volatile void *address,
                             const char *reason)
{
    (void)file;
    (void)line;
    (void)reason;
    allow(address, sizeof(void *));
}

HOOK void __tsan_external_read(void *address, void *caller, void *tag);
HOOK void __tsan_external_read(void *address, void *caller, void *tag)
{
    (void)caller;
    (void)tag;
    hook_read(address, 1, PLACE);
}

HOOK void __tsan_external_write(void *address, void *caller, void *tag);
HOOK void __tsan_external_write(void *address, void *caller, void *tag)
{
    (void)caller;
    (void)tag;
    hook_write(address, 1, PLACE);
}

/* ---- fibers ---- */

/* The address of a byte stands for a fiber. clew treats a fiber as a part of the thread that runs
 * it. If another thread takes the fiber over, its earlier events happen before its later ones. */
enum { FIBERS_MAX = 4096 };
static char fibers[FIBERS_MAX];
static unsigned fiber_count;
static __thread char thread_fiber; /* the initial fiber of a thread */
static __thread void *current_fiber;

HOOK void *__tsan_get_current_fiber(void);
HOOK void *__tsan_get_current_fiber(void)
{
    return current_fiber == NULL ? &thread_fiber : current_fiber;
}

HOOK void *__tsan_create_fiber(unsigned flags);
HOOK void *__tsan_create_fiber(unsigned flags)
{
    (void)flags;
    void *fiber = &fibers[__atomic_fetch_add(&fiber_count, 1, __ATOMIC_RELAXED) % FIBERS_MAX];
    annotate(EVENT_HAPPENS_BEFORE, 0, fiber, PLACE);
    return fiber;
}

HOOK void __tsan_destroy_fiber(void *fiber);
HOOK void __tsan_destroy_fiber(void *fiber)
{
    (void)fiber;
}

HOOK void __tsan_switch_to_fiber(void *fiber, unsigned flags);
HOOK void __tsan_switch_to_fiber(void *fiber, unsigned flags)
{
    (void)flags;
    annotate(EVENT_HAPPENS_BEFORE, 0, __tsan_get_current_fiber(), PLACE);
    current_fiber = fiber;
    annotate(EVENT_HAPPENS_AFTER, 0, fiber, PLACE);
}

HOOK void __tsan_set_fiber_name(void *fiber, const char *name);
HOOK void __tsan_set_fiber_name(void *fiber, const char *name)
{
    (void)fiber;
    (void)name;
}

/* ---- functions without a meaning for clew ---- */

HOOK void *__tsan_external_register_tag(const char *type);
HOOK void *__tsan_external_register_tag(const char *type)
{
    return (void *)(uintptr_t)type;
}

HOOK void __tsan_external_register_header(void *tag, const char *header);
HOOK void __tsan_external_register_header(void *tag, const char *header)
{
    (void)tag;
    (void)header;
}

HOOK void __tsan_external_assign_tag(void *address, void *tag);
HOOK void __tsan_external_assign_tag(void *address, void *tag)
{
    (void)address;
    (void)tag;
}

HOOK void __tsan_flush_memory(void);
HOOK void __tsan_flush_memory(void)
{
}

#define NOTHING(name)                           \
    HOOK void name(const char *file, int line); \
    HOOK void name(const char *file, int line)  \
    {                                           \
        (void)file;                             \
        (void)line;                             \
    }
NOTHING(AnnotateIgnoreSyncBegin)
NOTHING(AnnotateIgnoreSyncEnd)
NOTHING(AnnotateFlushState)
NOTHING(AnnotateFlushExpectedRaces)

#define NOTHING_OF(name)                                                     \
    HOOK void name(const char *file, int line, const volatile void *object); \
    HOOK void name(const char *file, int line, const volatile void *object)  \
    {                                                                        \
        (void)file;                                                          \
        (void)line;                                                          \
        (void)object;                                                        \
    }
NOTHING_OF(AnnotateRWLockCreate)
NOTHING_OF(AnnotateRWLockCreateStatic)
NOTHING_OF(AnnotateRWLockDestroy)
NOTHING_OF(AnnotateCondVarSignal)
NOTHING_OF(AnnotateCondVarSignalAll)
NOTHING_OF(AnnotateMutexIsNotPHB)
NOTHING_OF(AnnotateMutexIsUsedAsCondVar)
NOTHING_OF(AnnotateThreadName)
NOTHING_OF(AnnotateTraceMemory)
NOTHING_OF(AnnotatePCQCreate)
NOTHING_OF(AnnotatePCQDestroy)
NOTHING_OF(AnnotateNoOp)

HOOK void AnnotateCondVarWait(const char *file, int line, const volatile void *condition,
                              const volatile void *lock);
HOOK void AnnotateCondVarWait(const char *file, int line, const volatile void *condition,
                              const volatile void *lock)
{
    (void)file;
    (void)line;
    (void)condition;
    (void)lock;
}

#define NOTHING_OF_SIZE(name)                                                           \
    HOOK void name(const char *file, int line, const volatile void *address, size_t s); \
    HOOK void name(const char *file, int line, const volatile void *address, size_t s)  \
    {                                                                                   \
        (void)file;                                                                     \
        (void)line;                                                                     \
        (void)address;                                                                  \
        (void)s;                                                                        \
    }
NOTHING_OF_SIZE(AnnotateNewMemory)
NOTHING_OF_SIZE(AnnotatePublishMemoryRange)
NOTHING_OF_SIZE(AnnotateUnpublishMemoryRange)
NOTHING_OF_SIZE(AnnotateMemoryIsInitialized)
NOTHING_OF_SIZE(AnnotateMemoryIsUninitialized)

/* Each put into a queue happens before the get that returns its message. */
HOOK void AnnotatePCQPut(const char *file, int line, const volatile void *queue);
HOOK void AnnotatePCQPut(const char *file, int line, const volatile void *queue)
{
    (void)file;
    (void)line;
    annotate(EVENT_HAPPENS_BEFORE, 0, queue, PLACE);
}

HOOK void AnnotatePCQGet(const char *file, int line, const volatile void *queue);
HOOK void AnnotatePCQGet(const char *file, int line, const volatile void *queue)
{
    (void)file;
    (void)line;
    annotate(EVENT_HAPPENS_AFTER, 0, queue, PLACE);
}

HOOK void AnnotateExpectRace(const char *file, int line, const volatile void *address,
                             const char *reason);
HOOK void AnnotateExpectRace(const char *file, int line, const volatile void *address,
                             const char *reason)
{
    (void)file;
    (void)line;
    (void)reason;
    allow(address, 1);
}

HOOK void AnnotateEnableRaceDetection(const char *file, int line, int is_on);
HOOK void AnnotateEnableRaceDetection(const char *file, int line, int is_on)
{
    (void)file;
    (void)line;
    (void)is_on;
}

HOOK int RunningOnValgrind(void);
HOOK int RunningOnValgrind(void)
{
    return 0;
}

HOOK double ValgrindSlowdown(void);
HOOK double ValgrindSlowdown(void)
{
    return 10.0;
}
