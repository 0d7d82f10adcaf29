/* Wrappers of functions that copy and fill memory (memcpy, memmove, memset ...). A compiler
 * instruments the accesses of the code that it compiles, but not those of functions it calls. */
#include <stdbool.h>
#include <string.h>

#include "runtime/instrument/wrap.h"

WRAPPED(void *, memcpy, (void *to, const void *from, size_t size))
{
    return hook_copy(to, from, size, PLACE) ? to : __real_memcpy(to, from, size);
}

WRAPPED(void *, memmove, (void *to, const void *from, size_t size))
{
    return hook_copy(to, from, size, PLACE) ? to : __real_memmove(to, from, size);
}

WRAPPED(void *, memset, (void *to, int byte, size_t size))
{
    return hook_fill(to, byte, size, PLACE) ? to : __real_memset(to, byte, size);
}

WRAPPED(void *, __memcpy_chk, (void *to, const void *from, size_t size, size_t room))
{
    const bool is_done = size <= room && hook_copy(to, from, size, PLACE);
    return is_done ? to : __real___memcpy_chk(to, from, size, room);
}

WRAPPED(void *, __memmove_chk, (void *to, const void *from, size_t size, size_t room))
{
    const bool is_done = size <= room && hook_copy(to, from, size, PLACE);
    return is_done ? to : __real___memmove_chk(to, from, size, room);
}

WRAPPED(void *, __memset_chk, (void *to, int byte, size_t size, size_t room))
{
    const bool is_done = size <= room && hook_fill(to, byte, size, PLACE);
    return is_done ? to : __real___memset_chk(to, byte, size, room);
}

WRAPPED(void *, mempcpy, (void *to, const void *from, size_t size))
{
    if (hook_copy(to, from, size, PLACE)) {
        return (char *)to + size;
    }
    return __real_mempcpy(to, from, size);
}

WRAPPED(void, bzero, (void *to, size_t size))
{
    if (!hook_fill(to, 0, size, PLACE)) {
        __real_bzero(to, size);
    }
}

WRAPPED(void, explicit_bzero, (void *to, size_t size))
{
    if (!hook_fill(to, 0, size, PLACE)) {
        __real_explicit_bzero(to, size);
    }
}

WRAPPED(void, bcopy, (const void *from, void *to, size_t size))
{
    if (!hook_copy(to, from, size, PLACE)) {
        __real_bcopy(from, to, size);
    }
}

/* Newer clang calls these instead of the functions of libc. */
HOOK void *__tsan_memcpy(void *to, const void *from, size_t size);
HOOK void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    return hook_copy(to, from, size, PLACE) ? to : __real_memcpy(to, from, size);
}

HOOK void *__tsan_memmove(void *to, const void *from, size_t size);
HOOK void *__tsan_memmove(void *to, const void *from, size_t size)
{
    return hook_copy(to, from, size, PLACE) ? to : __real_memmove(to, from, size);
}

HOOK void *__tsan_memset(void *to, int byte, size_t size);
HOOK void *__tsan_memset(void *to, int byte, size_t size)
{
    return hook_fill(to, byte, size, PLACE) ? to : __real_memset(to, byte, size);
}
