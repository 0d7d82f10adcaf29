#include "runtime/shared/wrapper_caller.h"

#define ENTRY __attribute__((visibility("default")))
#include "runtime/instrument/runtime_entry.h"

struct wrapper_code wrapper_code[WRAPPER_MODULES_MAX];
_Atomic uint32_t wrapper_modules;

void clew_rt_wrappers(const void *begin, const void *end)
{
    static _Atomic uint32_t taken;
    const uint32_t at = atomic_fetch_add(&taken, 1);
    if (at < WRAPPER_MODULES_MAX) {
        atomic_store(&wrapper_code[at].begin, (uintptr_t)begin);
        atomic_store(&wrapper_code[at].end, (uintptr_t)end);
        atomic_fetch_add(&wrapper_modules, 1);
    }
}
