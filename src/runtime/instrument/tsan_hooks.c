/* The functions that gcc and clang call in code compiled with -fsanitize=thread. They belong to
 * libclew_hooks.a, which `clew cc` links into programs and shared libraries; their symbols are
 * hidden there. For a plain access the hook reports, and the program's own instruction follows. An
 * atomic operation is executed by the hook itself, in one step with its record. */
#include <stdbool.h>

#include "runtime/instrument/instrument.h"

/* The recorder has functions of its own for accesses of 1, 2, 4 and 8 bytes. */
#define TELL(kind, bytes)                          \
    do {                                           \
        if (clew_rt_##kind##bytes != NULL) {       \
            clew_rt_##kind##bytes(address, PLACE); \
        }                                          \
    } while (0)
#define TELL_WIDE(kind, bytes) hook_##kind##_range(address, bytes, PLACE)

#define READ_HOOK(name, tell, bytes) \
    HOOK void name(void *address);   \
    HOOK void name(void *address)    \
    {                                \
        tell(read, bytes);           \
    }
#define WRITE_HOOK(name, tell, bytes) \
    HOOK void name(void *address);    \
    HOOK void name(void *address)     \
    {                                 \
        tell(write, bytes);           \
    }
#define BOTH_HOOK(name, tell, bytes) \
    HOOK void name(void *address);   \
    HOOK void name(void *address)    \
    {                                \
        tell(read, bytes);           \
        tell(write, bytes);          \
    }
