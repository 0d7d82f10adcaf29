/* C++'s operators new and delete for simulated systems: memory of the calling node. */
#include <stddef.h>

#include "runtime/sim/sim_calls.h"

enum { ALIGNMENT = 16 };

/* A failed new would have to throw std::bad_alloc. A simulated node ends instead: none of them
 * handles that it is out of memory. */
static void *take(size_t size, size_t alignment)
{
    void *block = sim_calls()->take(size, alignment);
    if (block == NULL) {
        __builtin_trap();
    }
    return block;
}

static void give(void *block)
{
    if (block != NULL) {
        sim_calls()->give(block);
    }
}

/* Each operator by its mangled name, as the Itanium C++ ABI spells it: m is size_t, St11align_val_t
 * an alignment, RKSt9nothrow_t a reference to nothrow. */
#define NEW(name)                     \
    SIM_LIBC void *name(size_t size); \
    SIM_LIBC void *name(size_t size)  \
    {                                 \
        return take(size, ALIGNMENT); \
    }
#define NEW_NOTHROW(name)                               \
    SIM_LIBC void *name(size_t size, const void *flag); \
    SIM_LIBC void *name(size_t size, const void *flag)  \
    {                                                   \
        (void)flag;                                     \
        return sim_calls()->take(size, ALIGNMENT);      \
    }
#define NEW_ALIGNED(name)                               \
    SIM_LIBC void *name(size_t size, size_t alignment); \
    SIM_LIBC void *name(size_t size, size_t alignment)  \
    {                                                   \
        return take(size, alignment);                   \
    }
#define DELETE(name)                 \
    SIM_LIBC void name(void *block); \
    SIM_LIBC void name(void *block)  \
    {                                \
        give(block);                 \
    }
/* Variants with a size, an alignment or a flag, which the simulator does not need. */
#define DELETE_WITH(name)                               \
    SIM_LIBC void name(void *block, uintptr_t ignored); \
    SIM_LIBC void name(void *block, uintptr_t ignored)  \
    {                                                   \
        (void)ignored;                                  \
        give(block);                                    \
    }
#define DELETE_WITH_TWO(name)                                              \
    SIM_LIBC void name(void *block, uintptr_t ignored, uintptr_t as_well); \
    SIM_LIBC void name(void *block, uintptr_t ignored, uintptr_t as_well)  \
    {                                                                      \
        (void)ignored;                                                     \
        (void)as_well;                                                     \
        give(block);                                                       \
    }

NEW(_Znwm)
NEW(_Znam)
NEW_NOTHROW(_ZnwmRKSt9nothrow_t)
NEW_NOTHROW(_ZnamRKSt9nothrow_t)
NEW_ALIGNED(_ZnwmSt11align_val_t)
NEW_ALIGNED(_ZnamSt11align_val_t)
DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE_WITH(_ZdlPvm)
DELETE_WITH(_ZdaPvm)
DELETE_WITH(_ZdlPvRKSt9nothrow_t)
DELETE_WITH(_ZdaPvRKSt9nothrow_t)
DELETE_WITH(_ZdlPvSt11align_val_t)
DELETE_WITH(_ZdaPvSt11align_val_t)
DELETE_WITH_TWO(_ZdlPvmSt11align_val_t)
DELETE_WITH_TWO(_ZdaPvmSt11align_val_t)
