#define ENTRY __attribute__((visibility("default")))

#include "runtime/record/log/call_paths.h"

#include <errno.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/instrument/runtime_entry.h"
#include "runtime/record/hooks/message_handler.h"
#include "runtime/record/log/append.h"
#include "runtime/record/log/recording_files.h"
#include "runtime/shared/frames.h"
#include "runtime/shared/real.h"
#include "wire/must.h"

enum {
    DEPTH_MAX = 512,
    PROBES_MAX = 16,
    TABLE_SIZE = CALLS_COUNT * sizeof(uint64_t),
    ORIGINS_SIZE = ORIGINS_COUNT * sizeof(uint64_t),
    ORIGINS_SURE = 4, /* calls that every list has while the table has space */
};

static _Atomic uint64_t *table; /* NULL: no stacks are kept */
static bool wants_stacks;
static bool is_followed;

/* The table of lists of calls; made when the first is needed. */
static _Atomic(_Atomic uint64_t *) origins;
static _Atomic uint32_t origins_state; /* 0 not made, 1 being made, 2 made, or cannot be */
static _Atomic uint32_t origin_count;
static __thread struct frames frames;

/* The outermost functions that the task is in: of the first its place, of the others where they are
 * called. */
static __thread struct {
    uint32_t last;  /* the innermost level that is kept */
    uint32_t known; /* the collector has this many levels, and they have not changed since */
    bool is_lost;   /* the task has jumped out of functions */
    uintptr_t at[CALLS_LEVELS];
} outer;

/* Level 0 is a thread's start routine or main, and one more level says where it is. A routine that
 * a library calls, as libstdc++ does, may be a wrapper around the one that the program wrote. */
enum { OUTER_OF_ROUTINE = 1, OUTER_OF_LIBRARY = 8, ROUTINE_BEGIN_MAX = 256 };

_Static_assert((int)OUTER_OF_LIBRARY < (int)CALLS_LEVELS, "`outer` has a place for each level");
_Static_assert(CALLS_LEVELS <= 30, "`moved` has a bit for each level");
_Static_assert(CALLS_BITS <= 16, "`own.before` holds a path");
_Static_assert((int)CALLS_LEVELS <= (int)FRAMES_COUNT, "the ring has all levels of a record");

/* Set in task->moved besides levels. */
#define MOVED_LOST (UINT32_C(1) << 31)

/* The paths that the functions the task is in were entered on; beyond the last only counted. */
static __thread struct {
    uint32_t depth;
    bool has_jumped; /* out of functions: `depth` counts from where it came out */
    uint16_t before[DEPTH_MAX];
} own;

void calls_start(bool stacks, bool has_handlers)
{
    wants_stacks = stacks;
    table = stacks ? folder_make_table(CALLS_SUFFIX, TABLE_SIZE) : NULL;
    is_followed = table != NULL || has_handlers;
}

/* The numbers of the task's paths belong to the parent; the child numbers its own. */
void calls_forked(void)
{
    own.depth = 0;
    rt_self.calls = 0;
    rt_self.moved = outer.is_lost ? MOVED_LOST : 1;
    outer.known = 0;
    if (table != NULL) {
        (void)syscall(SYS_munmap, table, (long)TABLE_SIZE);
        table = folder_make_table(CALLS_SUFFIX, TABLE_SIZE);
    }
    if (atomic_load(&origins) != NULL) {
        (void)syscall(SYS_munmap, atomic_load(&origins), (long)ORIGINS_SIZE);
    }
    atomic_store(&origins, NULL);
    atomic_store(&origins_state, 0);
    atomic_store(&origin_count, 0);
}

/* The number of the path that a call at this place makes of path `parent`; 0 when there are too
 * many. A function that calls itself stays on its path. */
static uint64_t path_of(uint64_t parent, uintptr_t call)
{
    const uint64_t entry = calls_entry(parent, call);
    if (parent != 0 &&
        calls_place_of(atomic_load_explicit(&table[parent], memory_order_relaxed)) == call) {
        return parent;
    }
    const uint64_t first = entry * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CALLS_BITS);
    for (uint64_t i = 0; i < PROBES_MAX; i++) {
        const uint64_t at = (first + i) % CALLS_COUNT;
        uint64_t known = atomic_load_explicit(&table[at], memory_order_relaxed);
        if (known == entry) {
            return at;
        }
        if (known == 0 && at != 0 &&
            (atomic_compare_exchange_strong(&table[at], &known, entry) || known == entry)) {
            return at;
        }
    }
    return 0;
}

