/* What the hooks in libclew_hooks.a share: how they reach the recorder, if there is one. */
#ifndef CLEW_RUNTIME_INSTRUMENT_INSTRUMENT_H
#define CLEW_RUNTIME_INSTRUMENT_INSTRUMENT_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/instrument/runtime_entry.h"
#include "wire/kind.h"

#define HOOK __attribute__((used, visibility("hidden")))
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

/* A range that the program's own instructions load, or store, behind the hook. */
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

/* Plain accesses of the calling task, from here on. */
static inline void hook_ignore(int change)
{
    if (clew_rt_ignore_reads != NULL) {
        clew_rt_ignore_reads(change);
    }
    if (clew_rt_ignore_writes != NULL) {
        clew_rt_ignore_writes(change);
    }
}

/* The compilers number memory orders as __ATOMIC_* do; ours begin one later. */
static inline uint8_t hook_mode(int order)
{
    return order >= 0 && order <= __ATOMIC_SEQ_CST ? (uint8_t)(MEMORY_RELAXED + order)
                                                   : MEMORY_SEQ_CST;
}

/* What is about to be done is told first: under control, others may go before it. */
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
