/* Hooks of atomic operations on 16 bytes. All are made of the processor's compare-and-exchange. */
#include <stdbool.h>

#include "runtime/instrument/instrument.h"

#ifdef __x86_64__

typedef unsigned __int128 wide;
_Static_assert(sizeof(wide) == 16, "one cmpxchg16b");

static wide exchange_if(volatile wide *address, wide expected, wide value)
{
    return __sync_val_compare_and_swap(address, expected, value);
}

static void enter(volatile wide *address, int event, const void *place)
{
    hook_enter(
        (struct clew_rt_atomic){address, place, 0, sizeof(wide), (uint8_t)event, MEMORY_SEQ_CST});
}

/* The recorded value is the lower half: events have no room for more. */
static void tell(volatile wide *address, wide value, const int words[2], const void *place)
{
    hook_leave((struct clew_rt_atomic){address, place, (uint64_t)value, sizeof(wide),
                                       (uint8_t)words[0], hook_mode(words[1])});
}

HOOK wide __tsan_atomic128_load(const volatile wide *address, int order);
HOOK wide __tsan_atomic128_load(const volatile wide *address, int order)
{
    volatile wide *at = (volatile wide *)(uintptr_t)address;
    enter(at, EVENT_ATOMIC_LOAD, PLACE);
    const wide value = exchange_if(at, 0, 0);
    tell(at, value, (int[2]){EVENT_ATOMIC_LOAD, order}, PLACE);
    return value;
}

/* A read-modify-write: computes the new value and tries the exchange until no other thread has
 * changed the variable in between. */
#define UPDATE_HOOK(name, event, compute)                                             \
    HOOK wide __tsan_atomic128_##name(volatile wide *address, wide value, int order); \
    HOOK wide __tsan_atomic128_##name(volatile wide *address, wide value, int order)  \
    {                                                                                 \
        enter(address, event, PLACE);                                                 \
        wide before = *address;                                                       \
        for (wide seen; (seen = exchange_if(address, before, compute)) != before;) {  \
            before = seen;                                                            \
        }                                                                             \
        tell(address, compute, (int[2]){event, order}, PLACE);                        \
        return before;                                                                \
    }

UPDATE_HOOK(exchange, EVENT_ATOMIC_RMW, value)
UPDATE_HOOK(fetch_add, EVENT_ATOMIC_RMW, before + value)
UPDATE_HOOK(fetch_sub, EVENT_ATOMIC_RMW, before - value)
UPDATE_HOOK(fetch_and, EVENT_ATOMIC_RMW, before &value)
UPDATE_HOOK(fetch_or, EVENT_ATOMIC_RMW, before | value)
UPDATE_HOOK(fetch_xor, EVENT_ATOMIC_RMW, before ^ value)
UPDATE_HOOK(fetch_nand, EVENT_ATOMIC_RMW, ~(before &value))

HOOK void __tsan_atomic128_store(volatile wide *address, wide value, int order);
HOOK void __tsan_atomic128_store(volatile wide *address, wide value, int order)
{
    enter(address, EVENT_ATOMIC_STORE, PLACE);
    wide before = *address;
    for (wide seen; (seen = exchange_if(address, before, value)) != before;) {
        before = seen;
    }
    tell(address, value, (int[2]){EVENT_ATOMIC_STORE, order}, PLACE);
}

static wide compare_exchange(volatile wide *address, wide expected, wide value, const int orders[2],
                             const void *place)
{
    enter(address, EVENT_ATOMIC_RMW, place);
    const wide before = exchange_if(address, expected, value);
    const bool is_done = before == expected;
    tell(address, is_done ? value : before,
         (int[2]){is_done ? EVENT_ATOMIC_RMW : EVENT_ATOMIC_LOAD, orders[!is_done]}, place);
    return before;
}

#define EXCHANGE_HOOK(name)                                                                    \
    HOOK int __tsan_atomic128_##name(volatile wide *address, wide *expected, wide value,       \
                                     int order, int failure);                                  \
    HOOK int __tsan_atomic128_##name(volatile wide *address, wide *expected, wide value,       \
                                     int order, int failure)                                   \
    {                                                                                          \
        const wide wanted = *expected;                                                         \
        *expected = compare_exchange(address, wanted, value, (int[2]){order, failure}, PLACE); \
        return *expected == wanted;                                                            \
    }

EXCHANGE_HOOK(compare_exchange_strong)
EXCHANGE_HOOK(compare_exchange_weak)

HOOK wide __tsan_atomic128_compare_exchange_val(volatile wide *address, wide expected, wide value,
                                                int order, int failure);
HOOK wide __tsan_atomic128_compare_exchange_val(volatile wide *address, wide expected, wide value,
                                                int order, int failure)
{
    return compare_exchange(address, expected, value, (int[2]){order, failure}, PLACE);
}

#endif
