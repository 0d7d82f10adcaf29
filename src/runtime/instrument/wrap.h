/* Wrappers that report the memory accesses of libc functions. `clew cc` links with --wrap=NAME for
 * each function, so that the program's calls reach __wrap_NAME, which calls libc's function as
 * __real_NAME. wire/libc_calls.h lists the names.
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

/* All wrappers lie in one section: a hook whose return address lies there takes the wrapper's
 * caller as its place (runtime/shared/wrapper_caller.h). They keep frame pointers (meson.build). */
#define WRAPPER __attribute__((used, visibility("hidden"), section("clew_wrappers")))

/* The reference is weak: another libc may lack the function. */
#define WRAPPED(result, name, parameters)                         \
    extern result __real_##name parameters __attribute__((weak)); \
    WRAPPER result __wrap_##name parameters;                      \
    WRAPPER result __wrap_##name parameters

/* For use in the wrappers: a call of plain strlen would be reported as the program's. */
extern size_t __real_strlen(const char *text);
extern size_t __real_strnlen(const char *text, size_t size);
extern size_t __real_strspn(const char *text, const char *set);
extern size_t __real_strcspn(const char *text, const char *set);

/* Each of these three reports accesses before they happen: under control, other threads may run in
 * between. The result is true if control has already made the copy, in parts between which other
 * threads could run; then the wrapper must not make it again. */
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

/* As hook_copy, for bytes at `from` that no other thread can access. */
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
