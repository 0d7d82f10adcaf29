/* Wrappers of the functions that C++ calls around the one-time initialization of a static local
 * variable (Itanium C++ ABI, 3.3.3). Instrumented code loads the first byte of the variable's guard
 * with acquire; libstdc++, which is not instrumented, stores it. The wrappers report that store as
 * a release. `clew cc` links with --wrap for each of them. */
#include "runtime/instrument/instrument.h"

extern int __real___cxa_guard_acquire(unsigned char *guard);
extern void __real___cxa_guard_release(unsigned char *guard);
extern void __real___cxa_guard_abort(unsigned char *guard);

static struct clew_rt_atomic step(const unsigned char *guard, enum event_kind kind,
                                  const void *place)
{
    return (struct clew_rt_atomic){
        guard,         place,         0,
        sizeof *guard, (uint8_t)kind, kind == EVENT_ATOMIC_LOAD ? MEMORY_ACQUIRE : MEMORY_RELEASE};
}

static void leave(struct clew_rt_atomic operation, const unsigned char *guard)
{
    operation.value = __atomic_load_n(guard, __ATOMIC_RELAXED);
    hook_leave(operation);
}

/* The result is nonzero for the thread that has to initialize the variable. That thread, and each
 * that waited for the initialization, acquires the guard: earlier attempts and the initialization
 * happen before its return. */
HOOK int __wrap___cxa_guard_acquire(unsigned char *guard);
HOOK int __wrap___cxa_guard_acquire(unsigned char *guard)
{
    const int is_to_be_made = __real___cxa_guard_acquire(guard);
    const struct clew_rt_atomic load = step(guard, EVENT_ATOMIC_LOAD, PLACE);
    hook_enter(load);
    leave(load, guard);
    return is_to_be_made;
}

HOOK void __wrap___cxa_guard_release(unsigned char *guard);
HOOK void __wrap___cxa_guard_release(unsigned char *guard)
{
    const struct clew_rt_atomic store = step(guard, EVENT_ATOMIC_STORE, PLACE);
    hook_enter(store);
    __real___cxa_guard_release(guard);
    leave(store, guard);
}

/* The initialization ended with an exception; another thread may try again. */
HOOK void __wrap___cxa_guard_abort(unsigned char *guard);
HOOK void __wrap___cxa_guard_abort(unsigned char *guard)
{
    const struct clew_rt_atomic store = step(guard, EVENT_ATOMIC_STORE, PLACE);
    hook_enter(store);
    __real___cxa_guard_abort(guard);
    leave(store, guard);
}
