/* Atomic operations: done and stamped as one step, under a lock chosen by the object's address, so
 * that the trace tells which store a load really saw. */
#include <stdatomic.h>

#define ENTRY __attribute__((visibility("default")))
#include "runtime/access.h"
#include "runtime/entry.h"
#include "runtime/rt.h"

enum { LOCKS_MAX = 1024, SPINS_MAX = 1000 };

static struct {
    _Alignas(64) atomic_flag is_held;
} locks[LOCKS_MAX];

static atomic_flag *lock_of(const volatile void *address)
{
    const uint64_t mixed = ((uintptr_t)address >> 3) * 0x9e3779b97f4a7c15u;
    return &locks[mixed >> 54].is_held;
}

void clew_rt_atomic_enter(const volatile void *address)
{
    atomic_flag *lock = lock_of(address);
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire)) {
        rt_pause();
    }
}

void clew_rt_atomic_leave(const struct clew_rt_atomic *operation)
{
    if (rt_self.ignore == 0) {
        (void)rt_record((struct rt_event){.kind = operation->kind,
                                          .mode = operation->mode,
                                          .has_size = true,
                                          .size = operation->size,
                                          .has_value = true,
                                          .value = (int64_t)operation->value,
                                          .object = operation->address,
                                          .place = operation->place});
    }
    atomic_flag_clear_explicit(lock_of(operation->address), memory_order_release);
}

void clew_rt_read(const void *address, size_t size, const void *place)
{
    access_note(address, size, false, place);
}

void clew_rt_write(const void *address, size_t size, const void *place)
{
    access_note(address, size, true, place);
}
