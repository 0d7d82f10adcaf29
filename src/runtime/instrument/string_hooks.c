/* Wrappers of the functions on strings. A function that may stop early, as strchr, reports only the
 * bytes that it reads. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/instrument/wrap.h"

WRAPPED(int, memcmp, (const void *a, const void *b, size_t size))
{
    hook_read(a, size, PLACE);
    hook_read(b, size, PLACE);
    return __real_memcmp(a, b, size);
}

WRAPPED(void *, memchr, (const void *bytes, int byte, size_t size))
{
    const char *found = __real_memchr(bytes, byte, size);
    hook_read(bytes, found != NULL ? (size_t)(found - (const char *)bytes) + 1 : size, PLACE);
    return __real_memchr(bytes, byte, size);
}

WRAPPED(size_t, strlen, (const char *text))
{
    hook_read(text, __real_strlen(text) + 1, PLACE);
    return __real_strlen(text);
}

/* The bytes of a text that a function reads which stops after `size` bytes. */
static size_t size_read(const char *text, size_t size)
{
    const size_t length = __real_strnlen(text, size);
    return length < size ? length + 1 : size;
}

WRAPPED(size_t, strnlen, (const char *text, size_t size))
{
    hook_read(text, size_read(text, size), PLACE);
    return __real_strnlen(text, size);
}

/* Reports the bytes of both texts that a comparison of at most `size` bytes reads. */
static void compared(const char *a, const char *b, size_t size, const void *place)
{
    size_t same = 0;
    while (same < size && a[same] != 0 && a[same] == b[same]) {
        same++;
    }
    const size_t read = same < size ? same + 1 : size;
    hook_read(a, read, place);
    hook_read(b, read, place);
}

WRAPPED(int, strcmp, (const char *a, const char *b))
{
    compared(a, b, SIZE_MAX, PLACE);
    return __real_strcmp(a, b);
}

WRAPPED(int, strncmp, (const char *a, const char *b, size_t size))
{
    compared(a, b, size, PLACE);
    return __real_strncmp(a, b, size);
}

static void compared_without_case(const char *a, const char *b, size_t size, const void *place)
{
    size_t same = 0;
    while (same < size && a[same] != 0 &&
           tolower((unsigned char)a[same]) == tolower((unsigned char)b[same])) {
        same++;
    }
    const size_t read = same < size ? same + 1 : size;
    hook_read(a, read, place);
    hook_read(b, read, place);
}

WRAPPED(int, strcasecmp, (const char *a, const char *b))
{
    compared_without_case(a, b, SIZE_MAX, PLACE);
    return __real_strcasecmp(a, b);
}

WRAPPED(int, strncasecmp, (const char *a, const char *b, size_t size))
{
    compared_without_case(a, b, size, PLACE);
    return __real_strncasecmp(a, b, size);
}

WRAPPED(char *, strchr, (const char *text, int letter))
{
    const char *found = __real_strchr(text, letter);
    hook_read(text, (found != NULL ? (size_t)(found - text) : __real_strlen(text)) + 1, PLACE);
    return __real_strchr(text, letter);
}

WRAPPED(char *, strrchr, (const char *text, int letter))
{
    hook_read(text, __real_strlen(text) + 1, PLACE);
    return __real_strrchr(text, letter);
}

WRAPPED(char *, strstr, (const char *text, const char *part))
{
    const char *found = __real_strstr(text, part);
    const size_t part_length = __real_strlen(part);
    hook_read(part, part_length + 1, PLACE);
    hook_read(text, found != NULL ? (size_t)(found - text) + part_length : __real_strlen(text) + 1,
              PLACE);
    return __real_strstr(text, part);
}

/* Lets control copy the text in parts. Returns the copy's NUL, or NULL if the caller has to copy.
 */
static char *copied(char *to, const char *from, const void *place)
{
    const size_t size = __real_strlen(from) + 1;
    return hook_copy(to, from, size, place) ? to + size - 1 : NULL;
}

WRAPPED(char *, strcpy, (char *to, const char *from))
{
    return copied(to, from, PLACE) != NULL ? to : __real_strcpy(to, from);
}

WRAPPED(char *, __strcpy_chk, (char *to, const char *from, size_t room))
{
    const bool fits = __real_strlen(from) < room;
    return fits && copied(to, from, PLACE) != NULL ? to : __real___strcpy_chk(to, from, room);
}

WRAPPED(char *, stpcpy, (char *to, const char *from))
{
    char *end = copied(to, from, PLACE);
    return end != NULL ? end : __real_stpcpy(to, from);
}

extern void *__real_memset(void *to, int byte, size_t size);

/* Lets control copy the text in parts and fill the rest of `size` bytes with NULs. False if the
 * caller has to. */
static bool padded(char *to, const char *from, size_t size, const void *place)
{
    const size_t length = size_read(from, size);
    if (clew_rt_copy != NULL && clew_rt_copy(to, from, length, place)) {
        if (length < size && !hook_fill(to + length, 0, size - length, place)) {
            __real_memset(to + length, 0, size - length);
        }
        return true;
    }
    hook_read(from, length, place);
    hook_write(to, size, place);
    return false;
}

WRAPPED(char *, strncpy, (char *to, const char *from, size_t size))
{
    return padded(to, from, size, PLACE) ? to : __real_strncpy(to, from, size);
}

WRAPPED(char *, __strncpy_chk, (char *to, const char *from, size_t size, size_t room))
{
    const bool is_done = size <= room && padded(to, from, size, PLACE);
    return is_done ? to : __real___strncpy_chk(to, from, size, room);
}

/* Lets control append the first `size` bytes of a text and a NUL, in parts. False if the caller has
 * to. */
static bool appended(char *to, const char *from, size_t size, const void *place)
{
    const size_t length = __real_strlen(to);
    hook_read(to, length + 1, place);
    const size_t added = __real_strnlen(from, size);
    if (clew_rt_copy != NULL && clew_rt_copy(to + length, from, added, place)) {
        hook_write(to + length + added, 1, place);
        to[length + added] = 0;
        return true;
    }
    hook_read(from, size_read(from, size), place);
    hook_write(to + length, added + 1, place);
    return false;
}

WRAPPED(char *, strcat, (char *to, const char *from))
{
    return appended(to, from, SIZE_MAX, PLACE) ? to : __real_strcat(to, from);
}

WRAPPED(char *, __strcat_chk, (char *to, const char *from, size_t room))
{
    const bool fits = __real_strlen(to) + __real_strlen(from) < room;
    return fits && appended(to, from, SIZE_MAX, PLACE) ? to : __real___strcat_chk(to, from, room);
}

WRAPPED(char *, strncat, (char *to, const char *from, size_t size))
{
    return appended(to, from, size, PLACE) ? to : __real_strncat(to, from, size);
}

WRAPPED(char *, strdup, (const char *text))
{
    hook_read(text, __real_strlen(text) + 1, PLACE);
    return __real_strdup(text);
}

WRAPPED(char *, strndup, (const char *text, size_t size))
{
    hook_read(text, size_read(text, size), PLACE);
    return __real_strndup(text, size);
}
