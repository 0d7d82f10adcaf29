/* The place in the program of a call that reached a hook through a wrapper
 * (runtime/instrument/wrap.h). The hook's return address lies in the wrapper. The wrapper keeps a
 * frame pointer, and its own return address lies above its frame.
 *
 *     program --> __wrap_poll --> poll of the runtime
 *     ^ wrapper_caller()          ^ __builtin_return_address(0) is in __wrap_poll */
#ifndef CLEW_RUNTIME_SHARED_WRAPPER_CALLER_H
#define CLEW_RUNTIME_SHARED_WRAPPER_CALLER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { WRAPPER_MODULES_MAX = 64 }; /* calls from further modules have the wrapper as place */

/* The wrappers of each module that `clew cc` has linked. */
struct wrapper_code {
    _Atomic uintptr_t begin, end;
};
extern struct wrapper_code wrapper_code[WRAPPER_MODULES_MAX];
extern _Atomic uint32_t wrapper_modules;

/* The caller of a function with this return address and frame. */
static inline const void *wrapper_caller(const void *place, const void *frame)
{
    const uint32_t modules = atomic_load_explicit(&wrapper_modules, memory_order_acquire);
    for (uint32_t i = 0; i < modules && i < WRAPPER_MODULES_MAX; i++) {
        const struct wrapper_code *code = &wrapper_code[i];
        if ((uintptr_t)place - atomic_load_explicit(&code->begin, memory_order_relaxed) <
            atomic_load_explicit(&code->end, memory_order_relaxed) -
                atomic_load_explicit(&code->begin, memory_order_relaxed)) {
            const void *const *wrapper = *(const void *const *const *)frame;
            return wrapper[1];
        }
    }
    return place;
}

#define WRAPPER_CALLER wrapper_caller(__builtin_return_address(0), __builtin_frame_address(0))

#endif