#define ACCESS_HOOKS(tell, bytes)                                 \
    READ_HOOK(__tsan_read##bytes, tell, bytes)                    \
    WRITE_HOOK(__tsan_write##bytes, tell, bytes)                  \
    BOTH_HOOK(__tsan_read_write##bytes, tell, bytes)              \
    READ_HOOK(__tsan_unaligned_read##bytes, tell, bytes)          \
    WRITE_HOOK(__tsan_unaligned_write##bytes, tell, bytes)        \
    BOTH_HOOK(__tsan_unaligned_read_write##bytes, tell, bytes)    \
    READ_HOOK(__tsan_volatile_read##bytes, tell, bytes)           \
    WRITE_HOOK(__tsan_volatile_write##bytes, tell, bytes)         \
    READ_HOOK(__tsan_unaligned_volatile_read##bytes, tell, bytes) \
    WRITE_HOOK(__tsan_unaligned_volatile_write##bytes, tell, bytes)

ACCESS_HOOKS(TELL, 1)
ACCESS_HOOKS(TELL, 2)
ACCESS_HOOKS(TELL, 4)
ACCESS_HOOKS(TELL, 8)
ACCESS_HOOKS(TELL_WIDE, 16)

HOOK void __tsan_read_range(void *address, size_t size);
HOOK void __tsan_read_range(void *address, size_t size)
{
    hook_read_range(address, size, PLACE);
}

HOOK void __tsan_write_range(void *address, size_t size);
HOOK void __tsan_write_range(void *address, size_t size)
{
    hook_write_range(address, size, PLACE);
}

/* A C++ object's vtable pointer: a store of the same value is no write. */
HOOK void __tsan_vptr_update(void **table, void *fresh);
HOOK void __tsan_vptr_update(void **table, void *fresh)
{
    if (*table != fresh) {
        hook_write(table, sizeof *table, PLACE);
    }
}

HOOK void __tsan_vptr_read(void **table);
HOOK void __tsan_vptr_read(void **table)
{
    hook_read(table, sizeof *table, PLACE);
}

HOOK void __tsan_init(void);
HOOK void __tsan_init(void)
{
    if (clew_rt_told != NULL) {
        clew_rt_told((const void *)(uintptr_t)__tsan_init);
    }
}

#ifdef __x86_64__
#define FRAME __builtin_frame_address(0)
#else
#define FRAME NULL /* calls do not put the return address on the stack */
#endif

HOOK void __tsan_func_entry(void *caller);
HOOK void __tsan_func_entry(void *caller)
{
    if (clew_rt_enter_function != NULL) {
        clew_rt_enter_function(PLACE, caller, FRAME);
    }
}

HOOK void __tsan_func_exit(void);
HOOK void __tsan_func_exit(void)
{
    if (clew_rt_exit_function != NULL) {
        clew_rt_exit_function();
    }
}

/* The runtime of clang's -fsanitize=undefined calls this with each report. The runtime is linked
 * into the program, so interposition cannot replace it, but it lets the program define this. */
HOOK void __ubsan_on_report(void);
HOOK void __ubsan_on_report(void)
{
    if (clew_rt_undefined != NULL) {
        clew_rt_undefined();
    }
}

/* For code compiled with -fsanitize-coverage=trace-pc, an option that the user may add. */
HOOK void __sanitizer_cov_trace_pc(void);
HOOK void __sanitizer_cov_trace_pc(void)
{
    if (clew_rt_block != NULL) {
        clew_rt_block(PLACE);
    }
}

/* clang's trace-pc-guard, with or without pc-table. Each file of the module has a constructor that
 * passes the tables of the whole module. */
static struct {
    const uint32_t *guards;
    struct clew_rt_blocks blocks;
} module;

HOOK void __sanitizer_cov_trace_pc_guard_init(const uint32_t *begin, const uint32_t *end);
HOOK void __sanitizer_cov_trace_pc_guard_init(const uint32_t *begin, const uint32_t *end)
{
    (void)end;
    module.guards = begin;
}

HOOK void __sanitizer_cov_pcs_init(const void *const *begin, const void *const *end);
HOOK void __sanitizer_cov_pcs_init(const void *const *begin, const void *const *end)
{
    module.blocks.places = begin;
    module.blocks.count = (size_t)(end - begin) / 2;
    if (clew_rt_blocks != NULL) {
        clew_rt_blocks(&module.blocks);
    }
}

HOOK void __sanitizer_cov_trace_pc_guard(const uint32_t *guard);
HOOK void __sanitizer_cov_trace_pc_guard(const uint32_t *guard)
{
    if (clew_rt_block != NULL) {
        clew_rt_block(module.blocks.places == NULL
                          ? PLACE
                          : clew_rt_block_place(&module.blocks, (size_t)(guard - module.guards)));
    }
}

HOOK void __tsan_ignore_thread_begin(void);
HOOK void __tsan_ignore_thread_begin(void)
{
    hook_ignore(1);
}

HOOK void __tsan_ignore_thread_end(void);
HOOK void __tsan_ignore_thread_end(void)
{
    hook_ignore(-1);
}

/* The order is an argument, not a constant. The hook executes every operation sequentially
 * consistent, which is at least as strong as any order; the record has the requested one. */
#define ENTER(event, order)                                                                 \
    hook_enter((struct clew_rt_atomic){address, PLACE, 0, (uint32_t)sizeof *address, event, \
                                       hook_mode(order)})
#define LEAVE(event, order, result)                                        \
    hook_leave((struct clew_rt_atomic){address, PLACE, (uint64_t)(result), \
                                       (uint32_t)sizeof *address, event, hook_mode(order)})

#define ENTER_UPDATE(update, order)                                                  \
    hook_enter((struct clew_rt_atomic){address, PLACE, 0, (uint32_t)sizeof *address, \
                                       EVENT_ATOMIC_RMW, hook_mode(order) | (update)})
#define LEAVE_UPDATE(update, order, result)                                         \
    hook_leave((struct clew_rt_atomic){address, PLACE, (uint64_t)(result),          \
                                       (uint32_t)sizeof *address, EVENT_ATOMIC_RMW, \
                                       hook_mode(order) | (update)})

/* The mode of a read-modify-write includes its operation. Whether the program uses the result is
 * found later, in the machine code (place/value_use.h). */
#define FETCH_HOOK(bits, type, name, update, compute)                                      \
    HOOK type __tsan_atomic##bits##_##name(volatile type *address, type value, int order); \
    HOOK type __tsan_atomic##bits##_##name(volatile type *address, type value, int order)  \
    {                                                                                      \
        ENTER_UPDATE(update, order);                                                       \
        const type before = __atomic_##name(address, value, __ATOMIC_SEQ_CST);             \
        LEAVE_UPDATE(update, order, (type)(compute));                                      \
        return before;                                                                     \
    }

#define ATOMIC_HOOKS(bits, type)                                                                   \
    HOOK type __tsan_atomic##bits##_load(const volatile type *address, int order);                 \
    HOOK type __tsan_atomic##bits##_load(const volatile type *address, int order)                  \
    {                                                                                              \
        ENTER(EVENT_ATOMIC_LOAD, order);                                                           \
        const type value = __atomic_load_n(address, __ATOMIC_SEQ_CST);                             \
        LEAVE(EVENT_ATOMIC_LOAD, order, value);                                                    \
        return value;                                                                              \
    }                                                                                              \
    HOOK void __tsan_atomic##bits##_store(volatile type *address, type value, int order);          \
    HOOK void __tsan_atomic##bits##_store(volatile type *address, type value, int order)           \
    {                                                                                              \
        ENTER(EVENT_ATOMIC_STORE, order);                                                          \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
        LEAVE(EVENT_ATOMIC_STORE, order, value);                                                   \
    }                                                                                              \
    HOOK type __tsan_atomic##bits##_exchange(volatile type *address, type value, int order);       \
    HOOK type __tsan_atomic##bits##_exchange(volatile type *address, type value, int order)        \
    {                                                                                              \
        ENTER_UPDATE(UPDATE_SET, order);                                                           \
        const type before = __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                 \
        LEAVE_UPDATE(UPDATE_SET, order, value);                                                    \
        return before;                                                                             \
    }                                                                                              \
    FETCH_HOOK(bits, type, fetch_add, UPDATE_ADD, before + value)                                  \
    FETCH_HOOK(bits, type, fetch_sub, UPDATE_ADD, before - value)                                  \
    FETCH_HOOK(bits, type, fetch_and, UPDATE_AND, before &value)                                   \
    FETCH_HOOK(bits, type, fetch_or, UPDATE_OR, before | value)                                    \
    FETCH_HOOK(bits, type, fetch_xor, UPDATE_XOR, before ^ value)                                  \
    FETCH_HOOK(bits, type, fetch_nand, UPDATE_NONE, ~(before & value))                             \
    static bool exchange_if_##bits(volatile type *address, type *expected, type value,             \
                                   int orders[2], const void *place)                               \
    {                                                                                              \
        hook_enter((struct clew_rt_atomic){address, place, 0, (uint32_t)sizeof *address,           \
                                           EVENT_ATOMIC_RMW, hook_mode(orders[0])});               \
        const bool is_done = __atomic_compare_exchange_n(address, expected, value, false,          \
                                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
        hook_leave((struct clew_rt_atomic){                                                        \
            address, place, (uint64_t)(is_done ? value : *expected), (uint32_t)sizeof *address,    \
            is_done ? EVENT_ATOMIC_RMW : EVENT_ATOMIC_LOAD, hook_mode(orders[!is_done])});         \
        return is_done;                                                                            \
    }                                                                                              \
    HOOK int __tsan_atomic##bits##_compare_exchange_strong(volatile type *address, type *expected, \
                                                           type value, int order, int failure);    \
    HOOK int __tsan_atomic##bits##_compare_exchange_strong(volatile type *address, type *expected, \
                                                           type value, int order, int failure)     \
    {                                                                                              \
        return exchange_if_##bits(address, expected, value, (int[2]){order, failure}, PLACE);      \
    }                                                                                              \
    HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile type *address, type *expected,   \
                                                         type value, int order, int failure);      \
    HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile type *address, type *expected,   \
                                                         type value, int order, int failure)       \
    {                                                                                              \
        return exchange_if_##bits(address, expected, value, (int[2]){order, failure}, PLACE);      \
    }                                                                                              \
    HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected,    \
                                                         type value, int order, int failure);      \
    HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected,    \
                                                         type value, int order, int failure)       \
    {                                                                                              \
        (void)exchange_if_##bits(address, &expected, value, (int[2]){order, failure}, PLACE);      \
        return expected;                                                                           \
    }

ATOMIC_HOOKS(8, uint8_t)
ATOMIC_HOOKS(16, uint16_t)
ATOMIC_HOOKS(32, uint32_t)
ATOMIC_HOOKS(64, uint64_t)

HOOK void __tsan_atomic_thread_fence(int order);
HOOK void __tsan_atomic_thread_fence(int order)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (clew_rt_fence != NULL) {
        clew_rt_fence(hook_mode(order));
    }
}

HOOK void __tsan_atomic_signal_fence(int order);
HOOK void __tsan_atomic_signal_fence(__attribute__((unused)) int order)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
