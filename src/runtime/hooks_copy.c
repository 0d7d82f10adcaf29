/* Functions that read and write memory on the program's behalf. `clew cc` links with --wrap for
 * each of them, so that the program's calls come here and the functions themselves are the same as
 * ever: a compiler that instruments accesses leaves such calls alone. */
#include <string.h>

#include "runtime/hook.h"

/* HOOK_WRAPPED lists what `clew cc` must wrap; compiler.c has the same names. */
#define WRAPPED(result, name, parameters)   \
    extern result __real_##name parameters; \
    HOOK result __wrap_##name parameters;   \
    HOOK result __wrap_##name parameters

static void copied(void *to, const void *from, size_t size, const void *place)
{
    hook_read(from, size, place);
    hook_write(to, size, place);
}

WRAPPED(void *, memcpy, (void *to, const void *from, size_t size))
{
    copied(to, from, size, PLACE);
    return __real_memcpy(to, from, size);
}

WRAPPED(void *, memmove, (void *to, const void *from, size_t size))
{
    copied(to, from, size, PLACE);
    return __real_memmove(to, from, size);
}

WRAPPED(void *, memset, (void *to, int byte, size_t size))
{
    hook_write(to, size, PLACE);
    return __real_memset(to, byte, size);
}

WRAPPED(void *, __memcpy_chk, (void *to, const void *from, size_t size, size_t room))
{
    copied(to, from, size, PLACE);
    return __real___memcpy_chk(to, from, size, room);
}

WRAPPED(void *, __memmove_chk, (void *to, const void *from, size_t size, size_t room))
{
    copied(to, from, size, PLACE);
    return __real___memmove_chk(to, from, size, room);
}

WRAPPED(void *, __memset_chk, (void *to, int byte, size_t size, size_t room))
{
    hook_write(to, size, PLACE);
    return __real___memset_chk(to, byte, size, room);
}

WRAPPED(int, memcmp, (const void *a, const void *b, size_t size))
{
    hook_read(a, size, PLACE);
    hook_read(b, size, PLACE);
    return __real_memcmp(a, b, size);
}

WRAPPED(size_t, strlen, (const char *text))
{
    const size_t size = __real_strlen(text);
    hook_read(text, size + 1, PLACE);
    return size;
}

WRAPPED(int, strcmp, (const char *a, const char *b))
{
    size_t same = 0;
    while (a[same] != 0 && a[same] == b[same]) {
        same++;
    }
    hook_read(a, same + 1, PLACE);
    hook_read(b, same + 1, PLACE);
    return __real_strcmp(a, b);
}

WRAPPED(char *, strcpy, (char *to, const char *from))
{
    copied(to, from, __real_strlen(from) + 1, PLACE);
    return __real_strcpy(to, from);
}

WRAPPED(char *, strncpy, (char *to, const char *from, size_t size))
{
    hook_read(from, strnlen(from, size), PLACE);
    hook_write(to, size, PLACE);
    return __real_strncpy(to, from, size);
}

/* What newer compilers call by names of their own. */
HOOK void *__tsan_memcpy(void *to, const void *from, size_t size);
HOOK void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    copied(to, from, size, PLACE);
    return __real_memcpy(to, from, size);
}

HOOK void *__tsan_memmove(void *to, const void *from, size_t size);
HOOK void *__tsan_memmove(void *to, const void *from, size_t size)
{
    copied(to, from, size, PLACE);
    return __real_memmove(to, from, size);
}

HOOK void *__tsan_memset(void *to, int byte, size_t size);
HOOK void *__tsan_memset(void *to, int byte, size_t size)
{
    hook_write(to, size, PLACE);
    return __real_memset(to, byte, size);
}