/* NULL where there is none, or another thread is just making it. */
static _Atomic uint64_t *origins_table(void)
{
    uint32_t before = 0;
    if (atomic_load_explicit(&origins_state, memory_order_relaxed) == 0 &&
        atomic_compare_exchange_strong(&origins_state, &before, 1)) {
        const int saved = errno;
        atomic_store(&origins, folder_make_table(ORIGINS_SUFFIX, ORIGINS_SIZE));
        atomic_store(&origins_state, 2);
        errno = saved;
    }
    return atomic_load_explicit(&origins, memory_order_acquire);
}

/* The number of the list that a call further out makes of list `inner`; 0 if the table is full.
 * Calls near the allocation get entries before those further out. */
static uint64_t list_of(_Atomic uint64_t *lists, uint64_t inner, uintptr_t call, bool is_sure)
{
    const uint64_t entry = origin_entry(inner, call);
    const uint64_t first = entry * UINT64_C(0x9e3779b97f4a7c15) >> (64 - ORIGINS_BITS);
    const bool has_room = atomic_load_explicit(&origin_count, memory_order_relaxed) <
                          (is_sure ? ORIGINS_COUNT / 4 * 3 : ORIGINS_COUNT / 2);
    for (uint64_t i = 0; i < PROBES_MAX; i++) {
        const uint64_t at = (first + i) % ORIGINS_COUNT;
        uint64_t known = atomic_load_explicit(&lists[at], memory_order_relaxed);
        if (known == 0 && at != 0 && has_room &&
            atomic_compare_exchange_strong(&lists[at], &known, entry)) {
            atomic_fetch_add_explicit(&origin_count, 1, memory_order_relaxed);
            return at;
        }
        if (known == entry) {
            return at;
        }
    }
    return 0;
}

bool calls_has_paths(void)
{
    return table != NULL;
}

uint64_t calls_origin(const void *place, uint32_t most)
{
    uintptr_t calls[FRAMES_LISTED];
    const uint32_t known = frames_list(&frames, (uintptr_t)place, calls);
    const uint32_t count = known < most ? known : most;
    _Atomic uint64_t *lists = count == 0 ? NULL : origins_table();
    uint64_t list = 0;
    for (uint32_t i = 0; lists != NULL && i < count; i++) {
        const uint64_t longer =
            calls[i] >> ADDRESS_BITS == 0 ? list_of(lists, list, calls[i], i < ORIGINS_SURE) : 0;
        if (longer == 0) {
            break;
        }
        list = longer;
    }
    return origin_entry(list, (uintptr_t)place);
}

const void *calls_of_program(const void *place)
{
    return (const void *)(frames_call(&frames, (uintptr_t)place) | rt_self.calls);
}

/* The first function of a task: its caller does not matter. */
static void enter(uintptr_t caller)
{
    const uint64_t parent = rt_self.calls >> ADDRESS_BITS;
    if (own.depth < DEPTH_MAX) {
        own.before[own.depth] = (uint16_t)parent;
    }
    if ((own.depth > 0 || own.has_jumped) && caller >> ADDRESS_BITS == 0) {
        rt_self.calls = path_of(parent, caller) << ADDRESS_BITS;
    }
    own.depth++;
}

static void leave(void)
{
    if (own.depth == 0) {
        return; /* entered before the calls were followed, or before a jump */
    }
    own.depth--;
    if (own.depth < DEPTH_MAX) {
        rt_self.calls = (uint64_t)own.before[own.depth] << ADDRESS_BITS;
    }
}

__attribute__((noinline)) static void outer_enter(uint32_t level, uintptr_t place, uintptr_t caller)
{
    if (outer.is_lost) {
        return;
    }
    if (level == 0) {
        const bool is_routine =
            rt_self.start == 0 || place - rt_self.start < (uintptr_t)ROUTINE_BEGIN_MAX;
        outer.last = is_routine ? OUTER_OF_ROUTINE : OUTER_OF_LIBRARY;
    }
    must(level < CALLS_LEVELS);
    outer.at[level] = level == 0 ? place : caller;
    rt_self.moved |= UINT32_C(1) << level;
}

