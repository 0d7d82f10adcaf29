/* Calls from the hooks of libclew_hooks.a into the recorder or control, if the process has one. */
#ifndef CLEW_RUNTIME_INSTRUMENT_INSTRUMENT_H
#define CLEW_RUNTIME_INSTRUMENT_INSTRUMENT_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/instrument/runtime_entry.h"
#include "wire/kind.h"

/* A local symbol in each object of libclew_hooks.a: its static functions are known by it. */
__asm__(".set clew_instrumentation_object, 1");

/* Hooks have a section of their own, by which place/uninstrumented.c tells them from functions of
 * the program. */
#define HOOK __attribute__((used, visibility("hidden"), section("clew_hooks")))
#define PLACE __builtin_return_address(0)

static inline void hook_read(const void *address, size_t size, const void *place)
{
    if (clew_rt_read != NULL) {
        clew_rt_read(address, size, place);
    }
}

static inline void hook_write(const void *address, size_t size, const void *place)
{
    if (clew_rt_write != NULL) {
        clew_rt_write(address, size, place);
    }
}

/* A range that the program's own instructions load, or store, after the hook has returned. */
static inline void hook_read_range(const void *address, size_t size, const void *place)
{
    if (clew_rt_read_range != NULL) {
        clew_rt_read_range(address, size, place);
    } else {
        hook_read(address, size, place);
    }
}

static inline void hook_write_range(const void *address, size_t size, const void *place)
{
    if (clew_rt_write_range != NULL) {
        clew_rt_write_range(address, size, place);
    } else {
        hook_write(address, size, place);
    }
}

/* Plain accesses of the calling task are ignored from here on (1), or no longer (-1). Calls nest.
 */
static inline void hook_ignore(int change)
{
    if (clew_rt_ignore_reads != NULL) {
        clew_rt_ignore_reads(change);
    }
    if (clew_rt_ignore_writes != NULL) {
        clew_rt_ignore_writes(change);
    }
}

_Static_assert(MEMORY_RELAXED + __ATOMIC_RELAXED == MEMORY_RELAXED, "orders begin at 0");
_Static_assert(MEMORY_RELAXED + __ATOMIC_ACQUIRE == MEMORY_ACQUIRE, "in the compilers' order");
_Static_assert(MEMORY_RELAXED + __ATOMIC_RELEASE == MEMORY_RELEASE, "in the compilers' order");
_Static_assert(MEMORY_RELAXED + __ATOMIC_ACQ_REL == MEMORY_ACQ_REL, "in the compilers' order");
_Static_assert(MEMORY_RELAXED + __ATOMIC_SEQ_CST == MEMORY_SEQ_CST, "in the compilers' order");
_Static_assert((int)MEMORY_SEQ_CST < (int)UPDATE_ADD, "an order and an update share a mode");

/* The mode of a compiler's memory order. The compilers number orders as __ATOMIC_* does, from 0;
 * event modes begin at MEMORY_RELAXED. */
static inline uint8_t hook_mode(int order)
{
    return order >= 0 && order <= __ATOMIC_SEQ_CST ? (uint8_t)(MEMORY_RELAXED + order)
                                                   : MEMORY_SEQ_CST;
}

/* Reports the operation before it executes: under control this is a scheduling point. */
static inline void hook_enter(struct clew_rt_atomic operation)
{
    const volatile void *address = operation.address;
    if (clew_rt_atomic_point != NULL) {
        clew_rt_atomic_point(&operation);
    }
    if (clew_rt_atomic_enter != NULL) {
        clew_rt_atomic_enter(address);
    }
}

static inline void hook_leave(struct clew_rt_atomic operation)
{
    if (clew_rt_atomic_leave != NULL) {
        clew_rt_atomic_leave(&operation);
    }
}

#endif
