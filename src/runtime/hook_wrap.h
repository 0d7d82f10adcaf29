/* How the hooks in libclew_hooks.a stand in front of functions of libc. `clew cc` links with
 * --wrap=NAME for each function, so that the program's calls reach __wrap_NAME and the function
 * itself is __real_NAME. proc/compiler.c lists the names.
 *
 *     WRAPPED(size_t, strlen, (const char *text))
 *     {
 *         ...
 *         return __real_strlen(text);
 *     }
 */
#ifndef CLEW_RUNTIME_HOOK_WRAP_H
#define CLEW_RUNTIME_HOOK_WRAP_H

#include "runtime/hook.h"

#define WRAPPED(result, name, parameters)   \
    extern result __real_##name parameters; \
    HOOK result __wrap_##name parameters;   \
    HOOK result __wrap_##name parameters

/* The hooks themselves call these: calls by their own names would be reported too. */
extern size_t __real_strlen(const char *text);
extern size_t __real_strnlen(const char *text, size_t size);

/* An access is reported before it is made: under control, other threads may run in between. These
 * are true where the runtime has made the copy itself, in parts. */
static inline bool hook_copy(void *to, const void *from, size_t size, const void *place)
{
    if (clew_rt_copy != NULL && clew_rt_copy(to, from, size, place)) {
        return true;
    }
    hook_read(from, size, place);
    hook_write(to, size, place);
    return false;
}

static inline bool hook_fill(void *to, int byte, size_t size, const void *place)
{
    if (clew_rt_fill != NULL && clew_rt_fill(to, byte, size, place)) {
        return true;
    }
    hook_write(to, size, place);
    return false;
}

/* The bytes at `from` are the caller's alone. */
static inline bool hook_store(void *to, const void *from, size_t size, const void *place)
{
    if (clew_rt_store != NULL && clew_rt_store(to, from, size, place)) {
        return true;
    }
    hook_write(to, size, place);
    return false;
}

#endif