static void record_level(struct rt_task *task, uint32_t level, uintptr_t place)
{
    if (level > 0 && level <= SITE_FIRST && place >> ADDRESS_BITS == 0) {
        append_access(task, access_word(level - 1, place));
        return;
    }
    const struct record record = {.kind = RECORD_CALL, .object = level, .place = place};
    (void)append_record(task, &record, (struct tail){0}, false);
}

/* Records the calls at the levels that are kept, from the outermost one that has changed. */
static void record_outer(struct rt_task *task, uint32_t level)
{
    const uint32_t depth = frames.depth;
    if (depth <= level) {
        record_level(task, depth, 0);
    }
    for (; level < depth && level <= outer.last; level++) {
        record_level(task, level, outer.at[level]);
    }
}

/* Records the inner calls that the collector does not know yet. Nothing for a task whose stack is,
 * or was, too deep. */
static void record_inner(struct rt_task *task)
{
    const uint32_t depth = frames.depth;
    uint32_t level = outer.known > outer.last ? outer.known : outer.last + 1;
    if (depth == 0 || depth >= CALLS_LEVELS || level < frames.low) {
        return;
    }
    if (level >= depth) {
        record_level(task, depth, 0);
    }
    for (; level < depth; level++) {
        record_level(task, level, frames.at[level % FRAMES_COUNT].caller);
    }
    outer.known = depth;
}

/* A signal handler that interrupts this records its own calls, and sets `moved` again. */
void calls_record(struct rt_task *task)
{
    const uint32_t moved = task->moved;
    task->moved = 0;
    atomic_signal_fence(memory_order_seq_cst);
    if ((moved & MOVED_LOST) != 0) {
        record_level(task, CALLS_LOST, 0);
        return;
    }
    if ((moved & ~RT_MOVED_SECTION) != 0) {
        record_outer(task, (uint32_t)__builtin_ctz(moved));
    }
    if ((moved & RT_MOVED_SECTION) != 0 && !outer.is_lost) {
        record_inner(task);
    }
}

void clew_rt_enter_function(const void *place, const void *caller, const void *hook)
{
    if (__builtin_expect(frames.depth <= outer.last, 0)) {
        outer_enter(frames.depth, (uintptr_t)place, (uintptr_t)caller);
    }
    frames_enter(&frames,
                 (struct frames_entry){(uintptr_t)place, (uintptr_t)caller, (uintptr_t)hook});
    if (__builtin_expect(!is_followed, 1)) {
        return;
    }
    if (table != NULL) {
        enter((uintptr_t)caller);
    }
    handler_enter(place);
}

void clew_rt_exit_function(void)
{
    frames_leave(&frames);
    outer.known = frames.depth < outer.known ? frames.depth : outer.known;
    if (__builtin_expect(frames.depth <= outer.last, 0) && !outer.is_lost) {
        rt_self.moved |= UINT32_C(1) << frames.depth;
    }
    if (__builtin_expect(!is_followed, 1)) {
        return;
    }
    if (table != NULL) {
        leave();
    }
    handler_leave();
}

/* A jump leaves functions without telling which: from here on, calls are known from the next one
 * on. */
static void forget(void)
{
    frames_forget(&frames);
    outer.is_lost = true;
    rt_self.moved = MOVED_LOST;
    if (wants_stacks) {
        own.depth = 0;
        own.has_jumped = true;
        rt_self.calls = 0;
    }
}

RT_EXPORT _Noreturn void longjmp(jmp_buf target, int value)
{
    forget();
    REAL(longjmp)(target, value);
    __builtin_unreachable();
}

RT_EXPORT _Noreturn void _longjmp(jmp_buf target, int value)
{
    forget();
    REAL(_longjmp)(target, value);
    __builtin_unreachable();
}

RT_EXPORT _Noreturn void siglongjmp(sigjmp_buf target, int value)
{
    forget();
    REAL(siglongjmp)(target, value);
    __builtin_unreachable();
}

/* The variants that programs built with _FORTIFY_SOURCE call. */
RT_EXPORT _Noreturn void __longjmp_chk(sigjmp_buf target, int value);
RT_EXPORT _Noreturn void __longjmp_chk(sigjmp_buf target, int value)
{
    forget();
    REAL(__longjmp_chk)(target, value);
    __builtin_unreachable();
}
