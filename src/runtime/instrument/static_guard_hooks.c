/* What C++ calls around the making of a variable that is static in a function, which happens once.
 * The compiler looks at the first byte of the variable's guard by itself, as an atomic load; the
 * library that sets it tells nobody. `clew cc` links with --wrap for each of these. */
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

/* Whoever is to make it, and whoever waited until it was made, comes behind who tried before. */
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

/* An exception came instead. */
HOOK void __wrap___cxa_guard_abort(unsigned char *guard);
HOOK void __wrap___cxa_guard_abort(unsigned char *guard)
{
    const struct clew_rt_atomic store = step(guard, EVENT_ATOMIC_STORE, PLACE);
    hook_enter(store);
    __real___cxa_guard_abort(guard);
    leave(store, guard);
}
