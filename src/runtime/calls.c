#define ENTRY __attribute__((visibility("default")))

#include "runtime/calls.h"

#include <setjmp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/entry.h"
#include "runtime/folder.h"
#include "runtime/handler.h"
#include "runtime/real.h"

enum {
    DEPTH_MAX = 512,
    PROBES_MAX = 16,
    TABLE_SIZE = CALLS_COUNT * sizeof(uint64_t),
};

static _Atomic uint64_t *table; /* NULL: no stacks are kept */
static bool wants_stacks;
static bool is_followed;

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

/* The numbers of the paths the task is on are the parent's; it begins anew. */
void calls_forked(void)
{
    own.depth = 0;
    rt_self.calls = 0;
    if (table != NULL) {
        (void)syscall(SYS_munmap, table, (long)TABLE_SIZE);
        table = folder_make_table(CALLS_SUFFIX, TABLE_SIZE);
    }
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

/* The first function of a task is called by nobody of interest. */
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

void clew_rt_enter_function(const void *place, const void *caller)
{
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

/* What they become in programs built with _FORTIFY_SOURCE. */
RT_EXPORT _Noreturn void __longjmp_chk(sigjmp_buf target, int value);
RT_EXPORT _Noreturn void __longjmp_chk(sigjmp_buf target, int value)
{
    forget();
    REAL(__longjmp_chk)(target, value);
    __builtin_unreachable();
}
