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

/* An access is reported before it is made: under control, other threads may run in between. */
static inline void hook_copy(void *to, const void *from, size_t size, const void *place)
{
    hook_read(from, size, place);
    hook_write(to, size, place);
}

#endif
