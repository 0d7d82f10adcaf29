/* How the hooks in libclew_hooks.a stand in front of functions of libc. `clew cc` links with
 * --wrap=NAME for each function, so that the program's calls reach __wrap_NAME and the function
 * itself is __real_NAME. wire/libc_calls.h lists the names.
 *
 *     WRAPPED(size_t, strlen, (const char *text))
 *     {
 *         ...
 *         return __real_strlen(text);
 *     }
 */
#ifndef CLEW_RUNTIME_INSTRUMENT_WRAP_H
#define CLEW_RUNTIME_INSTRUMENT_WRAP_H

#include <stdio.h>

#include "runtime/instrument/instrument.h"

/* All of them lie in one section of their own: who is called from there looks for its caller's
 * caller (runtime/shared/wrapper_caller.h). Each keeps its frame (meson.build). */
#define WRAPPER HOOK __attribute__((section("clew_wrappers")))

/* Weak: the program calls what it has, in whichever libc. */
#define WRAPPED(result, name, parameters)                         \
    extern result __real_##name parameters __attribute__((weak)); \
    WRAPPER result __wrap_##name parameters;                      \
    WRAPPER result __wrap_##name parameters

/* The hooks themselves call these: calls by their own names would be reported too. */
extern size_t __real_strlen(const char *text);
extern size_t __real_strnlen(const char *text, size_t size);
extern size_t __real_strspn(const char *text, const char *set);
extern size_t __real_strcspn(const char *text, const char *set);

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

/* A use of a descriptor races with its close. */
static inline void hook_use(int fd, const void *place)
{
    if (clew_rt_use != NULL) {
        clew_rt_use(fd, place);
    }
}

/* A use of a stream reads it, so that it races with the release of the stream's memory by fclose.
 * The three streams of every program are not released. */
static inline void stream_used(const FILE *file, const void *place)
{
    if (file != NULL && file != stdin && file != stdout && file != stderr) {
        hook_read(file, sizeof(uint64_t), place);
    }
}

#endif
